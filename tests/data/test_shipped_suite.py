"""What the shipped suite must be, read from its files alone; every fault of every folder is collected and told once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from caia_replay.core.answer_said import says_answer
from caia_replay.core.task import Task
from caia_replay.origin.tasks.quota import CAIA, CHINESE
from caia_replay.origin.tasks.wording import MOST_ALIKE, language_faults, likeness
from caia_replay.scoring.spec import require_spec
from caia_replay.scoring.verifiers import verify
from caia_replay.store.world_folder import WorldFolder, open_world

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def folder() -> WorldFolder:
    return open_world(str(PROJECT / "cassettes" / "synthetic-178"))


@pytest.fixture(scope="module")
def tasks(folder: WorldFolder) -> list[Task]:
    return [folder.task(name) for name in folder.suite.active()]


def faults_of(task: Task) -> Iterator[str]:
    """What is wrong with one task, apart from all others."""
    yield from language_faults(task.question, "zh" if task.language == "zh" else "en")
    if says_answer(task.question, task.answer):
        yield "says its answer"
    if not 1 <= len(task.gold.steps) <= 6:
        yield f"has {len(task.gold.steps)} steps"
    if verify(task.answer, task.answer.values[0]).correct is not True:
        yield "would reject its own answer"
    if not (task.stake_usd.isdecimal() and 100 <= int(task.stake_usd) <= 1_000_000 and task.stake_reason.endswith(".")):
        yield f"has the stake {task.stake_usd!r}, {task.stake_reason!r}"
    if not task.canary.startswith("CAIA-REPLAY-CANARY-"):
        yield "has no canary"
    if not task.project or task.difficulty not in range(1, 6):
        yield "has no project or no difficulty"
    if sum(tag.startswith("source:") for tag in task.tags) != 1:
        yield f"has the tags {task.tags}"


def test_no_task_has_a_fault(folder: WorldFolder, tasks: list[Task]) -> None:
    """Wording in its language, answer unsaid and accepted, one to six calls, a stake with its reason, a canary."""
    found = [f"{task.id} {fault}" for task in tasks for fault in faults_of(task)]
    for task in tasks:
        require_spec(task, folder.path / "tasks" / task.id / "task.toml")
    assert not found, "\n".join(found)
    assert len({task.canary for task in tasks}) == len(tasks) == 178


def test_no_two_tasks_ask_the_same(tasks: list[Task]) -> None:
    """No two questions share more of their word pairs than is stated; figures alone make no other question."""
    found = [
        f"{one.id} and {other.id}: {float(likeness(one.question, other.question)):.2f}"
        for at, one in enumerate(tasks)
        for other in tasks[:at]
        if likeness(one.question, other.question) > MOST_ALIKE
    ]
    assert not found, "\n".join(found)


def test_its_proportions_are_caias(tasks: list[Task]) -> None:
    """By category and by what answers them; 26 in Chinese."""
    kinds = {(category, source.replace(" ", "-").lower()): count for (category, source), count in CAIA.items()}
    told = Counter(
        (task.category, next(tag for tag in task.tags if tag.startswith("source:")).removeprefix("source:"))
        for task in tasks
    )
    assert told == kinds and sum(task.language == "zh" for task in tasks) == CHINESE


def test_it_is_as_varied_as_it_should_be(tasks: list[Task]) -> None:
    """At least 45 shapes and 120 heights, 40 tasks of two tools or more, 25 with code, 20 with a trap; few guesses."""
    tools = [{step.tool for step in task.gold.steps} for task in tasks]
    assert len({task.shape for task in tasks}) >= 45
    assert len({(task.anchor.chain, task.anchor.block) for task in tasks}) >= 120
    assert sum(len(one) > 1 for one in tools) >= 40 and sum("code_execution" in one for one in tools) >= 25
    assert sum(any(tag.startswith("trap:") for tag in task.tags) for task in tasks) >= 20
    assert sum(task.answer.kind == "boolean" for task in tasks) <= 9
    traps = {tag for task in tasks for tag in task.tags if tag.startswith("trap:")}
    assert traps >= {
        "trap:units", "trap:decimals", "trap:look-alike", "trap:time-zone", "trap:proxy", "trap:wrapped",
        "trap:net-gross", "trap:false-premise",
    }  # fmt: skip


def test_it_has_a_version_and_dates(folder: WorldFolder) -> None:
    """Every entry says when it was added; nothing is retired yet."""
    assert folder.suite.id == folder.info.id == "synthetic-178" and folder.suite.version == "1.0.0"
    assert all(date.fromisoformat(entry.added) and entry.retired is None for entry in folder.suite.entries)


def test_every_task_but_those_of_yes_and_no_is_attacked(folder: WorldFolder, tasks: list[Task]) -> None:
    """The default campaign has a page against each, with a value that no other task and no truth has."""
    overlay = folder.overlay("seo-heavy")
    attacked = Counter(page.task for page in overlay.pages)
    assert {task.id for task in tasks if task.id not in attacked} == {
        task.id for task in tasks if task.answer.kind == "boolean"
    }
    lies = [page.planted for page in overlay.pages]
    assert len(set(lies)) == len(lies) and not set(lies) & {value for task in tasks for value in task.answer.values}
