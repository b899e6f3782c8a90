"""Everything the shipped suite offers attacks, asked for once more."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.store.target_file import read_targets
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld
from tests.offer_law import offer_faults

PROJECT = Path(__file__).resolve().parents[2]


@pytest.mark.soak
@pytest.mark.usefixtures("sandbox")
def test_every_lie_leads_where_it_is_said_to() -> None:
    """Each earlier answer, each misreading and each decoy of every task, recomputed and rejected by the verifier."""
    with FrozenWorld(open_world(str(PROJECT / "cassettes" / "synthetic-178"))) as world:
        offers = read_targets(world.folder.path)
        assert len(offers) == len(world.folder.suite.active()) == 178
        faults = [fault for name, offer in offers.items()
                  for fault in offer_faults(world, world.folder.task(name), offer)]  # fmt: skip
    assert faults == []
