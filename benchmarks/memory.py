"""What processes hold, by the kernel's own count: PSS, in which pages that processes share are divided among them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def pss_mb(pids: Iterable[int]) -> float:
    """Megabytes that processes hold together; one that has ended meanwhile holds nothing."""
    total_kb = 0
    for pid in pids:
        with suppress(OSError):
            rollup = Path("/proc", str(pid), "smaps_rollup").read_text()
            total_kb += next((int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")), 0)
    return total_kb / 1024
