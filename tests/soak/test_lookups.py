"""Lookups in ten million storage rows."""

from __future__ import annotations

import pytest

from benchmarks.lookup import measured

ROWS, LOOKUPS, MEMORY_MB = 10_000_000, 20_000, 250
"""All rows decoded are 1,000 MB."""


@pytest.mark.soak
def test_ten_million_rows_are_looked_up_in_bounded_memory() -> None:
    """Every recorded slot has its value, every absent one is zero, and memory stays a part of the table's."""
    found = measured(ROWS, LOOKUPS)
    print(
        f"{ROWS:,} storage rows, {LOOKUPS:,} recorded and {LOOKUPS:,} absent slots: "
        f"recorded p50 {found.present_p50_us:.0f} us, p99 {found.present_p99_us:.0f} us, "
        f"absent p50 {found.absent_p50_us:.0f} us, p99 {found.absent_p99_us:.0f} us, "
        f"memory {found.memory_mb:.0f} MB, opened in {found.open_s:.1f} s"
    )
    assert 0 < found.memory_mb < MEMORY_MB
