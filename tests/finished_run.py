"""A finished run folder written by hand: what a replay leaves that whoever judges answers again reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from caia_replay.core.tool import Served
from caia_replay.scoring import metrics
from caia_replay.scoring.verifiers import verify
from caia_replay.store.results import ATTACK_FACTS, RESULTS, write_table
from caia_replay.store.run_folder import write_json
from caia_replay.store.world_folder import open_world

Run = tuple[str, int, str | None]
"""Task, attempt, submitted answer."""

COUNTED = (*ATTACK_FACTS, "undecided", "attacked_runs", "attacked_tasks")
"""What a summary counts of attacks: nothing, for none of these runs is attacked."""


def finished_run(
    out: Path,
    world: Path,
    runs: Iterable[Run],
    *,
    broken: Iterable[Run] = (),
    arm: str = "clean",
    model: str = "some-model",
) -> Path:
    """A run folder of one cell at ``out``. ``broken`` runs ended in a model fault and so were not scored."""
    folder, faults = open_world(str(world)), list(broken)
    cell = out / f"{arm}-tools"
    cell.mkdir(parents=True)
    rows = [_row(name, attempt, answer, arm) for name, attempt, answer in (*runs, *faults)]
    for row in rows[len(rows) - len(faults) :]:
        row |= {"stop": "model_fault", "correct": None, "reason": "not scored: model_fault"}
    for row in rows:
        if row["stop"] == "answered" and (spec := folder.task(row["task"]).answer).kind != "open":
            score = verify(spec, row["answer"])
            row |= {"correct": score.correct, "reason": score.reason, "reading": score.reading}
    write_table(cell / "results.parquet", rows, RESULTS)
    write_json(cell / "certificate.json", {"world": folder.seal.digest_without_overlays})
    cells = [{"folder": cell.name, "arm": arm, "condition": "tools", "certificate": None}]
    labels = {"suite": folder.info.id, "model": model, "agent": "react"}
    write_json(out / "index.json", {**labels, "cells": cells})
    summarised(cell, rows, {**labels, "arm": arm, "condition": "tools", "digest": None})
    write_json(out / "run.json", {"plan": {"world": str(world)}})
    return out


def summarised(cell: Path, rows: Sequence[Mapping[str, Any]], labels: Mapping[str, Any]) -> None:
    """Write the summary of a cell as far as its rows decide it."""
    runs = [
        metrics.ScoredRun(row["task"], "", row["attempt"], row["correct"], row["reading"], row["stop"], 0)
        for row in rows
    ]
    figures = ("scored", "pass_at_1", "pass_at_k", "pass_hat_k", "majority", "accuracy_bounds")
    zeros: dict[str, Any] = {
        "calls": sum(row["calls"] for row in rows),
        "served": dict.fromkeys(map(str, Served), 0),
        "attack": dict.fromkeys(COUNTED, 0),
    }
    content = {
        **labels,
        **{name: getattr(metrics, name)(runs) for name in figures},
        **{"n_tasks": len({run.task for run in runs}), "stops": Counter(run.stop for run in runs), **zeros},
    }
    write_json(cell / "summary.json", content)


def _row(task: str, attempt: int, answer: str | None, arm: str) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(RESULTS.names)
    row |= {"task": task, "attempt": attempt, "answer": answer, "arm": arm, "condition": "tools"}
    row |= {"calls": 0, "turns": 1, "prompt_tokens": 0, "completion_tokens": 0}
    row |= {**{f"served_{kind.lower()}": 0 for kind in Served}, **dict.fromkeys(ATTACK_FACTS, False)}
    return row | {"stop": "answered", "reason": "not scored: an open answer"}
