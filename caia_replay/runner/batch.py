"""A plan played in this process, run by run, into a journal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from caia_replay.runner.episode import EpisodeContext
from caia_replay.runner.plan_model import taped
from caia_replay.store.run_folder import Journal

Progress = Callable[[int], None]
"""Called with how many more runs are finished."""


def play(stage: EpisodeContext, journal: Journal, progress: Progress) -> None:
    """Play every run of the stage's plan that the journal lacks; each is kept as it ends."""
    plan, folder = stage.plan, stage.world.folder
    stage = replace(stage, model=taped(stage.model, plan, journal))
    tasks = {task_id: folder.task(task_id) for task_id in plan.tasks}
    for task_id, cell, attempt in plan.episodes():
        if not journal.has(cell.folder, task_id, attempt):
            journal.save(stage.run(tasks[task_id], cell, attempt), cell.folder)
        progress(1)
