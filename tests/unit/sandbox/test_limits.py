"""What a call may use, and what it gave."""

from __future__ import annotations

from caia_replay.sandbox.limits import LIMITS, Execution


def test_a_call_has_bounds_and_goes_on_unless_it_says_so() -> None:
    """Every limit is positive, and an execution that was not stopped says nothing."""
    assert min(LIMITS.fuel, LIMITS.memory_bytes, LIMITS.stdout_bytes, LIMITS.stderr_bytes, LIMITS.code_bytes) > 0
    assert Execution("", "", 0, 0, 1).stopped == ""
