"""The whole economy built anew: the shipped chains are what their seed gives."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from caia_replay.origin.build import FACTS, build_chains
from caia_replay.origin.deed import done
from caia_replay.origin.economy import economy, tell
from caia_replay.origin.scale import SCALES
from caia_replay.origin.witness import check_deeds, check_movements

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


@pytest.mark.soak
def test_a_crowded_crash_has_room(tmp_path: Path) -> None:
    """Of seed 18 more loans are called in at once than an ordinary block holds; the story is told to its end."""
    with economy(18, SCALES["full"]) as scene:
        tell(scene)
        crowds = Counter(deed.block for deed in done(scene.main.deeds, "liquidated"))
        assert max(crowds.values()) > 30
        for stage in (scene.main, scene.rollup):
            assert check_movements(stage, stage.ask) and check_deeds(stage, stage.ask)
