"""The whole economy built anew: what is shipped is what its seed gives."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from caia_worldgen.build import FACTS
from caia_worldgen.calendar import SCALES
from caia_worldgen.chain_check import check_deeds, check_movements
from caia_worldgen.economy import economy, tell
from caia_worldgen.economy_world import build_economy
from caia_worldgen.event import done
from tests.short_economy import PAGES, POSTS, SEED, SHORT, ShortEconomy

PROJECT = Path(__file__).resolve().parents[2]


@pytest.mark.soak
def test_the_shipped_economy_is_seed_one_at_full_size(tmp_path: Path) -> None:
    """Chains, recordings and what is carried out, byte for byte; on the way every witness and every two tools agree."""
    built = build_economy(tmp_path, 1, SCALES["full"])
    assert built.carried_out is not None
    for made in (built.world, built.carried_out, *(chain.snapshot for chain in built.chains)):
        shipped = PROJECT / made.relative_to(tmp_path)
        names = sorted(path.relative_to(shipped) for path in shipped.rglob("*") if path.is_file())
        assert names == sorted(path.relative_to(made) for path in made.rglob("*") if path.is_file())
        assert [name for name in names if (shipped / name).read_bytes() != (made / name).read_bytes()] == []
    assert all(chain.facts == FACTS and chain.movements > 5_000 for chain in built.chains)


@pytest.mark.soak
def test_equal_seeds_give_equal_worlds(short_economy: ShortEconomy, tmp_path: Path) -> None:
    """Built a second time beside the captured chains of the first, every recording has the same bytes."""
    built = short_economy.report
    place = tmp_path / f".economy-{SEED}-{SHORT.name}" / "chain_snapshots"
    place.mkdir(parents=True)
    for chain in built.chains:
        shutil.copytree(chain.snapshot, place / chain.snapshot.name)
    again = build_economy(tmp_path, SEED, SHORT, page_writers=PAGES, post_writers=POSTS)
    for path in sorted(built.world.rglob("*")):
        if path.is_file():
            assert path.read_bytes() == (again.world / path.relative_to(built.world)).read_bytes(), path


@pytest.mark.soak
def test_a_crowded_crash_has_room(tmp_path: Path) -> None:
    """Of seed 18 more loans are called in at once than an ordinary block holds; the story is told to its end."""
    with economy(18, SCALES["full"]) as scene:
        tell(scene)
        crowds = Counter(deed.block for deed in done(scene.main.deeds, "liquidated"))
        assert max(crowds.values()) > 30
        for stage in (scene.main, scene.rollup):
            assert check_movements(stage, stage.ask) and check_deeds(stage, stage.ask)
