"""Campaigns and the overlays that come of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.attacks.campaign import (
    DEFAULT,
    Campaign,
    Planned,
    campaign_names,
    joined,
    load_campaign,
    plan_campaign,
)
from caia_replay.attacks.family import FAMILIES
from caia_replay.core.attack import Dose, Planting, Target
from caia_replay.core.overlay import Planted, PlantedBody, PlantedPage, PlantedPost, PlantedTool
from caia_replay.core.world import Page, Post
from caia_replay.errors import BadInput
from tests.attack_view import IndexedView, register, target

TARGETS = [target("number", str(1 + at), task=f"t-{at}") for at in range(5)]
"""Answers so small that whoever comes first takes the lies of others."""
OPEN = target("open", "x", task="t-open")


def planned(campaign: Campaign, targets: list[Target]) -> Planned:
    """Over a small world."""
    view = IndexedView()
    return plan_campaign(campaign, [(view, one) for one in targets], register(view, *targets))


def test_the_default_is_heavy_and_every_shipped_campaign_loads() -> None:
    """Two pages, one of them the other's copy, at the greatest weight."""
    assert DEFAULT == "seo-heavy"
    assert load_campaign().attacks == (("seo-page", Dose(items=2, domains=2, depth=1, weight=6)),)
    for name in campaign_names():
        campaign = load_campaign(name)
        assert campaign.name == name and campaign.description and campaign.attacks


def test_those_of_pages_hold_what_they_are_named_for() -> None:
    """The light one is lighter and older than the heavy one."""
    ((family, light),) = load_campaign("seo-light").attacks
    ((_, heavy),) = load_campaign("seo-heavy").attacks
    assert family == "seo-page" and light.items < heavy.items and light.weight < heavy.weight
    assert light.age_hours > heavy.age_hours
    names = {family for family, _ in load_campaign("impersonation").attacks}
    assert names == {"impersonated-docs", "fake-news", "fake-audit", "stale-page", "unit-twist"}


@settings(max_examples=15, deadline=None)
@given(st.permutations(TARGETS))
def test_the_order_of_targets_does_not_matter(targets: list[Target]) -> None:
    """Nor how often it is planned: pages by address, one digest."""
    made = planned(load_campaign(), targets)
    assert made == planned(load_campaign(), TARGETS) and made.overlay.digest.startswith("sha256:")
    urls = [found.page.url for found in made.overlay.pages]
    assert urls == sorted(set(urls)) and len(urls) == 2 * len(TARGETS)


def test_what_does_not_apply_is_told() -> None:
    """With family, task and reason."""
    made = planned(load_campaign("impersonation"), [OPEN])
    assert not made.overlay.pages
    assert {one.attack for one in made.not_applicable} == {name for name, _ in load_campaign("impersonation").attacks}
    assert all(one.task == "t-open" and one.why for one in made.not_applicable)


def test_no_targets_plant_nothing() -> None:
    """An empty overlay has a digest."""
    made = planned(load_campaign(), [])
    assert made.overlay.pages == () and made.overlay.digest


def test_a_dose_is_changed_everywhere() -> None:
    """The name stays; what no dose has is told."""
    campaign = load_campaign("impersonation").dosed({"weight": 1, "full": False})
    assert {(dose.weight, dose.full) for _, dose in campaign.attacks} == {(1, False)}
    assert campaign.name == "impersonation"
    with pytest.raises(BadInput, match=r"no 'wieght'.*weight"):
        load_campaign().dosed({"wieght": 1})


def page(task: str = "t", attack: str = "f", url: str = "https://a.example/", planted: str = "9") -> PlantedPage:
    return PlantedPage(attack, task, planted, Page(url, "t", planted, 1, attack))


POST = PlantedPost("f", "p", "8", Post("1", "eve", "8", 5, "1"))
BODY = PlantedBody("f", "b", "7", "GET", "https://a.example/", "", "7")
TOOL = PlantedTool("f", "", "", "web_search", "x")


