"""How an origin has a campaign planned."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from caia_replay.attacks.campaign import load_campaign, plan_campaign
from caia_replay.core.attack import Target
from caia_replay.errors import CheckFailed
from caia_replay.origin.campaign import plan_over
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld


def test_each_target_is_planned_at_its_own_moment(shipped: Path) -> None:
    """All pages in one overlay, none of later than its task, and each leads the search that it was written for."""
    planner = partial(plan_campaign, load_campaign())
    with FrozenWorld(open_world(str(shipped))) as world:
        tasks = [world.folder.task(name) for name in world.folder.suite.active()]
        asked = [(task, Target(task.id, f"{task.shape} of block {task.anchor.block}", "It is {planted}.", f"9{at}7"))
                 for at, task in enumerate(tasks)]  # fmt: skip
        overlay, report = plan_over(world, asked, planner)
        assert (report.name, report.pages, report.attacked, report.first) == ("seo-heavy", 6, 6, 6)
        assert {page.task for page in overlay.pages} == {task.id for task in tasks}
        moments = {task.id: task.anchor.timestamp for task in tasks}
        assert all((page.page.published or 0) <= moments[page.task] for page in overlay.pages)
        urls = [page.page.url for page in overlay.pages]
        assert urls == sorted(urls)


def test_plans_of_two_campaigns_are_no_campaign(shipped: Path) -> None:
    """A planner that changes its name between targets is refused, and so is one that nobody asked anything."""
    names = iter(("one", "two", "three", "four", "five", "six"))
    planner = partial(plan_campaign, load_campaign())
    with FrozenWorld(open_world(str(shipped))) as world:
        asked = [(task, Target(task.id, "some words", "It is {planted}.", f"9{at}7"))
                 for at, task in enumerate(map(world.folder.task, world.folder.suite.active()))]  # fmt: skip
        with pytest.raises(CheckFailed, match="one campaign was wanted"):
            plan_over(world, asked, lambda view, targets: replace(planner(view, targets), campaign=next(names)))
        with pytest.raises(CheckFailed, match="one campaign was wanted"):
            plan_over(world, (), planner)
