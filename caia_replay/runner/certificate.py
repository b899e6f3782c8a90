"""Replay certificates: one digest that is equal exactly when a replay was repeated, and all that it covers.

A certificate is a pure function of suite, world, overlay, agent, prompts, model output and seed: a cell's ``header``
and the ``record`` of each of its runs, with the facts of ``attack_facts`` and what ``grading`` says of an execution
whole. A run's own digest covers its cells' certificates.
Each row's digest is chained on the one before, in suite order, so that rows cannot be moved; the
model's label, the clock, the host and the worker count are not in it. Where a run was ended by the clock
there is none: another machine need not end it there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from caia_replay.canonical import digest
from caia_replay.core.overlay import Overlay
from caia_replay.core.score import Score
from caia_replay.core.task import Task
from caia_replay.core.tool import Served
from caia_replay.core.trajectory import UNCERTIFIED_STOPS, UNSCORED_STOPS, ModelTurn, ToolStep, Trajectory
from caia_replay.runner.attack_facts import attack_facts, planted_against
from caia_replay.runner.plan import Cell, RunPlan
from caia_replay.scoring.verifiers import verify
from caia_replay.store.plain import thawed
from caia_replay.store.world_folder import WorldFolder

CERTIFICATE_VERSION = 1
_NOT_HASHED = ("detail", "served_as")
"""A fault's wording may name a port; its stop reason is hashed. The names that servers gave models are labels."""


def certify(header: Mapping[str, Any], records: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The certificate of one cell; ``records`` in suite order, then by attempt.

    ``digest`` and ``chain`` are None where it cannot be certified; ``uncertified`` then counts the runs that
    prevent it by their stop reason.
    """
    chain = digest(dict(header))
    count = 0
    clocked: Counter[str] = Counter()
    for record in records:
        clocked.update(stop for stop in UNCERTIFIED_STOPS if record.get("stop") == stop)
        chain = digest([chain, {key: value for key, value in record.items() if key not in _NOT_HASHED}])
        count += 1
    if clocked:
        without = {"version": CERTIFICATE_VERSION, **header, "rows": count, "chain": None, "digest": None}
        return {**without, "uncertified": dict(sorted(clocked.items()))}
    body = {"version": CERTIFICATE_VERSION, **header, "rows": count, "chain": chain}
    return {**body, "digest": digest(body)}


def run_digest(certificates: Mapping[str, str | None]) -> str | None:
    """The digest of a whole run, over its cells' certificates by folder in their order; None where one has none."""
    if None in certificates.values():
        return None
    return digest([{"folder": folder, "certificate": one} for folder, one in certificates.items()])


def header_of(plan: RunPlan, folder: WorldFolder, overlay: Overlay, prompts: str, cell: Cell) -> dict[str, Any]:
    """What all runs of a cell share. ``prompts`` is the digest of the agent's own."""
    return {
        "suite": plan.suite,
        "suite_version": folder.suite.version,
        "tasks": list(plan.tasks),
        "world": folder.seal.digest_without_overlays,
        "arm": cell.arm,
        "condition": cell.condition,
        "campaign": overlay.campaign if overlay.digest else None,
        "dose": (plan.dose or None) if overlay.digest else None,
        "overlay": overlay.digest or None,
        "agent": plan.agent,
        "prompts": prompts,
        "runs": plan.runs,
        "seed": plan.seed,
        "limits": plan.limits(),
        **({"defence": plan.defence} if plan.defence else {}),
    }


def record_of(
    task: Task,
    cell: Cell,
    attempt: int,
    trajectory: Trajectory,
    overlay: Overlay,
    waited_s: int,
    offered: Sequence[str] = (),
    graded: tuple[Score, Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """A run as plain data: its steps, verdict, counts and attack facts. No clock, host or model label.

    ``offered`` are the tools' names. ``waited_s`` is what the run would have waited for answers that said "later";
    nothing it saw depends on it. ``graded``: the verdict on what was carried out, and what it rests on.
    """
    score = _judged(task, trajectory, None if graded is None else graded[0])
    execution = None if graded is None else graded[1]
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
    return verify(task.answer, trajectory.answer, task.question) if by_state is None else by_state


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
