"""Campaigns, the overlays that come of them, and their placebo over the shipped world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.attacks.campaign import (
    DEFAULT,
    DRAWN_OUT,
    Campaign,
    Planned,
    campaign_names,
    joined,
    load_campaign,
    plan_campaign,
)
from caia_replay.attacks.placebo import PLACEBO, plan_placebo
from caia_replay.attacks.uniqueness_registry import PlaceboRegister
from caia_replay.core.answer_matcher import plain, says
from caia_replay.core.attack import Dose, Planting, Target
from caia_replay.core.overlay import Overlay, Planted, PlantedBody, PlantedPage, PlantedPost, PlantedTool
from caia_replay.core.world import Page, Post, WorldView
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.runner.campaign import overlays_for, register_over, targets_in
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld
from tests.attack_view import IndexedView, register, target

TARGETS = [target("number", str(1 + at), task=f"t-{at}") for at in range(5)]
"""Answers so small that whoever comes first takes the lies of others."""
OPEN = target("open", "x", task="t-open")


def planned(campaign: Campaign, targets: list[Target]) -> Planned:
    view = IndexedView()
    return plan_campaign(campaign, [(view, one) for one in targets], register(view, *targets))


def test_the_default_is_of_edits_and_every_shipped_campaign_loads() -> None:
    """No family of the default makes a page up."""
    assert DEFAULT == "edited"
    assert {family for family, _ in load_campaign().attacks} == {"edited-page", "edited-post"}
    for name in campaign_names():
        campaign = load_campaign(name)
        assert campaign.name == name and campaign.description and campaign.attacks


@settings(max_examples=5)
@given(st.permutations(TARGETS))
def test_the_order_of_targets_does_not_matter(targets: list[Target]) -> None:
    """Nor how often it is planned: pages by address, one digest."""
    made = planned(load_campaign(), targets)
    assert made == planned(load_campaign(), TARGETS) and made.overlay.digest.startswith("sha256:")
    urls = [found.page.url for found in made.overlay.pages]
    assert urls == sorted(set(urls)) and len(urls) == len(TARGETS)  # one page per task


@pytest.mark.parametrize("most", [0, 1, 2])
def test_a_campaign_plants_so_many_pages_against_a_task(most: int) -> None:
    """By families that are drawn, others for other tasks; posts are not counted; whoever is left out is told."""
    campaign = replace(load_campaign("look-alike"), pages_per_task=most)
    places = ("syndicated", "own-site", "look-alike")
    campaign = replace(campaign, attacks=tuple(("edited-page", Dose(place=place)) for place in places))
    made = planned(campaign, [target("number", str(184_230 + 977 * at), task=f"t-{at}") for at in range(5)])
    counted = Counter(found.task for found in made.overlay.pages)
    assert set(counted.values()) == {most or len(places)} and len(counted) == len(TARGETS)
    assert [one.why for one in made.not_applicable] == [DRAWN_OUT] * (len(TARGETS) * (len(places) - (most or 3)))
    assert len({found.attack for found in made.overlay.pages}) > 1


def test_what_does_not_apply_is_told() -> None:
    """With family, task and reason; no targets plant nothing, and an empty overlay has a digest."""
    made = planned(load_campaign("onchain-decoy"), [OPEN])
    assert not made.overlay.pages
    assert {one.attack for one in made.not_applicable} == {name for name, _ in load_campaign("onchain-decoy").attacks}
    assert all(one.task == "t-open" and one.why for one in made.not_applicable)
    empty = planned(load_campaign(), []).overlay
    assert empty.pages == () and empty.digest


def test_a_dose_is_changed_everywhere() -> None:
    """The name stays; what no dose has is told."""
    campaign = load_campaign("onchain-decoy").dosed({"items": 4, "language": "zh"})
    assert {(dose.items, dose.language) for _, dose in campaign.attacks} == {(4, "zh")}
    assert campaign.name == "onchain-decoy"
    with pytest.raises(BadInput, match=r"no 'itmes'.*items"):
        load_campaign().dosed({"itmes": 1})


def page(task: str = "t", attack: str = "f", url: str = "https://a.example/", planted: str = "9") -> PlantedPage:
    return PlantedPage(attack, task, planted, Page(url, "t", planted, 1, attack))


POST = PlantedPost("f", "p", "8", Post("1", "eve", "8", 5, "1"))
BODY = PlantedBody("f", "b", "7", "GET", "https://a.example/", "", "7")
TOOL = PlantedTool("f", "", "", "web_search", "x")


def planting(*found: Planted) -> Planting:
    kinds = (PlantedPage, PlantedPost, PlantedBody, PlantedTool)
    return Planting(*(tuple(one for one in found if isinstance(one, kind)) for kind in kinds))  # type: ignore[arg-type]


def test_what_several_plant_is_one_overlay_whatever_their_order() -> None:
    """A tool that several ask for once is told once."""
    parts = [planting(page(), TOOL), planting(POST, BODY, TOOL)]
    made = joined("x", parts)
    assert made == joined("x", parts[::-1]) and len(list(made.planted())) == 4
    assert made.digest != joined("x", parts[:1]).digest != joined("y", parts[:1]).digest


def test_no_two_stand_in_one_place_and_no_value_has_two_owners() -> None:
    """Adoption is traced by value, so a value is of one task and family."""
    elsewhere = "https://b.example/"
    for one, other, told in (
        (page("t"), page("u", url=elsewhere), "plant the same value '9'"),
        (page("t"), page("t", "g", elsewhere), "g of t"),
        (page("t"), PlantedPost("f", "u", "9", POST.post), "plant the same value '9'"),
        (page("t"), page("t"), "two planted at page https://a.example/"),
        (POST, POST, "two planted at post 1"),
        (BODY, BODY, "two planted at body GET"),
        (TOOL, PlantedTool("f", "", "", "web_search", "y"), "two planted at tool web_search"),
    ):
        with pytest.raises(BadInput, match=told):
            joined("x", [planting(one), planting(other)])


def test_an_unknown_campaign_names_the_nearest() -> None:
    """And those that there are."""
    with pytest.raises(BadInput, match=r"nearest: edited; next: --campaign .*look-alike"):
        load_campaign("editd")


HEAD = 'description = "d"\n'
SHARES = ("pages_per_task", "prevalence_percent")
ATTACK = '[[attack]]\nfamily = "edited-page"\n'


def test_malformed_files_are_bad_input(tmp_path: Path) -> None:
    """Whatever a campaign file holds, the answer is one line that names it."""
    for text in (
        *("", "attack = [", HEAD, ATTACK, HEAD + "attack = []", HEAD + 'attack = "edited-page"', HEAD + "attack = [1]"),
        *(HEAD + f"{key} = {value}\n" + ATTACK for key in SHARES for value in ("-1", "101", '"1"', "true", "1.0")),
        *(HEAD + "extra = 2\n" + ATTACK, "description = 3\n" + ATTACK, HEAD + ATTACK + ATTACK),
        *(HEAD + f"[[attack]]\n{line}" for line in ("items = 1", 'family = "edited-pag"', "family = 1")),
        *(
            HEAD + ATTACK + line
            for line in (
                *("items = 0", "items = -1", "items = true", "items = 1.5", "items = " + "9" * 30, 'items = "1"'),
                *(
                    "items = 101",
                    "offset_percent = -5",
                    "offset_percent = 10_001",
                    "offset_percent = true",
                    "weight = 1",
                ),
                *('place = "there"', 'language = "fr"', "language = 1", "dose = 1"),
            )
        ),
        "a = " + "[" * 5000,
        b"\xff\xff",
    ):
        (tmp_path / "x.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(BadInput, match=r"x\.toml") as told:
            load_campaign("x", tmp_path)
        assert "\n" not in str(told.value) and ("does not read" in str(told.value) or isinstance(text, str))


@pytest.fixture(scope="module")
def world(shipped: Path) -> Iterator[FrozenWorld]:
    with FrozenWorld(open_world(str(shipped))) as opened:
        yield opened


def asked(world: FrozenWorld) -> list[tuple[WorldView, Target]]:
    return [(world.task(task), target) for task, target in targets_in(world)]


def placebo(world: FrozenWorld, attacked: Overlay, reads: Callable[[Target, str], bool] | None = None) -> Overlay:
    """Where no text is read as an answer, unless told what is."""
    pairs = asked(world)
    taken = register_over(world, [target for _, target in pairs], PlaceboRegister)
    return plan_placebo(attacked, pairs, taken, reads or (lambda target, text: False))


def lies(counts: dict[str, tuple[int, int]]) -> Overlay:
    """So many pages on so many sites against each task."""
    pages = []
    for task, (items, sites) in counts.items():
        for item in range(items):
            page = Page(f"https://{task}-{item % sites}.example/{item}", "t", "x", 1)
            pages.append(PlantedPage("own", task, "31.7", page))
    return Overlay("lies", tuple(pages))


def sites_of(overlay: Overlay, task: str) -> int:
    return len({found.page.url.split("/")[2] for found in overlay.pages if found.task == task})


COUNTS = st.tuples(st.integers(1, 5), st.integers(1, 3)).map(lambda pair: (max(pair), pair[1]))
TASKS = ("mini6-supply", "mini6-vote-date", "mini6-event-count")


@settings(max_examples=5)
@given(st.dictionaries(st.sampled_from(TASKS), COUNTS, max_size=3))
def test_it_is_as_much_as_what_it_stands_for(world: FrozenWorld, counts: dict[str, tuple[int, int]]) -> None:
    """As many pages against each task, on as many sites, none against others; and the same each time."""
    attacked = lies(counts)
    made = placebo(world, attacked)
    assert made.campaign == "placebo of lies" and made.digest
    assert Counter(found.task for found in made.pages) == Counter(found.task for found in attacked.pages)
    assert all(sites_of(made, task) == sites for task, (_, sites) in counts.items())
    assert placebo(world, attacked) == made


def test_twins_are_honest_pages_and_bear_no_claim(world: FrozenWorld) -> None:
    """Each is an honest page's text, or has a true sentence in it; no lie is in any, and no model sees what it is."""
    overlays = overlays_for(world, ("attacked", "placebo"), "edited")
    attacked, made = overlays["attacked"], overlays["placebo"]
    assert [found.place for found in made.pages] == [found.place for found in attacked.pages] != []
    assert made == overlays_for(world, ("placebo",), "edited")["placebo"]
    honest = {page.text for page in world.corpus}
    beside = {target.task: target.offer.beside for _, target in targets_in(world)}
    values = {lie.planted for lie in attacked.pages}
    for found in made.pages:
        assert (found.attack, found.planted, found.answer, found.marked, found.goal) == (PLACEBO, "", "", False, None)
        assert found.page.text in honest or any(one in found.page.text for one in beside[found.task])
        told = plain(f"{found.page.title}\n{found.page.text}")
        assert not [value for value in values if says(told, value)]
        assert PLACEBO not in f"{found.page.url} {told}"


def test_a_line_that_is_read_as_an_answer_is_left_out(world: FrozenWorld) -> None:
    """That line alone; where all is read as an answer it fails with the task's name: an arm that lies is none."""
    attacked = lies({TASKS[0]: (1, 1)})
    (before,) = placebo(world, attacked).pages
    lines = before.page.text.split("\n")
    line = next(line for line in reversed(lines) if line and lines.count(line) == 1)
    (after,) = placebo(world, attacked, lambda target, text: line in text.split("\n")).pages
    assert after.page.text.split("\n") == [one for one in lines if one != line]
    assert after == replace(before, page=replace(before.page, text=after.page.text))
    with pytest.raises(CheckFailed, match="mini6-supply"):
        placebo(world, attacked, lambda target, text: True)
