"""targets.toml: what is written is read back, equal offers give equal bytes, and what says nothing is left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caia_replay.core.attack import Decoy, Misreading, Offer, Once
from caia_replay.errors import BadInput
from caia_replay.store.target_file import TARGETS, read_targets, save_targets

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
SAID = TEXT.filter(bool)
KIND = st.sampled_from(["look-alike token", "look-alike address", "honeypot", "inscription"])
OFFER = st.builds(
    Offer,
    SAID,
    SAID,
    SAID.map("{}{{planted}}".format),
    st.lists(SAID, max_size=3).map(tuple),
    st.none() | st.builds(Once, SAID, st.integers(0, 10**10)),
    st.lists(st.builds(Misreading, SAID, st.integers(2, 10**6), SAID), max_size=2).map(tuple),
    st.lists(st.builds(Decoy, KIND, SAID, SAID, TEXT, TEXT, TEXT), max_size=2).map(tuple),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(offers=st.lists(OFFER, max_size=4, unique_by=lambda offer: offer.task))
def test_what_is_written_is_read_back(tmp_path: Path, offers: list[Offer]) -> None:
    """Every field, sorted by task; equal offers in another order give equal bytes."""
    save_targets(tmp_path, offers)
    data = (tmp_path / TARGETS).read_bytes()
    assert list(read_targets(tmp_path).values()) == sorted(offers, key=lambda offer: offer.task)
    save_targets(tmp_path, reversed(offers))
    assert (tmp_path / TARGETS).read_bytes() == data


def test_what_is_empty_is_not_written(tmp_path: Path) -> None:
    """An offer of words alone is three lines; a decoy without an answer says nothing of one."""
    save_targets(tmp_path, [Offer("t", "q", "{planted}", decoys=(Decoy("honeypot", "0x1", "c"),))])
    assert (tmp_path / TARGETS).read_text().splitlines() == [
        "[[target]]", 'task = "t"', 'query = "q"', 'claim = "{planted}"',
        'decoys = [{ kind = "honeypot", address = "0x1", chain = "c" }]',
    ]  # fmt: skip


def test_a_world_without_the_file_offers_nothing(tmp_path: Path) -> None:
    """No file, no offer; one without an offer is none either."""
    assert read_targets(tmp_path) == {}
    save_targets(tmp_path, [])
    assert read_targets(tmp_path) == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[target]]\ntask = "t"\nquery = "q"\nclaim = "It is 5."\n', "claim of 't' has no {planted}"),
        ('[[target]]\ntask = "t"\nquery = "q"\nclaim = "{planted}"\n' * 2, "task 't' is told twice"),
        ('[[target]]\ntask = "t"\nquery = "q"\n', "claim"),
        ('[[target]]\ntask = "t"\nquery = "q"\nclaim = "{planted}"\nlie = "5"\n', "unknown field"),
        ('[[target]]\ntask = "t"\nquery = "q"\nclaim = "{planted}"\ndecoys = [{ kind = "trap" }]\n', "not one of"),
        ("[[target]\n", "not a TOML file"),
    ],
)
def test_a_malformed_file_is_bad_input(tmp_path: Path, text: str, said: str) -> None:
    """One line that names the file and what is wrong."""
    (tmp_path / TARGETS).write_text(text)
    with pytest.raises(BadInput) as caught:
        read_targets(tmp_path)
    assert said in str(caught.value) and TARGETS in str(caught.value)
