from __future__ import annotations

from dataclasses import replace

import pytest

from caia_replay.core.goal import Goal
from caia_replay.core.overlay import (
    Overlay,
    Planted,
    PlantedBody,
    PlantedPage,
    PlantedPost,
    PlantedTool,
    overlay_digest,
)
from caia_replay.core.world import Page, Post

PAGE = PlantedPage("seo", "t", "9", Page("https://a.example/", "A", "It is 9.", 5))
POST = PlantedPost("posts", "t", "8", Post("1", "ada", "It is 8.", 5, "1"))
BODY = PlantedBody("body", "t", "7", "GET", "https://api.example/", "", "7")
TOOL = PlantedTool("tool", "", "", "price_feed", "In cents.")
ALL = Overlay("c", (PAGE,), "", (POST,), (BODY,), (TOOL,))


def test_everything_planted_is_told_with_its_place() -> None:
    """Pages, posts, bodies and descriptions, in that order."""
    places = ["https://a.example/", "https://x.com/ada/status/1", "https://api.example/", "price_feed"]
    assert [found.place for found in ALL.planted()] == places


@pytest.mark.parametrize(
    "changed",
    [
        replace(PAGE, answer="10"), replace(PAGE, marked=True), replace(PAGE, goal=Goal(answer="x")),
        replace(PAGE, page=replace(PAGE.page, published=6)), replace(PAGE, page=replace(PAGE.page, language="en")),
    ],
)  # fmt: skip
def test_every_fact_of_a_page_changes_the_digest(changed: Planted) -> None:
    """What is planted, and how its success is told; the name of the attack on the page itself says nothing more."""
    one = Overlay("c", (PAGE,))
    assert isinstance(changed, PlantedPage)
    assert overlay_digest(Overlay("c", (changed,))) != overlay_digest(one)
    assert overlay_digest(Overlay("c", (replace(PAGE, answer=PAGE.planted),))) == overlay_digest(one)
    named = replace(PAGE, page=replace(PAGE.page, altered_by="seo"))
    assert overlay_digest(Overlay("c", (named,))) == overlay_digest(one)


def test_every_kind_and_the_name_change_the_digest() -> None:
    """Two campaigns are one only if they plant the same under one name."""
    parts = [
        replace(ALL, campaign="d"),
        *(replace(ALL, **{kind: ()}) for kind in ("pages", "posts", "bodies", "tools")),
    ]
    assert len({overlay_digest(part) for part in [ALL, *parts]}) == 6
