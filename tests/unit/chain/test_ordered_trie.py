"""Roots of lists."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.canonical import strict_json
from caia_replay.chain.anvil import AnvilProcess
from caia_replay.chain.ordered_trie import ordered_root
from caia_replay.chain.raw_transaction import raw_transaction


def test_the_root_of_nothing_is_the_known_one() -> None:
    """The empty trie's root, which empty blocks carry."""
    assert ordered_root([]).hex() == "56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"


@pytest.mark.real
def test_the_root_of_a_real_block_s_transactions(real_data: Path) -> None:
    """125 transactions of mainnet block 22244135, and no fewer."""
    block = strict_json((real_data / "mainnet-22244135" / "block.json").read_bytes())["result"]
    raws = [raw_transaction(transaction) for transaction in block["transactions"]]
    assert "0x" + ordered_root(raws).hex() == block["transactionsRoot"]
    assert "0x" + ordered_root(raws[:-1]).hex() != block["transactionsRoot"]


def test_roots_agree_with_a_node_at_every_size(anvil_binary: Path) -> None:
    """Blocks of 0 to 20, and of 127 to 130 transactions, where index keys grow to two bytes."""
    node = AnvilProcess(anvil_binary, ["--hardfork", "cancun", "--order", "fifo", "--no-mining"])
    rpc = node.connect()
    try:
        sender = rpc.demand("eth_accounts")[0]
        for size in (*range(21), 127, 128, 129, 130):
            for _ in range(size):
                rpc.demand("eth_sendTransaction", [{"from": sender, "to": sender, "gas": "0x5208"}])
            rpc.demand("evm_mine")
            block = rpc.demand("eth_getBlockByNumber", ["latest", True])
            assert len(block["transactions"]) == size
            raws = [raw_transaction(transaction) for transaction in block["transactions"]]
            assert "0x" + ordered_root(raws).hex() == block["transactionsRoot"], size
    finally:
        rpc.close()
        node.stop()


@given(st.lists(st.binary(max_size=40), min_size=2, max_size=40), st.data())
def test_order_counts(items: list[bytes], data: st.DataObject) -> None:
    """Two unlike items changed about give another root."""
    at = data.draw(st.integers(0, len(items) - 2))
    swapped = [*items[:at], items[at + 1], items[at], *items[at + 2 :]]
    assert (ordered_root(swapped) == ordered_root(items)) == (swapped == items)
