"""Replay certificates: one digest that is equal exactly when a replay was repeated, and all that it covers.

A certificate is a pure function of suite, world, overlay, agent, prompts, tools, model and its output, seed, and rules:
a cell's ``header`` and the ``record`` of each of its runs, with the facts of ``attack_facts`` and what ``grading`` says
of an execution whole. A run's own digest covers its cells' certificates.
Each row's digest is chained on the one before, in suite order, so that rows cannot be moved; the name of a tape, the
clock, the host and the worker count are not in it. Where a run was ended by the clock there is none: another machine
need not end it there.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from caia_replay.canonical import digest, digest_bytes
from caia_replay.core.agent import Agent
from caia_replay.core.model import Model
from caia_replay.core.overlay import Overlay
from caia_replay.core.score import RULES, Score
from caia_replay.core.task import Task
from caia_replay.core.tool import Served, ToolSpec
from caia_replay.core.trajectory import UNCERTIFIED_STOPS, UNSCORED_STOPS, ModelTurn, ToolStep, Trajectory
from caia_replay.models.wire import tool_to_wire
from caia_replay.runner.attack_facts import attack_facts, planted_against
from caia_replay.runner.plan import Cell, RunPlan
from caia_replay.scoring.confidence import stated_confidence
from caia_replay.scoring.verifiers import verify
from caia_replay.store.plain import thawed
from caia_replay.store.world_folder import WorldFolder
from caia_replay.tools.catalog import CATALOG, WALLET

CERTIFICATE_VERSION = 3
"""2: the header has model, tools and rules, and a record its ``specs``. 3: a miss is shown as ``UNAVAILABLE``, and
``missed`` says beside it what is not recorded."""
UNHASHED = ("detail", "served_as")
"""A fault's wording may name a port; its stop reason is hashed. The names that servers gave models are labels."""


class Certifying:
    """A cell's certificate in the making: give it every record, in suite order, then by attempt."""

    def __init__(self, header: Mapping[str, Any], version: int = CERTIFICATE_VERSION) -> None:
        self._top = {"version": version, **header}
        self._chain = self._whole = digest(dict(header))
        self._rows = 0
        self._clocked: Counter[str] = Counter()

    def add(self, record: Mapping[str, Any]) -> None:
        """Take one more run."""
        self._clocked.update(stop for stop in UNCERTIFIED_STOPS if record.get("stop") == stop)
        self._chain = digest([self._chain, {key: value for key, value in record.items() if key not in UNHASHED}])
        self._whole = digest([self._whole, self._chain, [record.get(name) for name in UNHASHED]])
        self._rows += 1

    def certificate(self) -> dict[str, Any]:
        """``digest`` and ``chain`` are None where it cannot be certified; ``uncertified`` then counts the runs that
        prevent it by their stop reason."""
        if self._clocked:
            without = {**self._top, "rows": self._rows, "chain": None, "digest": None}
            return {**without, "uncertified": dict(sorted(self._clocked.items()))}
        body = {**self._top, "rows": self._rows, "chain": self._chain}
        return {**body, "digest": digest(body)}

    def whole(self) -> str:
        """The digest of all that the folder holds of these runs, also of what no certificate may cover: whether it is
        whole, and not whether a replay was repeated."""
        return self._whole