def planting(*found: Planted) -> Planting:
    return Planting(
        tuple(one for one in found if isinstance(one, PlantedPage)),
        tuple(one for one in found if isinstance(one, PlantedPost)),
        tuple(one for one in found if isinstance(one, PlantedBody)),
        tuple(one for one in found if isinstance(one, PlantedTool)),
    )


def test_what_several_plant_is_one_overlay_whatever_their_order() -> None:
    """A tool that several ask for once is told once."""
    parts = [planting(page(), TOOL), planting(POST, BODY, TOOL)]
    made = joined("x", parts)
    assert made == joined("x", parts[::-1]) and len(list(made.planted())) == 4
    assert made.digest != joined("x", parts[:1]).digest != joined("y", parts[:1]).digest


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ((page("t"), page("u", url="https://b.example/")), "plant the same value '9'"),
        ((page("t"), page("t", "g", "https://b.example/")), "g of t"),
        ((page("t"), PlantedPost("f", "u", "9", POST.post)), "plant the same value '9'"),
        ((page("t"), page("t")), "two planted at page https://a.example/"),
        ((POST, POST), "two planted at post 1"),
        ((BODY, BODY), "two planted at body GET"),
        ((TOOL, PlantedTool("f", "", "", "web_search", "y")), "two planted at tool web_search"),
    ],
)
def test_no_two_stand_in_one_place_and_no_value_has_two_owners(found: tuple[Planted, ...], told: str) -> None:
    """Adoption is traced by value, so a value is of one task and family."""
    with pytest.raises(BadInput, match=told):
        joined("x", [planting(one) for one in found])


def test_an_unknown_campaign_names_the_nearest() -> None:
    """And those that there are."""
    with pytest.raises(BadInput, match=r"nearest: seo-heavy; next: --campaign .*seo-light"):
        load_campaign("seo-hevy")


HEAD = 'description = "d"\n'
ATTACK = '[[attack]]\nfamily = "seo-page"\n'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "attack = [",
        HEAD,
        ATTACK,
        HEAD + "attack = []",
        HEAD + 'attack = "seo-page"',
        HEAD + "attack = [1]",
        HEAD + "extra = 2\n" + ATTACK,
        "description = 3\n" + ATTACK,
        HEAD + ATTACK + ATTACK,
        HEAD + "[[attack]]\nitems = 1",
        HEAD + '[[attack]]\nfamily = "seo-pag"',
        HEAD + "[[attack]]\nfamily = 1",
        *(
            HEAD + ATTACK + line
            for line in (
                *("items = 0", "items = -1", "items = true", "items = 1.5", "items = " + "9" * 30, 'items = "1"'),
                *("weight = 7", "depth = 0", "depth = 57", "domains = 0", "age_hours = -1", "offset_percent = -5"),
                *("full = 1", 'language = "fr"', "language = 1", "dose = 1"),
            )
        ),
        "a = " + "[" * 5000,
    ],
)
def test_malformed_files_are_bad_input(tmp_path: Path, text: str) -> None:
    """Whatever a campaign file holds, the answer is one line that names it."""
    (tmp_path / "x.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=r"x\.toml") as told:
        load_campaign("x", tmp_path)
    assert "\n" not in str(told.value)


def test_bytes_that_are_no_text_are_bad_input(tmp_path: Path) -> None:
    """Invalid UTF-8 is told like any other fault."""
    (tmp_path / "x.toml").write_bytes(b"\xff\xff")
    with pytest.raises(BadInput, match="does not read"):
        load_campaign("x", tmp_path)


def test_every_dose_a_file_may_hold_is_planned(tmp_path: Path) -> None:
    """Each field at its ends, by every family."""
    for line in ("items = 3\ndomains = 2", "depth = 56", "weight = 0", "weight = 6", "full = false", 'language = "zh"'):
        attacks = "".join(f'[[attack]]\nfamily = "{name}"\n{line}\n' for name in FAMILIES)
        (tmp_path / "x.toml").write_text(HEAD + attacks, encoding="utf-8")
        made = planned(load_campaign("x", tmp_path), TARGETS[:2])
        assert made.overlay.pages
