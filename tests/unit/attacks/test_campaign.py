"""Campaigns and their overlays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.attacks.campaign import campaign_names, join, load_campaign, plan_campaign
from caia_replay.canonical import digest
from caia_replay.core.attack import Target
from caia_replay.core.overlay import Overlay, PlantedBody, PlantedPost
from caia_replay.core.task import Anchor
from caia_replay.core.world import Page, Post, Ranked, RankedPost
from caia_replay.errors import BadInput

ANCHOR = Anchor("alpha", 1, 1_700_000_000)


@dataclass(frozen=True)
class EmptyView:
    """A world without pages."""

    anchor: Anchor = ANCHOR

    def pages(self) -> Iterable[Page]:
        """None."""
        return ()

    def posts(self) -> Iterable[Post]:
        """None."""
        return ()

    def search(self, query: str, limit: int) -> tuple[Ranked, ...]:
        """Nothing ranks."""
        return ()

    def search_posts(self, query: str, limit: int) -> tuple[RankedPost, ...]:
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


def test_posts_and_bodies_are_joined_and_pages_alone_keep_their_digest() -> None:
    """An overlay of several kinds is joined whole, sorted, under another digest; empty fields change none."""
    campaign = load_campaign()
    pages = plan_campaign(campaign, EmptyView(), TARGETS[:1])
    told = [
        {
            "attack": page.attack,
            "task": page.task,
            "planted": page.planted,
            "page": {name: getattr(page.page, name) for name in ("url", "title", "text", "published", "altered_by")},
        }
        for page in pages.pages
    ]
    assert pages.digest == digest({"campaign": "seo-heavy", "pages": told})
    posts = [PlantedPost("rumour", "p", "9", Post(str(at), "eve", "9", 50 - at, str(at))) for at in (1, 2)]
    bodies = [PlantedBody("feed", "b", "8", "GET", f"https://api.example/{at}", "", "8") for at in (2, 1)]
    whole = join(campaign, [Overlay("x", (), "", tuple(posts)), pages, Overlay("y", (), "", (), tuple(bodies))])
    assert (whole.pages, [post.post.id for post in whole.posts]) == (pages.pages, ["2", "1"])
    assert [body.url[-1] for body in whole.bodies] == ["1", "2"] and whole.digest != pages.digest


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ([Overlay("x", (), "", (PlantedPost("r", "t", "9", Post("1", "eve", "9", 5, "1")),))] * 2, "posts of id 1"),
        (
            [Overlay("x", (), "", (), (PlantedBody("f", "t", "9", "GET", "https://a.example/", "", "9"),))] * 2,
            "answers",
        ),
        (
            [
                Overlay("x", (), "", (PlantedPost("r", "t", "9", Post("1", "eve", "9", 5, "1")),)),
                Overlay("x", (), "", (), (PlantedBody("f", "u", "9", "GET", "https://a.example/", "", "9"),)),
            ],
            "tasks t and u plant the same value '9'",
        ),
    ],
)
def test_no_two_stand_in_one_place_and_no_value_has_two_owners(parts: list[Overlay], told: str) -> None:
    """Across kinds as well: adoption is an exact match."""
    with pytest.raises(BadInput, match=told):
        join(load_campaign(), parts)
