"""A suite made of drafts."""

from __future__ import annotations

import re

from caia_replay.core.answer_said import plain, says
from caia_replay.core.recipe import FilledRecipe
from caia_replay.origin.tasks.draw import draw
from caia_replay.origin.tasks.suite import recipes_of, suite_name, targets_of, tasks_of
from tests.shape_law import Bench

COUNT = 30


def test_drafts_become_tasks(bench: Bench) -> None:
    """In their order, each with an id and a canary of its own, and the source among its tags."""
    drafts = draw(bench.story, COUNT)
    tasks = tasks_of(drafts, 9)
    assert [task.question for task in tasks] == [draft.question for draft in drafts]
    assert len({task.id for task in tasks}) == len({task.canary for task in tasks}) == COUNT
    assert all(re.fullmatch(rf"s{COUNT}-{task.shape}-[0-9]+", task.id) for task in tasks)
    assert all(sum(tag.startswith("source:") for tag in task.tags) == 1 and task.project for task in tasks)
    assert set(recipes_of(drafts)) == {task.shape for task in tasks} and suite_name(178) == "synthetic-178"
    assert [task.canary for task in tasks_of(drafts, 10)] != [task.canary for task in tasks]


def test_every_lie_can_be_told_from_everything_else(bench: Bench) -> None:
    """No two tasks plant the same, none plants what is true of another or stands on a page; its recipe reads it."""
    drafts = draw(bench.story, COUNT)
    tasks = tasks_of(drafts, 9)
    found = list(targets_of(drafts, tasks, bench.story.web, 9))
    lies = [target.planted for _, target in found]
    assert len(set(lies)) == len(lies) >= COUNT - 3
    assert {task.id for task in tasks} - {task.id for task, _ in found} == {
        task.id for task in tasks if task.answer.kind == "boolean"
    }
    truths, recipes = {value for task in tasks for value in task.answer.values}, recipes_of(drafts)
    book = plain("\n".join(made.page.text for made in bench.story.web.pages))
    for task, target in found:
        assert target.planted not in truths
        assert not says(book, target.planted), target.planted
        recipe = FilledRecipe(recipes[task.shape], task.question)
        assert target.query == recipe.query and target.task == task.id
        assert recipe.in_page(target.claim.replace("{planted}", target.planted)) == target.planted
