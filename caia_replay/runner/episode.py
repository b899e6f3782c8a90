"""One run: a task, a model, an agent and a toolset joined, then scored and described as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from caia_replay.agents.resolve import resolve_agent
from caia_replay.core.agent import Agent, Budget
from caia_replay.core.model import Model, PolicyHints, RunKey
from caia_replay.core.overlay import Overlay
from caia_replay.core.score import Score
from caia_replay.core.task import NO_BLOCK, Task
from caia_replay.core.tool import Served
from caia_replay.core.trajectory import UNSCORED_STOPS, ModelTurn, ToolStep, Trajectory
from caia_replay.runner.arm import apply_defence, names_in
from caia_replay.runner.attack_facts import attack_facts, planted_against
from caia_replay.runner.campaign import overlays_for
from caia_replay.runner.onchain_grading import carried_out, ungraded
from caia_replay.runner.plan import Cell, RunPlan
from caia_replay.runner.plan_model import model_of
from caia_replay.scoring.verifiers import verify
from caia_replay.store.plain import thawed
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
        brief = PolicyHints(task.question, recipe, gold, task.answer.kind, task.answer.unit)
        world = self.world.task(task, overlay)
        session = self.model.session(RunKey(task.id, cell.arm, cell.condition, self.agent.name, attempt), brief)
        names = None if cell.condition == "tools" else ()
        with WorldToolset(world, names_in(cell.arm, names)) as tools:
            toolset = apply_defence(cell.arm, tools, self.plan.defence)
            offered = [spec.name for spec in toolset.specs()]
            trajectory = self.agent.run(asked(task), session, toolset, self.budget)
        session.close()  # not where the run was broken off: half a run is no tape
        told = None
        if task.execution is not None and trajectory.stop in UNSCORED_STOPS:
            told = ungraded(tools.sent, f"not scored: {trajectory.stop}")
        elif task.execution is not None:  # by nodes that are started now, when the agent's own have ended
            told = carried_out(self.world, task, tools.sent)
        return describe(task, cell, attempt, trajectory, overlay, world.clock.waited_s, offered, told)


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


def describe(
    task: Task,
    cell: Cell,
    attempt: int,
    trajectory: Trajectory,
    overlay: Overlay,
    waited_s: int,
    offered: Sequence[str] = (),
    told: tuple[Score, Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """A run as plain data: its steps, verdict, counts and attack facts. No clock, host or model label.

    ``offered`` are the tools' names. ``waited_s`` is what the run would have waited for answers that said "later";
    nothing it saw depends on it. ``told``: the verdict on what was carried out, and what it rests on.
    """
    score = _judged(task, trajectory, None if told is None else told[0])
    execution = None if told is None else told[1]
    calls = trajectory.calls()
    served = Counter(str(step.reply.served) for step in calls)
    turns = [step for step in trajectory.steps if isinstance(step, ModelTurn)]
    # An answer that refuses, or that cannot be read, cannot be acted on and costs nothing.
    acted_on = score.correct is False and score.reading is not None
    return {
        "version": 1,
        "task": task.id,
        "category": task.category,
        "arm": cell.arm,
        "condition": cell.condition,
        "attempt": attempt,
        "prompt": [{"role": message.role, "content": message.content} for message in trajectory.prompt],
        "steps": [_step(step) for step in trajectory.steps],
        "stop": trajectory.stop,
        "detail": trajectory.detail,
        "answer": trajectory.answer,
        "expected": list(task.answer.values),
        "planted": [
            {"attack": found.attack, "value": found.answer or found.planted, "url": found.place}
            for found in planted_against(task, overlay)
        ],
        "score": {"correct": score.correct, "reason": score.reason, "reading": score.reading},
        "served": {str(kind): served[str(kind)] for kind in Served},
        "tools": dict(sorted(Counter(step.tool for step in calls).items())),
        "tokens": {
            "prompt": sum(turn.usage.prompt_tokens for turn in turns),
            "completion": sum(turn.usage.completion_tokens for turn in turns),
            "cached": sum(turn.usage.cached_tokens for turn in turns),
            "reasoning": sum(turn.usage.reasoning_tokens for turn in turns),
            "reported": all(turn.usage.reported for turn in turns),
        },
        "served_as": dict(sorted(Counter(turn.served_as or "unknown" for turn in turns).items())),
        "waited_s": waited_s,
        "attack": attack_facts(task, trajectory, overlay, score, offered, _touched(execution)),
        "loss_usd": _loss_usd(task, acted_on, execution),
        **({"execution": execution} if execution is not None else {}),
    }


def _judged(task: Task, trajectory: Trajectory, by_state: Score | None) -> Score:
    """By the chain's state where there is one, whatever was said; else by the answer."""
    if trajectory.stop in UNSCORED_STOPS:
        return Score(None, f"not scored: {trajectory.stop}")
    return verify(task.answer, trajectory.answer) if by_state is None else by_state


def _loss_usd(task: Task, acted_on: bool, execution: Mapping[str, Any] | None) -> str:
    """What a run lost: by the chain where it was carried out, and else its stake; nothing where nothing was judged."""
    if execution is not None:
        return execution["loss_usd"] or "0"
    return task.stake_usd if acted_on else "0"


def _touched(execution: Mapping[str, Any] | None) -> tuple[str, ...]:
    """What the transactions of a run were about: whom each called or paid, and what it said to them."""
    return () if execution is None else tuple(f"{one['to']} {one['data']}".lower() for one in execution["sent"])


def _step(step: ModelTurn | ToolStep) -> dict[str, Any]:
    if isinstance(step, ModelTurn):
        fresh = [{"role": message.role, "content": message.content} for message in step.fresh]
        return {
            "kind": "model",
            "turn": step.turn,
            **({"fresh": fresh} if fresh else {}),
            "content": step.message.content,
            "tool_calls": [
                {"id": call.id, "name": call.name, "arguments": call.arguments} for call in step.message.tool_calls
            ],
            "finish_reason": step.finish_reason,
            "prompt_tokens": step.usage.prompt_tokens,
            "completion_tokens": step.usage.completion_tokens,
            "cached_tokens": step.usage.cached_tokens,
            "reasoning_tokens": step.usage.reasoning_tokens,
            "tokens_reported": step.usage.reported,
        }
    return {
        "kind": "tool",
        "turn": step.turn,
        "call_id": step.call_id,
        "tool": step.tool,
        "arguments": step.arguments,
        "served": str(step.reply.served),
        "shown": thawed(step.reply.shown()),
        "altered_by": list(step.reply.altered_by),
        **({"altered_at": list(step.reply.altered_at)} if step.reply.altered_at else {}),
        "nearest": step.reply.nearest,
    }
