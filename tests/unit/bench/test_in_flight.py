"""Memory of runs in flight."""

from __future__ import annotations

import subprocess
import sys

import pytest

from caia_replay.bench import in_flight


def test_runs_are_in_flight_together() -> None:
    """All wait for the model at once before any is measured, then all end; the figure is whole bytes."""
    command = [sys.executable, "-m", "caia_replay.bench.in_flight", "8"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert int(ran.stdout) >= 0


def test_what_a_run_takes_is_held_to_a_smaller_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten times the runs may take ten times the memory and a little more."""
    monkeypatch.setattr(in_flight, "_in_a_process", lambda count: count * 1000)
    whole, each = in_flight.rows()
    assert (whole.name, whole.value, whole.limit) == ("1000 runs in flight, memory", 1.0, None)
    assert (each.value, each.ratio, each.limit) == (1.0, 1.0, 1.2)
