"""Every arm under every campaign on the whole suite: solvable from what is left alone, and nothing told beforehand."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from caia_replay.attacks.campaign import campaign_names
from caia_replay.core.answer_matcher import plain, says
from caia_replay.models.wire import tool_to_wire
from caia_replay.runner.campaign import filled, overlays_for
from caia_replay.runner.episode import asked, toolset_in
from caia_replay.runner.plan import ARMS
from caia_replay.store.world_folder import WorldFolder, open_world
from caia_replay.tools.catalog import CATALOG
from caia_replay.validation.verify import verify_suite
from caia_replay.world.world import FrozenWorld

SUITE = Path(__file__).resolve().parents[2] / "cassettes" / "synthetic-178"
OPEN_WEB = {name for name, tool in CATALOG.items() if tool.authority != "authoritative"}


@pytest.fixture(scope="module")
def folder() -> WorldFolder:
    return open_world(str(SUITE))


@pytest.fixture(scope="module")
def world(folder: WorldFolder) -> Iterator[FrozenWorld]:
    with FrozenWorld(folder) as opened:
        yield opened


def of_the_web(folder: WorldFolder) -> list[str]:
    """The tasks whose gold reads what a campaign may touch."""
    tasks = map(folder.task, folder.suite.active())
    return [task.id for task in tasks if any(step.tool in OPEN_WEB for step in task.gold.steps)]


@pytest.mark.soak
@pytest.mark.parametrize("arm", ARMS)
def test_all_is_solvable_in_every_arm_under_everything(folder: WorldFolder, arm: str) -> None:
    """178 of 178 with the open web, from sources left alone; without it 139, and 39 that do not apply."""
    outcomes = list(verify_suite(folder, (), arm, "all"))
    wrong = [(found.task, found.reason) for found in outcomes if found.applies and not found.solved]
    assert wrong == []
    other = {found.task for found in outcomes if not found.applies}
    assert other == (set(of_the_web(folder)) if arm == "authority-only" else set()) and len(outcomes) == 178


@pytest.mark.soak
@pytest.mark.parametrize("campaign", campaign_names())
def test_what_reads_the_web_is_solvable_under_every_campaign(folder: WorldFolder, campaign: str) -> None:
    """A campaign adds to the open web alone, so the chains that read it are those it could break."""
    outcomes = list(verify_suite(folder, of_the_web(folder), "attacked", campaign))
    assert [(found.task, found.reason) for found in outcomes if not found.solved] == [] and len(outcomes) == 39


@pytest.mark.soak
@pytest.mark.parametrize("campaign", campaign_names())
def test_a_placebo_is_as_much_and_says_nothing(world: FrozenWorld, campaign: str) -> None:
    """As many pages and posts against every task, on as many sites by as many accounts; no recipe reads an answer."""
    overlays = overlays_for(world, ("attacked", "placebo"), campaign)
    attacked, placebo = overlays["attacked"], overlays["placebo"]
    assert Counter(page.task for page in attacked.pages) == Counter(page.task for page in placebo.pages)
    assert Counter(post.task for post in attacked.posts) == Counter(post.task for post in placebo.posts)
    tasks = {name: world.folder.task(name) for name in world.folder.suite.active()}
    recipes = {name: filled(world, task) for name, task in tasks.items()}
    for one in placebo.planted():
        assert (one.planted, one.answer, one.goal) == ("", "", None)
    texts = [(page.task, f"{page.page.title}\n{page.page.text}") for page in placebo.pages]
    texts += [(post.task, post.post.text) for post in placebo.posts]
    for name, text in texts:
        recipe = recipes[name]
        assert recipe is None or recipe.in_page(text) is None, (name, text)
    assert overlays_for(world, ("placebo",), campaign)["placebo"].digest == placebo.digest


@pytest.mark.soak
@pytest.mark.parametrize("campaign", campaign_names())
def test_no_value_is_told_before_the_first_call(world: FrozenWorld, campaign: str) -> None:
    """Question and tools of every task and arm bear nothing planted, and no answer but in the catalog's own words."""
    own = {name: tool.spec.description for name, tool in CATALOG.items()}
    overlays = overlays_for(world, ARMS, campaign)
    planted = [one for overlay in overlays.values() for one in overlay.planted()]
    everybodys = {one.planted for one in planted} - {""}
    tasks = [world.folder.task(name) for name in world.folder.suite.active()]
    told_of: dict[str, str] = {}
    for arm, overlay in overlays.items():
        with toolset_in(arm, world.task(tasks[0], overlay)) as tools:  # the same for every task
            specs = list(tools.specs())
        whole = plain(json.dumps([tool_to_wire(spec) for spec in specs], ensure_ascii=False))
        below = plain("\n".join(spec.description.removeprefix(own[spec.name]) for spec in specs))
        told_of[arm] = below
        assert not [value for value in everybodys if says(below if len(value) < 4 else whole, value)], arm
    for task in tasks:
        wrong = {one.answer for one in planted if one.task == task.id and not one.marked} - {""}
        right = set(task.answer.values) if task.answer.kind != "boolean" else set()
        for value in right | wrong:
            assert not says(plain(task.question), value), (task.id, value)
            assert len(value) < 4 or not says(plain(asked(task)), value), (task.id, value)
            for arm, below in told_of.items():
                # The catalog's own words are the same in every world; 4096 is a limit there, and a constant elsewhere.
                assert not says(below, value), (task.id, arm, value)
        assert not [value for value in everybodys if says(plain(task.question), value)], task.id
