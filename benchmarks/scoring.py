"""Scoring and aggregation of a hundred thousand runs, beside reading the same rows and comparing texts.

The runs are a table of submitted answers as a run folder holds it: 178 tasks of seven kinds, answered the way models
write. No two answers of a task are the same text, so that nothing is judged only once. The floor is the least that
any scorer does: read that table, compare each answer with the expected text, and count the equal ones by task.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from benchmarks.row import Row, median
from caia_replay.core.task import AnswerKind, AnswerSpec
from caia_replay.errors import CheckFailed
from caia_replay.scoring.interval import over_attempts, over_projects
from caia_replay.scoring.metrics import (
    ScoredRun,
    accuracy_bounds,
    by_category,
    majority,
    pass_at_1,
    pass_at_k,
    pass_hat_k,
)
from caia_replay.scoring.sensitivity import Submission, outcomes
from caia_replay.scoring.verifiers import verify
from caia_replay.store.results import RESULTS, read_table, write_table

RUNS: Final = 100_000
_TASKS: Final = 178
_ROUNDS: Final = 3
_RESCORED: Final = 50
"""Every rule judges each run again: a fiftieth of the runs is enough to tell what that costs."""
_FLOOR_LIMIT: Final = 80.0
"""Twice what was measured when it was set: a verifier that became slow breaks it, a busy machine does not."""
_GROWTH_LIMIT: Final = 1.2
_CATEGORIES: Final = ("on-chain analysis", "tokenomics", "trend analysis")
_KINDS: Final[tuple[tuple[AnswerKind, str, str, str], ...]] = (
    # kind, the value, a right answer, a wrong one; {n} and {m} make the text the run's own and say nothing
    ("number", "1234567.89", "About 1.2346 million USD [{n}]", "**1,334,567.89** USD [{n}]"),
    ("address", "0x" + "5a" * 20, "The deployer is 0x" + "5A" * 20 + " [{n}].", "0x" + "a5" * 20 + " [{n}]"),
    ("hash", "0x" + "c3" * 32, "0x" + "C3" * 32 + " [{n}]", "0x" + "3c" * 32 + ", position {n}"),
    ("date", "2024-06-04", "It was on June 4, 2024 [{n}].", "4 July 2024 [{n}]"),
    ("text", "Lantern Finance", "The project is **Lantern Finance**{m}", "A fork of Lantern Finance{m}"),
    ("text_set", "Arda|Bresk|Corvo", "Corvo, Arda and Bresk{m}", "Corvo, Arda, Bresk and Note{n}"),
    ("boolean", "yes", "Yes{m}", "No{m}"),
)


def rows(runs: int = RUNS, rounds: int = _ROUNDS) -> Iterator[Row]:
    """Scoring beside its floor, its growth from a tenth as many runs, its parts, and re-scoring under every rule.

    Microseconds per run, medians. Raises ``CheckFailed`` when a right answer is not scored right or a wrong one is.
    """
    specs = {f"task-{number}": _spec(number) for number in range(_TASKS)}
    with tempfile.TemporaryDirectory() as folder:
        many, few = Path(folder, "many.parquet"), Path(folder, "few.parquet")
        write_table(many, [_row(number) for number in range(runs)], RESULTS)
        write_table(few, [_row(number) for number in range(runs // 10)], RESULTS)
        scored = _scored(many, specs)
        _check(scored)
        submissions = [
            Submission(row["task"], row["attempt"], specs[row["task"]], row["answer"], score)
            for row in read_table(few)[: runs // _RESCORED]
            for score in (verify(specs[row["task"]], row["answer"]),)
        ]
        spent = _spent(
            {
                "whole": lambda: _aggregated(_scored(many, specs)),
                "floor": lambda: _compared(many, specs),
                "tenth": lambda: _aggregated(_scored(few, specs)),
                "metrics": lambda: _aggregated(scored),
                "rules": lambda: outcomes(submissions),
                "once": lambda: [verify(each.spec, each.answer) for each in submissions],
            },
            rounds,
        )
    counts = {"tenth": runs // 10, "rules": len(submissions), "once": len(submissions)}
    per = {name: seconds / counts.get(name, runs) * 1e6 for name, seconds in spent.items()}
    count = f"{runs:,} runs"
    yield Row(
        f"scoring and metrics of {count}; floor reads and compares texts",
        per["whole"],
        "us/run",
        per["floor"],
        _FLOOR_LIMIT,
    )
    name = f"the same; floor is a tenth as many runs, {runs // 10:,}"
    yield Row(name, per["whole"], "us/run", per["tenth"], _GROWTH_LIMIT)
    yield Row(
        f"metrics of {count} alone, intervals among them; floor is all of it",
        per["metrics"],
        "us/run",
        per["whole"],
    )
    name = f"{len(submissions):,} runs under every rule of rescore; floor judges once"
    yield Row(name, per["rules"], "us/run", per["once"])


def _spec(task: int) -> AnswerSpec:
    kind, value, _, _ = _KINDS[task % len(_KINDS)]
    values = tuple(value.split("|")) if kind == "text_set" else (value,)
    number = kind == "number"
    return AnswerSpec(kind, values, "USD" if number else None, "1" if number else "0")


def _row(number: int) -> dict[str, Any]:
    """The results row of one run: every second run of a task is right, as ``_check`` expects."""
    task, attempt = number % _TASKS, number // _TASKS
    _, value, right, wrong = _KINDS[task % len(_KINDS)]
    row: dict[str, Any] = dict.fromkeys(RESULTS.names)
    row |= {"task": f"task-{task}", "category": _CATEGORIES[task % len(_CATEGORIES)], "attempt": attempt + 1}
    row |= {"stop": "answered", "expected": value, "served_miss": 0}
    marks = f" {attempt:b}".translate({ord("0"): " ", ord("1"): "!"})
    return row | {"answer": (wrong if attempt % 2 else right).format(n=attempt, m=marks)}


def _scored(path: Path, specs: Mapping[str, AnswerSpec]) -> list[ScoredRun]:
    scored = []
    for row in read_table(path):
        score = verify(specs[row["task"]], row["answer"])
        name, category, attempt, misses = row["task"], row["category"], row["attempt"], row["served_miss"]
        scored.append(ScoredRun(name, category, attempt, score.correct, score.reading, row["stop"], misses))
    return scored


def _aggregated(runs: list[ScoredRun]) -> tuple[object, ...]:
    figures = (pass_at_1, pass_at_k, pass_hat_k, majority, by_category, accuracy_bounds)
    return (*(figure(runs) for figure in figures), over_projects(runs), over_attempts(runs, deterministic=False))


def _compared(path: Path, specs: Mapping[str, AnswerSpec]) -> Counter[str]:
    return Counter(row["task"] for row in read_table(path) if row["answer"] == specs[row["task"]].values[0])


def _check(runs: list[ScoredRun]) -> None:
    for run in runs:
        if run.correct is not (run.attempt % 2 == 1):
            raise CheckFailed(f"{run.task}, attempt {run.attempt}: scored {run.correct}, read {run.reading!r}")


def _spent(subjects: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median seconds of each subject, in turns, so that all meet the same machine; the whole once, in the middle."""
    spent: dict[str, list[float]] = {name: [] for name in subjects}
    for at in range(rounds):
        for name, subject in subjects.items():
            if name == "whole" and at != rounds // 2:
                continue
            began = time.perf_counter()
            subject()
            spent[name].append(time.perf_counter() - began)
    return {name: median(samples) for name, samples in spent.items()}
