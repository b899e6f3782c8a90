"""What processes hold."""

from __future__ import annotations

import os

from caia_replay.bench.memory import pss_mb


def test_this_process_holds_something_and_one_that_is_gone_nothing() -> None:
    """More than ten megabytes of an interpreter with a test runner; no process has the highest number there is."""
    assert pss_mb([os.getpid()]) > 10 and pss_mb([2**22 + 1]) == 0 and pss_mb([]) == 0
