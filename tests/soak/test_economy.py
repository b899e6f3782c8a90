"""The whole economy built anew: the shipped chains are what their seed gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.origin.build import FACTS, build_chains
from caia_replay.origin.scale import SCALES

SNAPSHOTS = Path(__file__).resolve().parents[2] / "chain_snapshots"


@pytest.mark.soak
def test_the_shipped_chains_are_seed_one_at_full_size(tmp_path: Path) -> None:
    """Byte for byte; on the way ledger and chain agree on every movement, every day's people and 400 facts each."""
    for chain in build_chains(tmp_path, 1, SCALES["full"]):
        shipped = SNAPSHOTS / chain.snapshot.name
        names = sorted(path.name for path in shipped.iterdir())
        assert names == sorted(path.name for path in chain.snapshot.iterdir())
        assert all((shipped / name).read_bytes() == (chain.snapshot / name).read_bytes() for name in names)
        assert chain.facts == FACTS and chain.movements > 5_000
