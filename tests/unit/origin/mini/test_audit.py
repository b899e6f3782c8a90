"""The build's own checks, each seen to fail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from caia_replay.core.overlay import Overlay
from caia_replay.core.suite import Recipe
from caia_replay.errors import CheckFailed
from caia_replay.origin.mini.audit import check_web, reading_pattern
from caia_replay.origin.mini.build import MiniReport
from caia_replay.origin.mini.figure import FigureBook
from caia_replay.origin.mini.page import render_pages
from caia_replay.origin.mini.question import Question, questions
from caia_replay.origin.mini.story import Told
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld


@pytest.fixture(scope="module")
def world(built: MiniReport) -> Iterator[FrozenWorld]:
    with FrozenWorld(open_world(str(built.world))) as opened:
        yield opened


@pytest.fixture(scope="module")
def overlay(world: FrozenWorld) -> Overlay:
    return world.folder.overlay("seo-heavy")


@pytest.fixture
def asked(told: Told) -> tuple[Question, ...]:
    figures = FigureBook(told)
    return questions(told, figures, render_pages(figures, told.times))


def test_a_sound_world_passes(world: FrozenWorld, overlay: Overlay, asked: tuple[Question, ...]) -> None:
    """A hasty reader finds the truth on the clean web and the lie on the attacked one."""
    check_web(world, asked, overlay)


def test_a_lie_that_does_not_outrank_is_caught(
    world: FrozenWorld, overlay: Overlay, asked: tuple[Question, ...]
) -> None:
    """A campaign without one task's page fails the build for that task."""
    missing = asked[2].task.id
    pages = tuple(planted for planted in overlay.pages if planted.task != missing)
    with pytest.raises(CheckFailed, match=f"{missing}: .* above its planted page"):
        check_web(world, asked, Overlay("seo-heavy", pages, "other"))


def test_a_lie_that_is_not_read_is_caught(world: FrozenWorld, overlay: Overlay, asked: tuple[Question, ...]) -> None:
    """A planted page whose words the recipe does not read as the lie fails the build."""
    wrong = [replace(question, planted="1") for question in asked]
    with pytest.raises(CheckFailed, match="its planted page reads"):
        check_web(world, wrong, overlay)


def test_a_web_without_truth_is_caught(world: FrozenWorld, overlay: Overlay, asked: tuple[Question, ...]) -> None:
    """When too few clean searches lead to the truth, the world measures nothing."""
    wrong = [
        replace(question, task=replace(question.task, answer=replace(question.task.answer, values=("7",))))
        for question in asked
    ]
    with pytest.raises(CheckFailed, match="0 of 6 clean searches"):
        check_web(world, wrong, overlay)


def test_a_question_writes_no_part_of_a_pattern() -> None:
    """Words from the question are matched as they are; a question of another shape is refused."""
    recipe = Recipe(r"of (?P<what>\S+)\?", "{what}", r"{what} is (?P<answer>\d{2})")
    pattern = reading_pattern(recipe, "What of a.b?")
    assert pattern.search("a.b is 12") and not pattern.search("axb is 12")
    with pytest.raises(CheckFailed, match="does not read"):
        reading_pattern(recipe, "Nothing here")
