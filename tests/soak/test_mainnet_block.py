"""The real block executed again and again through one pool, between reads at both of its heights."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.chain.block_replay import replay_block
from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.snapshot import Snapshot

ROUNDS = 12
SENDER = "0xf89d7b9c864f589bbf53a82105107622b35eaa40"
"""An account that sends four of the block's transactions."""


@pytest.mark.soak
@pytest.mark.real
def test_the_block_is_exact_every_time(real_block: Path) -> None:
    """Every execution gives the header's roots, bloom and gas, and leaves no trace in the reads after it."""
    snapshot = Snapshot.open(real_block.parent.parent / "chain_snapshots" / "mainnet-22244135")
    block, receipts = snapshot.block(22244135, full=True), snapshot.receipts(22244135)
    seen: dict[int, set[str]] = {22244134: set(), 22244135: set()}
    with ForkPool({snapshot.name: snapshot}) as pool:
        for _ in range(ROUNDS):
            with pool.lease(snapshot.name, 22244134, writes=True) as fork:
                done = replay_block(fork, block, block["transactions"], receipts)
            assert done.exact, done.differences
            assert (done.transactions, done.equal_receipts, done.logs) == (125, 125, 176)
            for height in (22244135, 22244134):
                with pool.lease(snapshot.name, height) as fork:
                    seen[height].add(fork.rpc("eth_getBalance", [SENDER, "latest"]))
    assert [len(values) for values in seen.values()] == [1, 1]
    assert seen[22244134] != seen[22244135]
