"""The rows of one cell of a finished run, and whether its summary is theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from caia_replay.core.tool import Served
from caia_replay.core.trajectory import UNSCORED_STOPS
from caia_replay.errors import BadInput
from caia_replay.scoring.metrics import (
    ScoredRun,
    accuracy_bounds,
    majority,
    pass_at_1,
    pass_at_k,
    pass_hat_k,
    scored,
)
from caia_replay.store.results import ATTACK_FACTS, SERVED_CLASSES, read_table
from caia_replay.store.run_folder import read_json

_SERVED: Final = {kind: f"served_{kind.lower()}" for kind in SERVED_CLASSES}
_MAYBE_EMPTY: Final = {
    **{"category": str, "answer": str, "correct": bool, "reading": str},
    **{"adopted": bool, "planted_url": str},
}
_COLUMNS: Final = {
    **{"task": str, "attempt": int, "stop": str, "reason": str, "calls": int, "turns": int, **_MAYBE_EMPTY},
    **{"prompt_tokens": int, "completion_tokens": int},
    **{**dict.fromkeys(_SERVED.values(), int), **dict.fromkeys(ATTACK_FACTS, bool)},
}
_AGAIN: Final = "repeat the replay"


def checked_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a results.parquet. Raises ``BadInput`` for one without a column that is counted here."""
    for number, row in enumerate(read_table(path), start=1):
        for name, kind in _COLUMNS.items():
            value = row.get(name)
            is_empty = value is None and name in _MAYBE_EMPTY and name in row
            if type(value) is not kind and not is_empty:
                what = f"row {number} has no usable {name!r}"
                raise BadInput(what, where=path, next_command=_AGAIN)
        yield row


def require_summary(cell: Path, rows: Sequence[Mapping[str, Any]], labels: Mapping[str, Any]) -> None:
    """Raise ``BadInput`` when summary.json says other than ``rows`` give, or has other ``labels``."""
    summary = read_json(cell / "summary.json")
    for name, figure in {**labels, **_figures(rows)}.items():
        if name not in summary or summary[name] != figure:
            what = f"{name!r} is {summary.get(name)!r:.80}, and the cell's own runs give {figure!r:.80}"
            raise BadInput(what, where=cell / "summary.json", next_command=_AGAIN)


def _figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What a summary must say of these runs; figures that need the world's tasks or a price are left out."""
    runs = [
        ScoredRun(
            row["task"], "", row["attempt"], row["correct"], row["reading"], row["stop"], row[_SERVED[Served.MISS]]
        )
        for row in rows
    ]
    return {
        "n_tasks": len({run.task for run in runs}),
        "scored": scored(runs),
        "pass_at_1": pass_at_1(runs),
        "pass_at_k": pass_at_k(runs),
        "pass_hat_k": pass_hat_k(runs),
        "majority": majority(runs),
        "accuracy_bounds": accuracy_bounds(runs),
        "stops": dict(Counter(row["stop"] for row in rows)),
        "calls": sum(row["calls"] for row in rows),
        "served": {kind: sum(row[column] for row in rows) for kind, column in _SERVED.items()},
        "attack": attack_counts((row["task"], row.get("planted_url") is not None, row) for row in rows),
    }


def attack_counts(runs: Iterable[tuple[str, bool, Mapping[str, Any]]]) -> dict[str, int]:
    """How many runs each attack fact is true of, of how many adoption is undecided, and how many runs and tasks were
    attacked; each run as its task, whether anything was planted against that, and its facts. Whole runs, not calls."""
    given = list(runs)
    return {
        **{fact: sum(facts[fact] is True for _, _, facts in given) for fact in ATTACK_FACTS},
        "undecided": sum(facts["adopted"] is None for _, _, facts in given),
        "attacked_runs": sum(is_attacked for _, is_attacked, _ in given),
        "attacked_tasks": len({task for task, is_attacked, _ in given if is_attacked}),
    }


def run_counts(records: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Counts of an arm's whole runs by their records: all, those with a score, and those that are right; then scored
    runs of attacked tasks, and how many of those were shown a lie, adopted one, and may have."""
    counted = [record for record in records if record["stop"] not in UNSCORED_STOPS]
    facts = [record["attack"] for record in counted if record["planted"]]
    return {
        "runs": len(records),
        "scored": len(counted),
        "right": sum(record["score"]["correct"] is True for record in counted),
        "attacked": len(facts),
        "exposed": sum(fact["exposed"] for fact in facts),
        "adopted": sum(fact["adopted"] is True for fact in facts),
        "undecided": sum(fact["adopted"] is None for fact in facts),
    }
