"""Behaviour of the chain that the fork fixture gives a test."""

from __future__ import annotations

from pathlib import Path

from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.snapshot import Snapshot
from caia_replay.interop.scratch_chain import ScratchChain

MINI = Path(__file__).resolve().parents[3] / "chain_snapshots" / "mini"


def test_web3_reads_the_block_that_was_just_mined() -> None:
    """web3 stands on the same chain as the other calls: a block mined by one is the newest of the other."""
    with ForkPool({"mini": Snapshot.open(MINI)}) as pool, pool.lease("mini", 60, writes=True) as lease:
        chain = ScratchChain(lease)
        assert (chain.web3.eth.block_number, chain.web3.eth.chain_id) == (60, chain.chain_id)
        assert chain.mine() == 61
        assert chain.web3.eth.block_number == 61
