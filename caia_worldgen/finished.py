"""What a finished world must satisfy whatever it tells of: its tasks are solved by its tools, and lint finds nothing.

Each check raises ``CheckFailed``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Final

from caia_replay.core.overlay import Overlay
from caia_replay.core.task import AnswerSpec, Task
from caia_replay.errors import CheckFailed
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import run_gold
from caia_replay.validation.lint import lint
from caia_replay.world.world import NO_OVERLAY, FrozenWorld


def canary(story: str, seed: int, what: str) -> str:
    """A string that stands nowhere else: found in a model's output, it means the task was trained on.

    ``story`` is ``mini`` or ``economy``, ``what`` the task's id or ``world``.
    """
    return f"CAIA-REPLAY-CANARY-{hashlib.sha256(f'{story}/{seed}/canary/{what}'.encode()).hexdigest()[:32]}"


_ROUNDED: Final = Fraction(1, 10**6)
_DAY: Final = re.compile(r"([A-Z][a-z]+) ([0-9]{1,2}), ([0-9]{4})")
_MONTHS: Final = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                  "November", "December")  # fmt: skip


def check_gold(world: FrozenWorld, tasks: Iterable[Task], overlay: Overlay = NO_OVERLAY) -> None:
    """Each gold chain, run through the tools, ends in the ledger's answer; the fault counts the tasks where the two
    differ and names the first, with both sides."""
    faults = []
    for task in tasks:
        with WorldToolset(world.task(task, overlay)) as tools:
            run = run_gold(task.gold, tools)
        if run.answer is None or not agree(task.answer, run.answer):
            told = run.answer if run.answer is not None else run.fault
            faults.append(f"task {task.id}: the ledger says {task.answer.values[0]!r}, the tools {told!r}")
    if faults:
        raise CheckFailed(f"{len(faults)} answers differ, the first: {faults[0]}")


def agree(answer: AnswerSpec, told: str) -> bool:
    """Whether two witnesses say the same: numbers to a millionth, as services round theirs, days however they are
    written, rows in any order, lists in theirs, everything else letter by letter."""
    if answer.kind == "table":
        rows, wanted = (
            sorted(one.strip().split(" | ") for one in some) for some in (told.strip().split("\n"), answer.values)
        )
        return len(rows) == len(wanted) and all(
            len(row) == len(other) and all(map(_same, row, other)) for row, other in zip(rows, wanted, strict=True)
        )
    if answer.kind in ("text_list", "text_set"):
        return tuple(told.split("; ")) == answer.values
    if answer.kind == "date" and (day := _DAY.fullmatch(told)) and day[1] in _MONTHS:
        return answer.values[0] == f"{day[3]}-{_MONTHS.index(day[1]) + 1:02}-{int(day[2]):02}"
    return _same(told.strip(), answer.values[0]) if answer.kind == "number" else told == answer.values[0]


def _same(told: str, truth: str) -> bool:
    try:
        one, other = Fraction(told), Fraction(truth)
    except ValueError:
        return told == truth
    return abs(one - other) <= _ROUNDED * abs(other)


def check_lint(folders: Iterable[Path]) -> None:
    """No world folder and no snapshot has a finding; the fault counts them and names the first."""
    findings = [f"{found.where}: {found.what}" for folder in folders for found in lint(folder)]
    if findings:
        raise CheckFailed(f"{len(findings)} findings, the first: {findings[0]}")
