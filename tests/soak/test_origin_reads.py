"""Forks of a captured chain against the living chain, at full length."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

BLOCKS, TRANSACTIONS, READS = 520, 5_200, 20_000


@pytest.mark.soak
def test_twenty_thousand_reads_agree_with_the_living_chain(tmp_path: Path, origin_reads: ModuleType) -> None:
    """No answer differs, and nothing that a transaction touched is a miss."""
    with origin_reads.living_origin(BLOCKS, TRANSACTIONS, seed=20261121) as origin:
        assert origin.record.head >= 500 and len(origin.record.transactions) >= 5_000
        folder = origin_reads.captured(origin, tmp_path / "origin")
        tally = origin_reads.Reader(origin, seed=22244135).sweep(folder, READS)
    print(f"{origin.words()}\n{tally.words()}")
    assert tally.reads == READS and tally.inside >= 0.7 * READS and tally.telling >= READS / 3
    assert tally.faults() == []
