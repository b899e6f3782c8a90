"""Edited worlds, wallets in wild hands, every way to fail: all draws of the laws that make check samples."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]


@pytest.mark.soak
@pytest.mark.parametrize(("file", "wanted", "count"), [
    ("tests/unit/runner/test_replay.py", "WORLD_EDITS", 100), ("tests/replay/test_wallet_law.py", "WALLET_RUNS", 112),
    ("tests/data/test_synthetic_execution.py", "EXECUTION_EVERY", 1),
], ids=("world", "wallet", "execution"))  # fmt: skip
def test_the_laws_hold_many_times_over(file: str, wanted: str, count: int) -> None:
    """The suite's samples with more draws."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", file]
    run = subprocess.run(command, cwd=PROJECT, env={**os.environ, wanted: str(count)}, capture_output=True, text=True)
    print(run.stdout[-300:])
    assert run.returncode == 0, run.stdout[-3000:]
