"""The build's own checks, each seen to fail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from caia_replay.core.suite import Recipe
from caia_replay.errors import CheckFailed
from caia_replay.origin.mini.audit import check_web, reading_pattern
from caia_replay.origin.mini.build import MiniReport
from caia_replay.origin.mini.figure import FigureBook
from caia_replay.origin.mini.question import Question, questions
from caia_replay.origin.mini.story import Told
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld


@pytest.fixture(scope="module")
def world(built: MiniReport) -> Iterator[FrozenWorld]:
    with FrozenWorld(open_world(str(built.world))) as opened:
        yield opened


@pytest.fixture
def asked(told: Told) -> tuple[Question, ...]:
    return questions(told, FigureBook(told))


def test_a_sound_world_passes(world: FrozenWorld, asked: tuple[Question, ...]) -> None:
    """A hasty reader finds the truth."""
    check_web(world, asked)


def test_a_web_without_truth_is_caught(world: FrozenWorld, asked: tuple[Question, ...]) -> None:
    """When too few searches lead to the truth, the world measures nothing."""
    wrong = [
        replace(question, task=replace(question.task, answer=replace(question.task.answer, values=("7",))))
        for question in asked
    ]
    with pytest.raises(CheckFailed, match="0 of 6 clean searches"):
        check_web(world, wrong)


def test_a_question_writes_no_part_of_a_pattern() -> None:
    """Words from the question are matched as they are; a question of another shape is refused."""
    recipe = Recipe(r"of (?P<what>\S+)\?", "{what}", r"{what} is (?P<answer>\d{2})")
    pattern = reading_pattern(recipe, "What of a.b?")
    assert pattern.search("a.b is 12") and not pattern.search("axb is 12")
    with pytest.raises(CheckFailed, match="does not read"):
        reading_pattern(recipe, "Nothing here")
