"""What a finished world must satisfy whatever it tells of: its tasks are solved by its tools, and lint finds nothing.

Each check raises ``CheckFailed``.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from caia_replay.core.task import Task
from caia_replay.core.world import Overlay
from caia_replay.errors import CheckFailed
from caia_replay.recording.lint import lint
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import run_gold
from caia_replay.world.world import NO_OVERLAY, FrozenWorld


def check_gold(world: FrozenWorld, tasks: Iterable[Task], overlay: Overlay = NO_OVERLAY) -> None:
    """Each gold chain, run through the tools, ends in the ledger's answer, letter by letter; the fault names the task
    and both sides."""
    for task in tasks:
        with WorldToolset(world.task(task, overlay)) as tools:
            run = run_gold(task.gold, tools)
        if run.answer != task.answer.values[0]:
            told = run.answer if run.answer is not None else run.fault
            raise CheckFailed(f"task {task.id}: the ledger says {task.answer.values[0]!r}, the tools {told!r}")


def check_lint(folders: Iterable[Path]) -> None:
    """No world folder and no snapshot has a finding; the fault counts them and names the first."""
    findings = [f"{found.where}: {found.what}" for folder in folders for found in lint(folder)]
    if findings:
        raise CheckFailed(f"{len(findings)} findings, the first: {findings[0]}")
