"""Nodes and runners killed at random moments, many times over."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
ROUNDS = 3


@pytest.mark.soak
def test_kills_change_nothing_and_leave_nothing_many_times_over() -> None:
    """The suite's sample, each part several times and the replay with one and two workers."""
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:xdist", "tests/replay/test_killed.py"]
    environment = {**os.environ, "KILLED_ROUNDS": str(ROUNDS)}
    run = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True)
    print(run.stdout[-300:])
    assert run.returncode == 0, run.stdout[-3000:]