def certify(header: Mapping[str, Any], records: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The certificate of one cell; ``records`` in suite order, then by attempt."""
    made = Certifying(header)
    for record in records:
        made.add(record)
    return made.certificate()


def index_of(plan: RunPlan, certificates: Mapping[Cell, str | None]) -> dict[str, Any]:
    """The content of index.json: the cells in their order, and the digest of the whole run over their certificates;
    None where one has none."""
    cells = [
        {"folder": cell.folder, "arm": cell.arm, "condition": cell.condition, "certificate": one}
        for cell, one in certificates.items()
    ]
    told = [{name: cell[name] for name in ("folder", "certificate")} for cell in cells]
    whole = None if None in certificates.values() else digest(told)
    return {"suite": plan.suite, "model": plan.model, "agent": plan.agent, "cells": cells, "digest": whole}


def header_of(
    plan: RunPlan,
    folder: WorldFolder,
    overlay: Overlay,
    agent: Agent,
    cell: Cell,
    model: Mapping[str, Any],
    records: Iterable[Mapping[str, Any]],
) -> dict[str, Any]:
    """What all runs of a cell share. Of the ``agent`` its digest and version are told, ``model`` is as
    ``certified_model`` tells it; of the ``records`` is read what tools they were told of."""
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
        "prompts": agent.prompt_digest,
        **({"agent_version": agent.version} if agent.version else {}),
        "model": dict(model),
        "tools": digest(list(dict.fromkeys(record["specs"] for record in records))),
        "rules": RULES,
        "runs": plan.runs,
        "seed": plan.seed,
        "limits": plan.limits(),
        **({"defence": plan.defence} if plan.defence else {}),
        **({"toolset": list(plan.tools)} if plan.tools else {}),
        **({"confidence": True} if plan.confidence else {}),
    }


def certified_model(model: Model) -> dict[str, Any]:
    """What a certificate covers of a model: name, parameters, and the price that costs and limits are counted by."""
    return {**model.identity, "price": None if model.price is None else asdict(model.price)}


def specs_digest(specs: Iterable[ToolSpec]) -> str:
    """The digest of the tools as a model is told of them: names, descriptions and schemas, in their order."""
    return _digest_of(_Offer(specs))


class _Offer:
    """Tools, the very same ones or others: nearly all runs are offered the same, and their digest takes 2 ms."""

    def __init__(self, specs: Iterable[ToolSpec]) -> None:
        self.specs = tuple(specs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Offer) and list(map(id, self.specs)) == list(map(id, other.specs))

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.specs)))


@lru_cache(64)
def _digest_of(offer: _Offer) -> str:
    told = [tool_to_wire(spec) for spec in offer.specs]
    return digest_bytes(json.dumps(told, separators=(",", ":")).encode())


def record_of(
    task: Task,
    cell: Cell,
    attempt: int,
    trajectory: Trajectory,
    overlay: Overlay,
    waited_s: int,
    offered: Sequence[ToolSpec] = (),
    graded: tuple[Score, Mapping[str, Any]] | None = None,
    confidence: bool = False,
) -> dict[str, Any]:
    """A run as plain data: its steps, verdict, counts and attack facts. No clock, host or model label.

    ``offered`` are the tools that the model was told of; those that the suite brought are named with their authority.
    ``waited_s`` is what the run would have waited for answers that said "later"; nothing it saw depends on it.
    ``graded``: the verdict on what was carried out, and what it rests on. ``confidence``: the agent was asked how sure
    it is, and what its last message stated is kept, None for nothing.
    """
    stop, answer = trajectory.stop, trajectory.answer
    score = graded[0] if graded is not None and stop not in UNSCORED_STOPS else judged(task, stop, answer)
    execution = None if graded is None else graded[1]
    own_tools = {spec.name: spec.authority for spec in offered if spec.name not in CATALOG and spec.name not in WALLET}
    calls = trajectory.calls()
    served = Counter(str(step.reply.served) for step in calls)
    turns = [step for step in trajectory.steps if isinstance(step, ModelTurn)]
    # An answer that refuses, or that cannot be read, cannot be acted on and costs nothing.
    acted_on = score.correct is False and score.reading is not None
    return {
        "version": 2,
        "task": task.id,
        "category": task.category,
        "project": task.project,
        "difficulty": task.difficulty,
        "arm": cell.arm,
        "condition": cell.condition,
        "attempt": attempt,
        "specs": specs_digest(offered),
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
        "attack": attack_facts(
            task, trajectory, overlay, score, [spec.name for spec in offered], _touched(execution), own_tools
        ),
        "loss_usd": _loss_usd(task, acted_on, execution),
        **({"own_tools": own_tools} if own_tools else {}),
        **({"confidence": confidence_in(stop, [turn.message.content for turn in turns])} if confidence else {}),
        **({"execution": execution} if execution is not None else {}),
    }


def confidence_in(stop: str, said: Sequence[str]) -> int | None:
    """How sure a run said it was of its answer, by all it ``said``, in percent; None where it said nothing of it."""
    return stated_confidence(said[-1]) if stop == "answered" and said else None


def judged(task: Task, stop: str, answer: str | None) -> Score:
    """The verdict on a run that was answered and not carried out."""
    return Score(None, f"not scored: {stop}") if stop in UNSCORED_STOPS else verify(task.answer, answer, task.question)


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
        **({"missed": thawed(step.reply.error)} if step.reply.served is Served.MISS else {}),
        "nearest": step.reply.nearest,
    }
