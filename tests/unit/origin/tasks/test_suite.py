"""A suite made of drafts."""

from __future__ import annotations

import re

from caia_replay.origin.tasks.draw import draw
from caia_replay.origin.tasks.suite import recipes_of, suite_name, tasks_of
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
