"""A synthetic world's chain grown again: the same blocks as were recorded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from caia_replay.chain.rpc_connection import RpcConnection
from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import BadInput
from caia_replay.origin.rebuild import synthetic_node
from caia_replay.store.world_folder import open_world


def test_a_world_s_seed_gives_the_chain_it_was_recorded_from(shipped: Path) -> None:
    """Every block hash of the shipped snapshot, on a node of its own that is gone afterwards."""
    folder = open_world(str(shipped))
    snapshot = Snapshot.open(folder.snapshots / "mini")
    with synthetic_node(folder.info) as url:
        rpc = RpcConnection(urlsplit(url).port or 0)
        for number in range(snapshot.heights[-1][1] + 1):
            told = rpc.demand("eth_getBlockByNumber", [hex(number), False])
            assert told["hash"] == snapshot.header(number)["hash"]
        rpc.close()


def test_a_world_without_a_seed_cannot_be_grown_again(shipped: Path) -> None:
    """Nor one of another name; the message says what to give instead."""
    info = open_world(str(shipped)).info
    for other in (replace(info, seed=None), replace(info, id="other")):
        with pytest.raises(BadInput, match="--rpc-url URL"), synthetic_node(other):
            pass


def test_an_economy_has_nothing_left_to_record(shipped: Path) -> None:
    """Its chains are complete at every height, so no node is grown; the message says what can be done instead."""
    info = replace(open_world(str(shipped)).info, id="synthetic-178")
    with pytest.raises(BadInput, match=r"recorded whole.*verify --suite synthetic-178"), synthetic_node(info):
        pass
