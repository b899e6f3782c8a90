"""Finished run folders made by hand: as a replay leaves them, and as somebody leaves them who rewrote them whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from caia_replay.agents.resolve import resolve_agent
from caia_replay.analysis.finished_run import open_run
from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Price, Usage
from caia_replay.core.tool import Served, ToolReply
from caia_replay.core.trajectory import ModelTurn, ToolStep, Trajectory
from caia_replay.runner.certificate import header_of, record_of
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.runner.replay import write_cell, write_run
from caia_replay.store.ledger import read_price
from caia_replay.store.run_folder import write_json
from caia_replay.store.world_folder import WorldFolder, open_world
from caia_replay.world.world import NO_OVERLAY
from tests import trajectories

Run = tuple[str, int, str | None]
"""Task, attempt, submitted answer."""

_CALL = ToolCall("c", "time_conversion", "{}")
STEPS = (
    ModelTurn(1, Message("assistant", "", (_CALL,)), Usage(30, 10), "tool_calls"),
    ToolStep(1, "c", _CALL.name, _CALL.arguments, ToolReply(Served.COMPUTED, {"is": 1})),
    ModelTurn(2, Message("assistant", "so"), Usage(40, 20), "stop"),
)
"""What every run did: two turns and a call, a hundred tokens."""


def finished_run(
    out: Path,
    world: Path,
    runs: Iterable[Run],
    *,
    arm: str = "clean",
    condition: str = "tools",
    model: str = "some-model",
    agent: str = "react",
    broken: Iterable[tuple[str, int]] = (),
) -> Path:
    """A run folder of one cell at ``out``. ``broken`` attempts ended in a model fault, which is not scored; so did
    those that nobody names."""
    folder, said = open_world(str(world)), {(task, attempt): answer for task, attempt, answer in runs}
    known = [*said, *broken]
    tasks, attempts = dict.fromkeys(task for task, _ in known), max(attempt for _, attempt in known)
    plan = make_plan(
        folder, tasks=list(tasks), arms=(arm,), conditions=(condition,), model=model, agent=agent, runs=attempts
    )
    (cell,), records = plan.cells, []
    for name, _, attempt in plan.episodes():
        is_there = (name, attempt) in said
        stop: Any = "answered" if is_there else "model_fault"
        lived = Trajectory((), STEPS, stop, said.get((name, attempt)))
        records.append(record_of(folder.task(name), cell, attempt, lived, NO_OVERLAY, 0))
    stated = {"name": "some-model" if model.startswith("recorded/") else model, "parameters": {}, "price": None}
    header = header_of(plan, folder, NO_OVERLAY, resolve_agent(plan.agent), cell, stated, records)
    write_json(out / "run.json", {"plan": plan.plain()})
    _write(out, plan, folder, None, {cell.folder: header}, {cell.folder: records})
    return out


def rewritten(
    run: Path, change: Callable[[dict[str, Any]], object] = id, *, header: Mapping[str, Any] = {}, **plan: Any
) -> Path:
    """A run folder made anew, whole, after ``change`` of every record, of the ``header`` and of its plan: what somebody
    does who knows all of our code."""
    found = open_run(run, Path())
    assert found.world is not None
    headers, records = {}, {}
    for cell in found.cells:
        made = ("version", "rows", "chain", "digest", "uncertified", "whole")
        kept = {name: value for name, value in cell.certificate.items() if name not in made}
        told = {name: value for name, value in plan.items() if name in kept and name != "model"}
        if "model" in plan and not plan["model"].startswith("recorded/"):
            told["model"] = {**kept["model"], "name": plan["model"]}
        headers[cell.folder], files = {**kept, **told, **header}, []
        for row in cell.rows:
            record = trajectories.record(run / cell.folder, row["task"], row["attempt"])
            change(record)
            files.append(record)
        records[cell.folder] = files
    plan |= header.get("limits", {})
    price = read_price(header["model"]["price"], run) if "model" in header else found.price
    _write(run, replace(found.plan, **plan), found.world, price, headers, records)
    return run


def hostile_run(out: Path, world: Path) -> Path:
    """A run folder in ``out`` that agrees with itself, of a model that writes what breaks readers: markup, formulas,
    halves of surrogate pairs, arguments that are no JSON or nest very deep; its name is no better."""
    runs: list[Run] = [("mini6-supply", 1, "=1\ud800\n|<script>"), ("mini6-supply", 2, None)]
    made = finished_run(out / "a|b <x>\nc", world, runs, broken=[("mini6-supply", 3)])

    def change(record: dict[str, Any]) -> None:
        for step in record["steps"]:
            if step["kind"] == "tool":
                step["arguments"] = "[1,NaN" + "[" * 5000
            else:
                step["content"] = "<script>alert(1)</script>\ud800\0"
                for call in step["tool_calls"]:
                    call["arguments"] = '{"a":' + "[" * 450 + "]" * 450 + "}"

    return rewritten(made, change)


def edited(path: Path, **facts: Any) -> None:
    """Change some members of a JSON file, and nothing else."""
    path.write_text(json.dumps(json.loads(path.read_text()) | facts))


def _write(
    run: Path,
    plan: RunPlan,
    folder: WorldFolder,
    price: Price | None,
    headers: Mapping[str, Mapping[str, Any]],
    records: Mapping[str, list[dict[str, Any]]],
) -> None:
    summaries = []
    for cell in plan.cells:
        (run / cell.folder).mkdir(parents=True, exist_ok=True)
        summaries.append(write_cell(run, plan, cell, headers[cell.folder], records[cell.folder], folder, price))
    write_run(run, plan, folder, summaries)
