"""One run: a task, a model, an agent and a toolset joined, then scored and described as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from caia_replay.agents.resolve import resolve_agent
from caia_replay.core.agent import Agent, Budget
from caia_replay.core.model import Model, PolicyHints, RunKey
from caia_replay.core.overlay import Overlay
from caia_replay.core.task import NO_BLOCK, Task
from caia_replay.core.trajectory import UNSCORED_STOPS
from caia_replay.runner.arm import apply_defence, names_in
from caia_replay.runner.campaign import overlays_for
from caia_replay.runner.certificate import record_of
from caia_replay.runner.onchain_grading import carried_out, ungraded
from caia_replay.runner.plan import Cell, RunPlan
from caia_replay.runner.plan_model import model_of
from caia_replay.store.world_folder import WorldFolder
from caia_replay.tools.catalog import WorldToolset
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld


@dataclass(frozen=True, slots=True)
class EpisodeContext:
    """What all runs of one process share, each opened, planned or resolved once."""

    plan: RunPlan
    world: FrozenWorld
    model: Model
    agent: Agent
    overlays: Mapping[str, Overlay]
    budget: Budget

    def run(self, task: Task, cell: Cell, attempt: int) -> dict[str, Any]:
        """Play one run to its end and return its record, plain data ready for JSON."""
        overlay = self.overlays[cell.arm]
        recipe = self.world.folder.suite.recipes.get(task.shape)
        gold = task.gold if self.model.needs_gold else None
        hints = PolicyHints(task.question, recipe, gold, task.answer.kind, task.answer.unit)
        world = self.world.task(task, overlay)
        session = self.model.session(RunKey(task.id, cell.arm, cell.condition, self.agent.name, attempt), hints)
        names = None if cell.condition == "tools" else ()
        with WorldToolset(world, names_in(cell.arm, names)) as tools:
            toolset = apply_defence(cell.arm, tools, self.plan.defence)
            offered = [spec.name for spec in toolset.specs()]
            trajectory = self.agent.run(asked(task), session, toolset, self.budget)
        session.close()  # not where the run was broken off: half a run is no tape
        graded = None
        if task.execution is not None and trajectory.stop in UNSCORED_STOPS:
            graded = ungraded(tools.sent, f"not scored: {trajectory.stop}")
        elif task.execution is not None:  # by nodes that are started now, when the agent's own have ended
            graded = carried_out(self.world, task, tools.sent)
        return record_of(task, cell, attempt, trajectory, overlay, world.clock.waited_s, offered, graded)


@contextmanager
def staged(plan: RunPlan, folder: WorldFolder) -> Iterator[EpisodeContext]:
    """What plays a plan in this process, closed with the block.

    Raises ``BadInput`` for an agent, model, key, limit, campaign or dose that cannot be used.
    """
    agent, model = resolve_agent(plan.agent), model_of(plan)
    try:
        budget = plan.budget(model.price)
        with FrozenWorld(folder) as world:
            overlays = overlays_for(world, plan.arms, plan.campaign, plan.dose)
            yield EpisodeContext(plan, world, model, agent, overlays, budget)
    finally:
        model.close()


def stage_for(world: FrozenWorld, plan: RunPlan, overlay: Overlay, arm: str = "attacked") -> EpisodeContext:
    """What plays one arm of a plan under an overlay, in this process; close its model when it is done.

    Raises ``BadInput`` for a model that cannot be used, and for a limit that cannot be kept.
    """
    model = model_of(plan)
    budget = plan.budget(model.price)
    return EpisodeContext(plan, world, model, resolve_agent(plan.agent), {arm: overlay}, budget)


def asked(task: Task) -> str:
    """The question as the agent gets it: unchanged, with the moment it is asked at below it."""
    block = f"block {task.anchor.block}, " if task.anchor.block != NO_BLOCK else ""
    moment = f"chain {task.anchor.chain}, {block}{utc_text(task.anchor.timestamp)}"
    return f"{task.question}\n\n[asked at: {moment}]"
