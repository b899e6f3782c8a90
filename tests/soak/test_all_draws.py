"""All draws of laws that make check samples, and the benchmarks' own tests: each in a pytest of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]


@pytest.mark.soak
@pytest.mark.parametrize(("place", "draws"), [
    pytest.param("tests/unit/runner/test_replay.py", {"WORLD_EDITS": "100"}, id="world"),
    pytest.param("tests/replay/test_wallet_law.py", {"WALLET_RUNS": "112"}, id="wallet"),
    pytest.param("tests/data/test_synthetic_execution.py", {"EXECUTION_EVERY": "1"}, id="execution"),
    pytest.param("tests/unit/bench", {}, id="bench"),
])  # fmt: skip
def test_the_laws_hold_over_all_draws(place: str, draws: Mapping[str, str]) -> None:
    """The suite's samples with more draws."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", place]
    run = subprocess.run(command, cwd=PROJECT, env={**os.environ, **draws}, capture_output=True, text=True)
    print(run.stdout[-300:])
    assert run.returncode == 0, run.stdout[-3000:]
