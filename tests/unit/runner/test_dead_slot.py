"""Which planted things gold chains and a search-only policy read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from caia_replay.core.overlay import Overlay, PlantedPage, PlantedTool
from caia_replay.core.world import Page
from caia_replay.runner.campaign import planned_over
from caia_replay.runner.dead_slot import GOLD, SEARCH, by_family, slots_of, stage_for
from caia_replay.runner.plan import make_plan
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld

TASK = "mini6-supply"


@pytest.fixture(scope="module")
def world(shipped: Path) -> Iterator[FrozenWorld]:
    """The shipped world."""
    with FrozenWorld(open_world(str(shipped))) as found:
        yield found


def with_dead(overlay: Overlay) -> Overlay:
    """The same with a page that no search finds, and a text below a tool."""
    nowhere = Page("https://zzz.example/", "Zzyzx", "Qwfpg 987123654", 1_600_000_000, "seo-page")
    dead = PlantedPage("seo-page", TASK, "987123654", nowhere)
    return replace(overlay, pages=(*overlay.pages, dead), tools=(PlantedTool("t", "", "", "web_search", "Hi"),))


def test_a_slot_nobody_reads_is_dead(world: FrozenWorld) -> None:
    """Pages for the task's search are live by it; one that no search finds is dead; a tool's text is read by all."""
    overlay, steps = with_dead(planned_over(world, "seo-heavy").overlay), list[int]()
    slots = slots_of(world, overlay, [TASK], steps.append)
    assert [(slot.item.place, slot.live) for slot in slots if slot.item.kind == "page"][-1] == (
        "https://zzz.example/", False,
    )  # fmt: skip
    pages = [slot for slot in slots if slot.item.kind == "page"][:-1]
    assert pages and all(slot.by_search for slot in pages) and all(slot.item.task == TASK for slot in pages)
    (tool,) = (slot for slot in slots if slot.item.kind == "tool")
    assert tool.by_gold and tool.by_search and len(steps) == 2
    assert slots[0].plain()["live"] is True and slots[0].plain()["place"] == slots[0].item.place


def test_what_is_said_to_be_read_was_shown(world: FrozenWorld) -> None:
    """A slot is live by a policy exactly where one of its own runs was shown the place."""
    overlay = planned_over(world, "seo-heavy").overlay
    slots = slots_of(world, overlay)
    for model, marks in ((GOLD, [slot.by_gold for slot in slots]), (SEARCH, [slot.by_search for slot in slots])):
        plan = make_plan(world.folder, arms=("attacked",), model=model, runs=1)
        stage = stage_for(world, plan, overlay)
        shown = {
            place
            for task, cell, attempt in plan.episodes()
            for step in stage.run(world.folder.task(task), cell, attempt)["steps"]
            for place in step.get("altered_at", ())
        }
        stage.model.close()
        assert marks == [slot.item.place in shown for slot in slots]


def test_families_are_counted(world: FrozenWorld) -> None:
    """Live and dead together are all of a family's slots."""
    overlay = with_dead(planned_over(world, "seo-heavy").overlay)
    seo, tool = by_family(slots_of(world, overlay, [TASK]))
    assert (seo.attack, seo.slots, seo.live, seo.dead) == ("seo-page", seo.live + 1, seo.by_search, 1)
    assert (tool.attack, tool.slots, tool.dead) == ("t", 1, 0)
