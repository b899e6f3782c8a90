"""Runs the soak parts within SOAK_MINUTES (default 25): the sweeps too long for make test.

A part is one file ``tests/soak/test_*.py``; of each, the tests marked ``soak`` are run. The part that
goes first rotates with the number of commits, so that every part is reached over time even where the
minutes never suffice for all. With --sample only the parts named in ``SAMPLE``
run, each of which ends in a minute or two.

A part that was cut by the time limit is "not finished" and one that never started "not reached"; both
are named, neither counts as passed. Exit codes: 0 at least one part passed and none failed, 1 a part
failed or none passed, 2 SOAK_MINUTES is not a positive number.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Container
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ("test_bytes", "test_killed", "test_lookups", "test_mainnet_block", "test_offer")
GRACE_S = 20.0
"""How long an interrupted part may take to stop the processes it started."""


@dataclass(slots=True)
class Outcome:
    """Names of parts by how they ended, each list in the order of the run."""

    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    unreached: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """0 only when something passed and nothing failed."""
        return 0 if self.passed and not self.failed else 1

    def report(self) -> str:
        """The closing lines; parts without a verdict are always named."""
        lines = [f"{len(self.passed)} passed, {len(self.failed)} failed"]
        for title, names in (
            ("failed", self.failed),
            ("not finished", self.unfinished),
            ("not reached", self.unreached),
        ):
            if names:
                lines.append(f"{title}: {', '.join(names)}")
        if not (self.passed or self.failed):
            lines.append("no part ran to its end: this is not a pass")
        return "\n".join(lines)


def rotated(parts: list[Path], turn: int) -> list[Path]:
    """``parts`` beginning with number ``turn`` modulo their count, the rest following in a circle."""
    first = turn % len(parts) if parts else 0
    return parts[first:] + parts[:first]


def commit_count(folder: Path) -> int:
    """How many commits lead to HEAD; 0 without git or without a repository."""
    try:
        counted = subprocess.run(
            ["git", "rev-list", "--count", "HEAD"], cwd=folder, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return 0
    return int(counted.stdout)


def run_part(part: Path, limit_s: float) -> int | None:
    """Run one part in a pytest of its own: its exit code, or None when ``limit_s`` cut it short.

    A cut part is interrupted as by Ctrl-C first, so that its fixtures stop what they started. What it still leaves
    running, such as a test run inside it, is killed.
    """
    command = [sys.executable, "-m", "pytest", "-m", "soak", str(part)]
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    try:
        return process.wait(timeout=limit_s)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=GRACE_S)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def run_parts(folder: Path, limit_s: float, turn: int, only: Container[str] | None = None) -> Outcome:
    """Run the parts in ``folder``, or ``only`` some, one after the other until ``limit_s`` seconds are used up."""
    outcome = Outcome()
    ends = time.monotonic() + limit_s
    parts = [part for part in sorted(folder.glob("test_*.py")) if only is None or part.stem in only]
    for part in rotated(parts, turn):
        left_s = ends - time.monotonic()
        if left_s <= 0:
            outcome.unreached.append(part.stem)
            continue
        print(f"soak: {part.stem}, {left_s:.0f} s left", flush=True)
        code = run_part(part, left_s)
        ending = outcome.unfinished if code is None else outcome.passed if code == 0 else outcome.failed
        ending.append(part.stem)
    return outcome


def main() -> int:
    """Run every part of tests/soak, or the sample, and print how it went."""
    if sys.argv[1:] not in ([], ["--sample"]):
        print(f"{' '.join(sys.argv[1:])}: no such option; next: python scripts/soak.py --sample", file=sys.stderr)
        return 2
    text = os.environ.get("SOAK_MINUTES") or "25"
    try:
        limit_s = float(text) * 60
    except ValueError:
        limit_s = 0.0
    if not 0 < limit_s < float("inf"):
        print(
            f"SOAK_MINUTES={text}: not a positive number of minutes; next: SOAK_MINUTES=25 make soak", file=sys.stderr
        )
        return 2
    outcome = run_parts(ROOT / "tests" / "soak", limit_s, commit_count(ROOT), SAMPLE if sys.argv[1:] else None)
    print(outcome.report(), flush=True)
    return outcome.exit_code


if __name__ == "__main__":
    sys.exit(main())
