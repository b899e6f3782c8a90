"""A plan played in this process, run by run, into a journal."""

from __future__ import annotations

from collections.abc import Callable

from caia_replay.agents.resolve import resolve_agent
from caia_replay.runner.campaign import overlays_for
from caia_replay.runner.episode import Stage
from caia_replay.runner.plan import RunPlan
from caia_replay.runner.plan_model import model_of, taped
from caia_replay.store.run_folder import Journal
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld

Progress = Callable[[int], None]
"""Called with how many more runs are finished."""


def play(plan: RunPlan, journal: Journal, progress: Progress) -> None:
    """Play every run of the plan that the journal lacks; each is kept as it ends."""
    folder = open_world(plan.world)
    agent = resolve_agent(plan.agent)
    model = taped(model_of(plan), plan, journal)
    try:
        with FrozenWorld(folder) as world:
            overlays = overlays_for(world, plan.arms, plan.campaign, plan.dose)
            stage = Stage(plan, world, model, agent, overlays, plan.budget(model.price))
            tasks = {task_id: folder.task(task_id) for task_id in plan.tasks}
            for task_id, cell, attempt in plan.episodes():
                if not journal.has(cell.folder, task_id, attempt):
                    journal.save(stage.run(tasks[task_id], cell, attempt), cell.folder)
                progress(1)
    finally:
        model.close()
