"""The bands in which docs/suite.md says that policies must land: counted again, and the quick ones run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from caia_replay.store.world_folder import WorldFolder, open_world
from tests.suite_bands import Counted, counted, guess
from tests.suite_runs import results

PROJECT = Path(__file__).resolve().parents[2]
EVERY = 6
"""Daily a sixth of the tasks is played; soak plays all."""


@pytest.fixture(scope="module")
def folder() -> WorldFolder:
    return open_world(str(PROJECT / "cassettes" / "synthetic-178"))


@pytest.fixture(scope="module")
def told(folder: WorldFolder) -> Counted:
    return counted(folder)


@pytest.mark.check
def test_the_papers_say_what_is_counted(told: Counted) -> None:
    """C and S stand in the table as they are."""
    text = (PROJECT / "docs" / "suite.md").read_text("utf-8")
    assert re.search(rf"tasks whose recipe has a chain call: {len(told.chain)}\b", text), len(told.chain)
    assert re.search(rf"stated tasks: {len(told.stated)}\b", text), len(told.stated)


def test_honest_pages_answer_a_part_of_the_questions(folder: WorldFolder, told: Counted) -> None:
    """Enough that a direct answer is no sign of a lie, composed questions among them, and far from all."""
    composed = {name for name in told.stated if not folder.task(name).shape.startswith("open-")}
    assert len(composed) >= 20 and len(told.stated) * 3 < len(folder.suite.active())


def test_a_guess_is_worth_little(folder: WorldFolder) -> None:
    """The mean chance of a right guess is under 3 per cent, so that random stays far under 10."""
    tasks = [folder.task(name) for name in folder.suite.active()]
    assert sum(guess(task.answer) for task in tasks) / len(tasks) < 0.03


@pytest.mark.check
def test_chain_only_is_right_where_one_call_answers(folder: WorldFolder, told: Counted) -> None:
    """Exactly there, in the clean arm and in the attacked one."""
    some = folder.suite.active()[::EVERY]
    clean = results(folder.path, "chain-only", tasks=some)
    assert {task for task, right in clean.items() if right} == told.chain & set(some)
    assert clean == results(folder.path, "chain-only", "attacked", tasks=some)
