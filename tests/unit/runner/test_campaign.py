"""Campaigns over a world: what stands over it in each arm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from caia_replay.attacks.campaign import load_campaign
from caia_replay.attacks.register import PlaceboRegister, WorldRegister
from caia_replay.core.answer_said import plain, says
from caia_replay.core.attack import Dose, Lie
from caia_replay.core.task import Anchor
from caia_replay.errors import BadInput
from caia_replay.runner.campaign import filled, overlays_for, placebo_over, planned_over, register_over, targets_in
from caia_replay.runner.plan import ARMS, ATTACKED
from caia_replay.store.target_file import TARGETS
from caia_replay.store.world_folder import open_world, save_task, seal_world
from caia_replay.world.world import NO_OVERLAY, FrozenWorld
from tests.campaigns import kept


@pytest.fixture
def world(shipped: Path) -> Iterator[FrozenWorld]:
    """The shipped world."""
    with FrozenWorld(open_world(str(shipped))) as opened:
        yield opened


def test_an_arm_is_clean_lied_to_or_given_a_placebo(world: FrozenWorld) -> None:
    """The clean arm has nothing at all, the placebo as many pages as those that lie, and those that lie one overlay."""
    overlays = overlays_for(world, ARMS, "seo-heavy")
    assert list(overlays) == list(ARMS) and overlays["clean"] is NO_OVERLAY
    lies, placebo = overlays["attacked"], overlays["placebo"]
    assert all(overlays[arm] is lies for arm in ATTACKED)
    assert Counter(page.task for page in lies.pages) == Counter(page.task for page in placebo.pages)
    assert (lies.campaign, placebo.campaign) == ("seo-heavy", "placebo of seo-heavy")
    assert len({lies.digest, placebo.digest, ""}) == 3
    assert overlays_for(world, ARMS, "seo-heavy") == overlays


def test_only_what_is_asked_for_is_planned(world: FrozenWorld) -> None:
    """The clean arm needs no campaign and knows none; any other refuses an unknown one."""
    assert overlays_for(world, ("clean",), "no-such") == {"clean": NO_OVERLAY}
    for arm in ARMS[1:]:
        with pytest.raises(BadInput, match="no campaign 'no-such'"):
            overlays_for(world, (arm,), "no-such")


def test_a_placebo_has_its_campaigns_dose(world: FrozenWorld) -> None:
    """Pages as old as those they stand for; a campaign without such pages has the default dose."""
    campaign = load_campaign("seo-heavy")
    (_, dose), *_ = campaign.attacks
    now = {task.id: task.anchor.timestamp for task, _ in targets_in(world)}
    for age_hours in (1, 500):
        aged = replace(campaign, attacks=(("seo-page", replace(dose, age_hours=age_hours)),))
        made = placebo_over(world, aged, planned_over(world, aged).overlay)
        newest = {task: max(p.page.published or 0 for p in made.pages if p.task == task) for task in now}
        assert all(now[task] - newest[task] >= age_hours * 3600 for task in now)
    other = replace(campaign, attacks=(("stale-page", Dose()),))
    assert placebo_over(world, other, planned_over(world, "seo-heavy").overlay).pages


def test_a_world_s_own_file_is_taken_as_it_is(mini: Path) -> None:
    """A finished campaign in overlays/ goes before a plan, and has a placebo too."""
    folder = mini / "cassettes" / "mini-6"
    kept(folder)
    with FrozenWorld(open_world(str(folder))) as opened:
        overlays = overlays_for(opened, ARMS, "seo-heavy")
    assert overlays["attacked"].digest
    assert len(overlays["placebo"].pages) == len(overlays["attacked"].pages)


def test_what_cannot_be_asked_yet_is_not_attacked(mini: Path) -> None:
    """A living suite is recorded task by task: the rest of it stops nothing."""
    folder = mini / "cassettes" / "mini-6"
    opened = open_world(str(folder))
    name = opened.suite.active()[0]
    save_task(folder, replace(opened.task(name), anchor=Anchor("ethereum", 7, -1)))
    seal_world(folder)
    with FrozenWorld(open_world(str(folder))) as world:
        for overlay in overlays_for(world, ("attacked", "placebo"), "seo-heavy").values():
            attacked = {page.task for page in overlay.pages}
            assert attacked and name not in attacked


def test_without_an_offer_the_question_is_the_query(mini: Path) -> None:
    """A world that tells nothing of its tasks can be attacked all the same."""
    folder = mini / "cassettes" / "mini-6"
    (folder / TARGETS).unlink()
    seal_world(folder)
    with FrozenWorld(open_world(str(folder))) as world:
        for task, target in targets_in(world):
            assert target.query == " ".join(task.question.split())[:300] and target.said("31").endswith("31.")
        assert len(overlays_for(world, ("placebo",), "seo-heavy")["placebo"].pages) >= 6


def test_what_is_said_in_the_world_is_taken(world: FrozenWorld) -> None:
    """Pages, posts, addresses, names; a register is of the kind that is asked for."""
    targets = [target for _, target in targets_in(world)]
    page = world.corpus[0]
    for kind in (WorldRegister, PlaceboRegister):
        register = register_over(world, targets, kind)
        assert type(register) is kind and register.url([page.url, "https://free.example/"]) == "https://free.example/"
    for target in targets:
        said = register_over(world, targets, WorldRegister).lie(target, "seo-page", Dose())
        assert said is not None and not any(says(plain(page.text), said.planted) for page in world.corpus)
        assert register_over(world, targets, PlaceboRegister).lie(target, "seo-page", Dose()) == Lie("", "")


def test_a_recipe_that_does_not_fit_reads_nothing(world: FrozenWorld) -> None:
    """Another question than its shape's, and a shape without one."""
    task = world.folder.task(world.folder.suite.active()[0])
    assert filled(world, task) is not None
    assert filled(world, replace(task, question="What?")) is None and filled(world, replace(task, shape="none")) is None
