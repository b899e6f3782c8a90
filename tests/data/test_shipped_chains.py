"""The shipped chains of the synthetic economy: whole, small enough, and forkable wherever one looks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.snapshot import Snapshot
from caia_worldgen.artifact import artifact_names, load_artifact
from caia_worldgen.calendar import DAY_S
from caia_worldgen.economy import MAIN_CHAIN_ID, ROLLUP_CHAIN_ID
from caia_worldgen.rng import Rng

SNAPSHOTS = Path(__file__).resolve().parents[2] / "chain_snapshots"
LARGEST_BYTES = 25_000_000
SEED = 1
HEIGHTS = 12


@pytest.fixture(scope="module")
def chains() -> dict[int, Snapshot]:
    """Every shipped chain but the daily world's, by chain id."""
    found = [Snapshot.open(path) for path in sorted(SNAPSHOTS.iterdir()) if path.name != "mini"]
    return {snapshot.chain_id: snapshot for snapshot in found}


def test_both_chains_are_shipped_and_small(chains: dict[int, Snapshot]) -> None:
    """The main chain and its roll-up of seed 1, under 25 MB together, over at least 120 days."""
    assert sorted(chains) == [MAIN_CHAIN_ID + SEED, ROLLUP_CHAIN_ID + SEED]
    assert sum(path.stat().st_size for path in SNAPSHOTS.rglob("*") if path.is_file()) < LARGEST_BYTES
    for (_, snapshot), blocks in zip(sorted(chains.items()), (2_000, 500), strict=True):
        ((first, last),) = snapshot.heights
        assert first == 0 and last >= blocks and snapshot.provenance == "synthetic"
        begun, ended = (int(snapshot.header(height)["timestamp"], 16) for height in (0, last))
        assert ended - begun > 120 * DAY_S


def test_both_chains_are_complete() -> None:
    """Every table of both is claimed whole, so that what no row names is empty, and no lookup is a miss."""
    for path in sorted(SNAPSHOTS.glob("*/manifest.json")):
        if path.parent.name != "mini":
            claims = json.loads(path.read_bytes())["complete"]
            whole = {claim["table"] for claim in claims if set(claim) == {"table", "from", "to"}}
            assert whole == {"accounts", "blocks", "logs", "receipts", "storage", "transactions"}, path.parent.name


@pytest.mark.check
def test_any_height_forks_and_its_contracts_are_known(chains: dict[int, Snapshot]) -> None:
    """At heights drawn by lot a fork stands offline, knows its block, and every contract's code is an artifact's."""
    known = [load_artifact(name) for name in artifact_names()]
    with ForkPool({str(number): snapshot for number, snapshot in chains.items()}) as pool:
        for number, snapshot in chains.items():
            rng, last = Rng(f"shipped/{number}"), snapshot.heights[0][1]
            for height in (0, last, *(rng.number(1, last - 1) for _ in range(HEIGHTS))):
                with pool.lease(str(number), height) as fork:
                    assert fork.rpc("eth_blockNumber") == hex(height)
                    block = fork.rpc("eth_getBlockByNumber", [hex(height), True])
                    for target in sorted({sent["to"] for sent in block["transactions"] if sent["to"]}):
                        code = bytes.fromhex(fork.rpc("eth_getCode", [target, "latest"])[2:])
                        assert not code or any(one.runtime_matches(code) for one in known), f"{target} at {height}"
