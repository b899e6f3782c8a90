"""The figure of the best form-only detector, kept by digest and told beside adoption."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.analysis.form_only import AUDIT_FILE, FormOnly, best_of, find, form_lines, keep
from caia_replay.analysis.leak_audit import Leak
from caia_replay.errors import BadInput

HEADER = {"world": "sha256:w", "overlay": "sha256:o", "campaign": "edited", "suite": "s"}
LEAKS = st.lists(
    st.builds(
        Leak,
        st.just("edited"),
        st.sampled_from(["", "a", "b"]),
        st.sampled_from(["page", "post"]),
        st.sampled_from(["honest", "twin"]),
        st.sampled_from(["host", "text"]),
        st.floats(0, 1),
        st.just(30),
        st.just(40),
    )
)


@given(LEAKS)
def test_the_best_is_the_highest_of_its_family(leaks: list[Leak]) -> None:
    """Of every family and kind of others that has any; none is made up for one that has not."""
    found = best_of(leaks, ["a", "b"])
    for family in ("", "a", "b"):
        for against in ("honest", "twin"):
            own = [one.auc for one in leaks if (one.family, one.against) == (family, against)]
            best = found.get(family, {}).get(against)
            assert (best.auc if best else None) == max(own, default=None)


def leak(auc: float, family: str = "a", against: str = "honest") -> Leak:
    """A detector's figure by the host."""
    return Leak("edited", family, "page", against, "host", auc, 30, 40)


def test_a_figure_is_told_of_the_very_attack_alone(tmp_path: Path) -> None:
    """From the folder or one above it; of another world or campaign, and before any audit, it is not measured."""
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    again = "caia-replay attack audit --campaign edited --suite s --out attack-audit.json"
    unmeasured = f"attacked: campaign edited has no leak audit here; next: {again}"
    assert list(form_lines(below, [("attacked", HEADER)])) == [unmeasured]
    found = FormOnly("edited", best_of([leak(0.75), leak(0.5)], ["a"]))
    keep(tmp_path / AUDIT_FILE, HEADER["world"], HEADER["overlay"], found)
    assert find(below, HEADER) == found
    assert list(form_lines(below, [("attacked", HEADER)])) == [
        "attacked: form alone tells edited from honest results with AUC 0.750 (by host), "
        "from its twins: too few for a figure"
    ]
    for other in ({"world": "sha256:x"}, {"overlay": "sha256:x"}, {"overlay": None}):
        assert list(form_lines(below, [("attacked", HEADER | other)])) == [unmeasured]


def test_an_audit_adds_to_the_file_and_replaces_its_own(tmp_path: Path) -> None:
    """Two campaigns stand beside each other; the same one again has its newer figure."""
    path = tmp_path / AUDIT_FILE
    for overlay, auc in (("o", 0.75), ("p", 0.5), ("o", 0.25)):
        keep(path, "w", overlay, FormOnly("edited", best_of([leak(auc)], ["a"])))
    told = {name: find(tmp_path, {"world": "w", "overlay": name}) for name in "op"}
    assert {name: one and one.best() and one.best().auc for name, one in told.items()} == {"o": 0.25, "p": 0.5}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"version": 1, "audits": [{}]}', '{"version": 2, "audits": []}', "no", '{"version": 1}']
)
def test_what_is_no_audit_is_refused(tmp_path: Path, text: str) -> None:
    """It is named; no table shows a figure out of it, and no audit replaces it."""
    (tmp_path / AUDIT_FILE).write_text(text)
    with pytest.raises(BadInput, match=AUDIT_FILE):
        find(tmp_path, HEADER)
    with pytest.raises(BadInput, match=AUDIT_FILE):
        keep(tmp_path / AUDIT_FILE, "w", "o", FormOnly("edited", {}))
