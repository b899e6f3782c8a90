"""The origin's own chain, on a real node."""

from __future__ import annotations

import pytest

from caia_replay.errors import ForkFault
from caia_replay.origin.artifact import load_artifact
from caia_replay.origin.chain import Genesis, OriginChain, funded, wallet

ALICE, BOB = wallet("test/alice"), wallet("test/bob")
GENESIS = Genesis(7003, "cancun", 1_700_000_000, 12_000_000, funded([ALICE, BOB], 10**20))


def test_block_zero_is_what_was_stated() -> None:
    """Chain id, time, balances and an unknown account's zero are the genesis file's."""
    with OriginChain(GENESIS) as chain:
        assert int(chain.ask("eth_chainId"), 16) == 7003
        assert int(chain.ask("eth_getBlockByNumber", "0x0", False)["timestamp"], 16) == 1_700_000_000
        assert int(chain.ask("eth_getBalance", ALICE.address, "latest"), 16) == 10**20


def test_equal_transactions_give_equal_blocks() -> None:
    """Two nodes fed the same end in the same block hash."""
    heads = []
    for _ in range(2):
        with OriginChain(GENESIS) as chain:
            for number in range(1, 4):
                chain.send(ALICE, BOB.address, value_wei=number)
                chain.send(BOB, ALICE.address, value_wei=1, tip_wei=2 * 10**9)
                chain.mine(GENESIS.time + 1000 * number)
            heads.append(chain.ask("eth_getBlockByNumber", "latest", False)["hash"])
    assert heads[0] == heads[1]


def test_transactions_keep_their_order_whatever_they_pay() -> None:
    """A later transaction with a higher tip stays later."""
    with OriginChain(GENESIS) as chain:
        cheap = chain.send(ALICE, BOB.address, value_wei=1, tip_wei=1)
        dear = chain.send(BOB, ALICE.address, value_wei=1, tip_wei=10**10)
        receipts = chain.mine(GENESIS.time + 10)
        assert [receipt["transactionHash"] for receipt in receipts] == [cheap.hash, dear.hash]


def test_an_ending_that_was_not_meant_is_a_fault() -> None:
    """A transaction that fails unannounced, or succeeds against its announcement, stops the build."""
    token = load_artifact("ProjectToken")
    with OriginChain(GENESIS) as chain:
        chain.send(ALICE, None, token.creation(("Name", "TICK", 5, ALICE.address)), gas=1_500_000)
        address = chain.mine(GENESIS.time + 10)[0]["contractAddress"]
        too_much = token.call("transfer", (ALICE.address, 1))
        chain.send(BOB, address, too_much, succeeds=False)
        chain.mine(GENESIS.time + 20)
        chain.send(BOB, address, too_much)
        with pytest.raises(ForkFault, match="did not end as the scenario meant"):
            chain.mine(GENESIS.time + 30)


def test_a_block_in_the_past_is_refused() -> None:
    """Time only goes forward."""
    with OriginChain(GENESIS) as chain, pytest.raises(ForkFault):
        chain.mine(GENESIS.time - 5)


def test_wallets_follow_their_seed_text() -> None:
    """The same text is the same account, another text another one."""
    assert wallet("a").address == wallet("a").address != wallet("b").address
