from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.core.message import Message
from caia_replay.core.model import Usage
from caia_replay.core.overlay import Overlay, PlantedPage
from caia_replay.core.tool import Served, ToolReply
from caia_replay.core.trajectory import UNSCORED_STOPS, ModelTurn, StopReason, ToolStep, Trajectory
from caia_replay.runner.campaign import planned_over
from caia_replay.runner.episode import asked, describe
from caia_replay.runner.plan import Cell
from caia_replay.store.world_folder import WorldFolder, open_world
from caia_replay.world.world import NO_OVERLAY, FrozenWorld

CELL = Cell("attacked", "tools")


@pytest.fixture(scope="module")
def folder(shipped: Path) -> WorldFolder:
    """The shipped world."""
    return open_world(str(shipped))


@pytest.fixture(scope="module")
def overlay(folder: WorldFolder) -> Overlay:
    """Its default campaign."""
    with FrozenWorld(folder) as world:
        return replace(found := planned_over(world, "seo-heavy").overlay, pages=numbers(folder, found))


def numbers(folder: WorldFolder, overlay: Overlay) -> tuple[PlantedPage, ...]:
    """The pages against tasks that ask for a number."""
    return tuple(page for page in overlay.pages if folder.task(page.task).answer.kind == "number")


def trajectory(answer: str | None, *replies: tuple[str, ToolReply], said: str = "") -> Trajectory:
    steps: list[ModelTurn | ToolStep] = [ModelTurn(1, Message("assistant", said), Usage(1, 2), "tool_calls")]
    steps += [ToolStep(1, f"c{at}", tool, "{}", reply) for at, (tool, reply) in enumerate(replies)]
    steps.append(ModelTurn(2, Message("assistant", f"FINAL ANSWER: {answer}"), Usage(3, 4), "stop"))
    return Trajectory((Message("user", "q"),), tuple(steps), "answered" if answer else "no_answer", answer)


def facts(folder: WorldFolder, overlay: Overlay, made: Trajectory) -> dict[str, Any]:
    planted = (*overlay.pages, *overlay.posts, *overlay.bodies)
    task = folder.task(planted[0].task)
    return describe(task, CELL, 1, made, overlay, 3)


def test_the_question_passes_unchanged_with_its_moment_below(folder: WorldFolder) -> None:
    """The agent gets the question to the letter, then chain, block and UTC time."""
    for name in folder.suite.active():
        task = folder.task(name)
        text = asked(task)
        assert text.startswith(task.question + "\n")
        assert f"block {task.anchor.block}," in text


@pytest.mark.parametrize("stop", UNSCORED_STOPS)
def test_a_fault_is_not_scored_and_silence_is_wrong(folder: WorldFolder, stop: StopReason) -> None:
    """A dead endpoint or fork says nothing about the answer; a model that gives none is wrong."""
    task = folder.task(folder.suite.active()[0])
    silent = trajectory(None)
    assert describe(task, CELL, 1, silent, NO_OVERLAY, 0)["score"]["correct"] is False
    fault = describe(task, CELL, 1, replace(silent, stop=stop), NO_OVERLAY, 0)
    assert (fault["score"]["correct"], fault["loss_usd"]) == (None, "0")


def test_a_record_says_what_was_planted_against_its_task(folder: WorldFolder, overlay: Overlay) -> None:
    """The attack, the wrong answer and where it stands; a lie that is believed costs the stake."""
    planted = overlay.pages[0]
    shown = ToolReply(Served.RANKED, {"x": 1}, None, ("seo-page",), altered_at=(planted.page.url,))
    record = facts(folder, overlay, trajectory(planted.planted, ("web_search", shown)))
    own = [page for page in overlay.pages if page.task == planted.task]
    assert record["planted"] == [{"attack": "seo-page", "value": planted.planted, "url": page.page.url} for page in own]
    assert (record["attack"]["adopted"], record["loss_usd"]) == (True, folder.task(planted.task).stake_usd)


def test_refusing_costs_nothing(folder: WorldFolder, overlay: Overlay) -> None:
    """No answer and an answer that says there is none are wrong and cost no stake."""
    for answer in (None, "unknown", "I don't know"):
        record = facts(folder, overlay, trajectory(answer))
        assert (record["score"]["correct"], record["loss_usd"]) == (False, "0")


def test_a_record_counts_every_call_by_class(folder: WorldFolder, overlay: Overlay) -> None:
    """Calls are counted by how they were served and by tool; unknown tools too."""
    missed = ToolReply(Served.MISS, None, {"type": "not_recorded"}, (), "near")
    wrong = ToolReply(Served.ERROR, None, {"type": "unknown_tool"})
    made = trajectory("1", ("balance_query", missed), ("no_such_tool", wrong), ("balance_query", missed))
    record = facts(folder, overlay, made)
    assert {kind: count for kind, count in record["served"].items() if count} == {"MISS": 2, "ERROR": 1}
    assert record["tools"] == {"balance_query": 2, "no_such_tool": 1}
    assert record["waited_s"] == 3
    assert record["tokens"] == {"prompt": 4, "completion": 6, "cached": 0, "reasoning": 0, "reported": True}
    unreported = replace(made, steps=(replace(made.steps[0], usage=Usage(0, 0, reported=False)), *made.steps[1:]))
    assert facts(folder, overlay, unreported)["tokens"]["reported"] is False
