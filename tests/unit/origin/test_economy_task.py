"""The economy's six tasks: answers from the ledger, heights of their own, recipes that read them."""

from __future__ import annotations

import re

from caia_replay.origin.economy_task import RECIPES, economy_tasks
from caia_replay.origin.scene import Scene


def test_six_tasks_stand_at_six_moments_and_recipes_read_them(scene: Scene) -> None:
    """Each has its own height, an answer that is a number, a stake with its reason, and a question its recipe reads."""
    tasks = economy_tasks(scene)
    assert len({task.id for task in tasks}) == len({task.anchor.timestamp for task in tasks}) == 6
    for task in tasks:
        assert re.fullmatch(r"\d+(\.\d+)?", task.answer.values[0]) and float(task.answer.values[0]) > 0
        assert not re.search(rf"\b{re.escape(task.answer.values[0])}\b", task.question)
        found = re.search(RECIPES[task.shape].question, task.question)
        assert found is not None, task.question
        assert str(task.anchor.block) in task.question and float(task.stake_usd) > 0 and task.stake_reason
        for stage in (scene.main, scene.rollup):
            if scene.networks[stage.name].id == task.anchor.chain:
                assert task.anchor.timestamp == stage.calendar.times[task.anchor.block]
