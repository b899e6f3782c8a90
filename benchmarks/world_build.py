"""Building the synthetic chains: time by size, and what a thousand transactions weigh on disk.

Each size stands beside a quarter's time for as many transactions: the work is linear, so ratios stay near one.
Only measured when its group is named: full size takes minutes.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.row import Row
from caia_worldgen.build import build_chains
from caia_worldgen.calendar import SCALES, Scale

SIZES = (SCALES["quarter"], SCALES["half"], SCALES["full"])
_SEED = 1


def rows(sizes: Sequence[Scale] = SIZES) -> Iterator[Row]:
    """Seconds per size against the smallest's seconds per transaction, and kilobytes per thousand transactions."""
    first_s = first_kb = 0.0
    for scale in sizes:
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            chains = build_chains(Path(folder), _SEED, scale)
            spent_s = time.perf_counter() - began
        sent = sum(chain.transactions for chain in chains)
        weight_kb = sum(chain.size_bytes for chain in chains) / sent
        first_s, first_kb = first_s or spent_s / sent, first_kb or weight_kb
        yield Row(f"building {scale.name}, {sent} transactions", spent_s, "s", first_s * sent)
        yield Row(f"snapshots of {scale.name}, per thousand transactions", weight_kb, "kB", first_kb)
