"""The wheel in an empty environment, outside any checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.check
def test_the_wheel_replays_by_itself() -> None:
    """Built from checkout and sdist alike; unplugged, without HOME, from a read-only package it plays and reports."""
    root = Path(__file__).parents[2]
    command = [sys.executable, root / "scripts" / "installed.py", "--borrow"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode == 2:
        pytest.skip(f"no namespaces on this machine: {done.stderr}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "proven" in done.stdout and "1 passed" in done.stdout
