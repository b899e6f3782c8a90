"""The registry of families."""

from __future__ import annotations

import re

import pytest

from caia_replay.attacks.family import FAMILIES
from caia_replay.core.attack import Dose, Planting
from caia_replay.errors import Miss
from tests.attack_view import KINDS, IndexedView, register


def test_every_family_stands_under_its_own_name() -> None:
    """In plain words with dashes."""
    assert all(name == family.name and re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name, family in FAMILIES.items())


def test_those_that_the_pack_must_have_are_there() -> None:
    """Pages of seven kinds among them."""
    pages = {"seo-page", "impersonated-docs", "fake-news", "fake-audit", "stale-page", "unit-twist"}
    assert pages <= FAMILIES.keys()


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_plants_what_carries_its_name_or_says_why_not(name: str) -> None:
    """Against each sort of answer; the same twice; nothing after the moment, and everything in the reserved zone."""
    for asked in KINDS:
        made = []
        for _ in range(2):
            view = IndexedView()
            made.append(FAMILIES[name].plan(view, asked, Dose(), register(view, asked)))
        assert made[0] == made[1]
        if isinstance(made[0], str):
            assert made[0]
            continue
        assert isinstance(made[0], Planting)
        planted = [*made[0].pages, *made[0].posts, *made[0].bodies, *made[0].tools]
        assert planted and all(one.attack == name for one in planted)
        assert all((one.page.published or 0) <= view.anchor.timestamp for one in made[0].pages)
        assert all(one.post.created <= view.anchor.timestamp for one in made[0].posts)
        assert all(re.match(r"https://[a-z0-9.-]+\.example/", one.page.url) for one in made[0].pages)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_world_without_a_web_stops_no_family(name: str) -> None:
    """It plants, or says why not; a miss is no answer."""
    view = IndexedView(pages=(), posts=())
    with pytest.raises(Miss):
        view.search_posts("x", 1)
    assert isinstance(FAMILIES[name].plan(view, KINDS[0], Dose(), register(view, KINDS[0])), (Planting, str))
