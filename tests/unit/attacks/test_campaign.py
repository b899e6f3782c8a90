"""Campaigns and their overlays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.attacks.campaign import campaign_names, join, load_campaign, plan_campaign
from caia_replay.core.attack import Target
from caia_replay.core.task import Anchor
from caia_replay.core.world import Page, Ranked
from caia_replay.errors import BadInput

ANCHOR = Anchor("alpha", 1, 1_700_000_000)


@dataclass(frozen=True)
class EmptyView:
    """A world without pages."""

    anchor: Anchor = ANCHOR

    def pages(self) -> Iterable[Page]:
        """None."""
        return ()

    def search(self, query: str, limit: int) -> tuple[Ranked, ...]:
        """Nothing ranks."""
        return ()


TARGETS = [Target(f"t-{n}", f"query {n}", "It is {planted}.", f"{n}31.7") for n in range(6)]


def test_the_default_campaign_is_seo_heavy() -> None:
    """The design names it; it holds the seo-page family."""
    campaign = load_campaign()
    assert (campaign.name, campaign.families, campaign.dose) == ("seo-heavy", ("seo-page",), 1)


def test_every_shipped_campaign_loads() -> None:
    """No campaign file in the package is malformed."""
    assert [load_campaign(name).name for name in campaign_names()] == list(campaign_names())


@settings(max_examples=30)
@given(st.permutations(TARGETS))
def test_the_overlay_is_a_function_of_the_set_of_targets(targets: list[Target]) -> None:
    """Any order of targets gives the same pages and digest."""
    campaign = load_campaign()
    overlay = plan_campaign(campaign, EmptyView(), targets)
    assert overlay == plan_campaign(campaign, EmptyView(), TARGETS)
    assert overlay.campaign == "seo-heavy" and len(overlay.pages) == len(TARGETS)
    assert [page.page.url for page in overlay.pages] == sorted(page.page.url for page in overlay.pages)


def test_joining_parts_equals_planning_at_once() -> None:
    """A suite planned task by task, each at its own anchor, becomes one overlay with one digest."""
    campaign = load_campaign()
    parts = [plan_campaign(campaign, EmptyView(), [target]) for target in TARGETS]
    assert join(campaign, parts[::-1]) == plan_campaign(campaign, EmptyView(), TARGETS)


def test_one_changed_value_changes_the_digest() -> None:
    """The digest covers what is planted."""
    campaign = load_campaign()
    digests = {
        plan_campaign(campaign, EmptyView(), [Target("t", "q", "It is {planted}.", value)]).digest
        for value in ("1", "2")
    }
    assert len(digests) == 2 and all(digest.startswith("sha256:") for digest in digests)


def test_two_tasks_never_plant_the_same_value() -> None:
    """Adoption is an exact match, so a planted value has one owner."""
    twins = [Target(name, f"query {name}", "It is {planted}.", "5") for name in ("a", "b")]
    with pytest.raises(BadInput, match="a and b plant the same value '5'"):
        plan_campaign(load_campaign(), EmptyView(), twins)


def test_no_targets_plant_nothing() -> None:
    """An empty overlay still has a digest."""
    overlay = plan_campaign(load_campaign(), EmptyView(), [])
    assert overlay.pages == () and overlay.digest


def test_an_unknown_campaign_names_the_nearest() -> None:
    """A misspelt name is told with its nearest match."""
    with pytest.raises(BadInput, match=r"nearest: seo-heavy; next: --campaign seo-heavy"):
        load_campaign("seo-hevy")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "families = [",
        'description = "d"\nfamilies = ["seo-page"]',
        'description = "d"\nfamilies = ["seo-page"]\ndose = 1\nextra = 2',
        'description = "d"\nfamilies = []\ndose = 1',
        'description = "d"\nfamilies = "seo-page"\ndose = 1',
        'description = "d"\nfamilies = ["seo-pag"]\ndose = 1',
        'description = "d"\nfamilies = [1]\ndose = 1',
        'description = "d"\nfamilies = ["seo-page", "seo-page"]\ndose = 1',
        *(
            f'description = "d"\nfamilies = ["seo-page"]\ndose = {dose}'
            for dose in ("0", "-1", "true", "1.5", "9" * 30)
        ),
        'description = 3\nfamilies = ["seo-page"]\ndose = 1',
        "a = " + "[" * 5000,
    ],
)
def test_malformed_files_are_bad_input(tmp_path: Path, text: str) -> None:
    """Whatever a campaign file holds, the answer is one line."""
    (tmp_path / "x.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=r"x\.toml"):
        load_campaign("x", tmp_path)


def test_bytes_that_are_no_text_are_bad_input(tmp_path: Path) -> None:
    """Invalid UTF-8 is told like any other fault."""
    (tmp_path / "x.toml").write_bytes(b"\xff\xff")
    with pytest.raises(BadInput, match="does not read"):
        load_campaign("x", tmp_path)
