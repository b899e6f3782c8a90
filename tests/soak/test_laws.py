"""The laws of the unit tests, on many more examples."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

UNIT = Path(__file__).parents[1] / "unit"
ROOMS = ("core", "store", "cassette", "search")
LAWS = [path for room in ROOMS for path in sorted((UNIT / room).glob("test_*.py")) if "@given(" in path.read_text()]


@pytest.mark.soak
@pytest.mark.parametrize("path", LAWS, ids=lambda path: f"{path.parent.name} {path.stem}")
def test_a_law_holds_over_many_examples(path: Path) -> None:
    """The file passes with fifteen times the examples, from a seed of its own."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", str(path)]
    environment = {**os.environ, "HYPOTHESIS_PROFILE": "soak"}
    run = subprocess.run(command, cwd=UNIT.parents[1], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:]
