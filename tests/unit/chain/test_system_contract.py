"""What the protocol writes outside transactions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.chain.anvil import AnvilProcess
from caia_replay.chain.column import to_hex, word
from caia_replay.chain.header import MAINNET
from caia_replay.chain.prestate_merge import EMPTY
from caia_replay.chain.system_contract import (
    BEACON_ROOTS,
    BLOCK_HASHES,
    beacon_root_writes,
    block_hash_slot,
    block_hash_write,
    lent_block_hashes,
)

_, _, CANCUN, PRAGUE = MAINNET
HASH = "0x" + "cd" * 32


@given(st.integers(0, 1 << 40))
def test_beacon_roots_are_two_rings(timestamp: int) -> None:
    """EIP-4788: the time at time mod 8191, the root 8191 slots further."""
    time, root = beacon_root_writes({"timestamp": hex(timestamp), "parentBeaconBlockRoot": HASH})
    assert (time.address, time.slot, time.value) == (BEACON_ROOTS, word(timestamp % 8191), word(timestamp))
    assert (root.address, root.slot, to_hex(root.value)) == (BEACON_ROOTS, word(timestamp % 8191 + 8191), HASH)


def test_before_its_fork_nothing_is_written() -> None:
    """No beacon root in the header, no block hash before Prague, and nothing to lend."""
    assert list(beacon_root_writes({"timestamp": "0x1"})) == []
    assert list(block_hash_write({"number": "0x2", "parentHash": HASH}, CANCUN)) == []
    assert lent_block_hashes({"number": "0x2", "parentHash": HASH}, CANCUN, {}, {}) == ({}, {})


def test_only_what_is_not_known_is_lent() -> None:
    """Accounts and slots of the snapshot are never replaced."""
    header = {"number": "0x2", "parentHash": HASH}
    accounts, storage = lent_block_hashes(header, PRAGUE, {}, {})
    assert BLOCK_HASHES in accounts and storage == {(BLOCK_HASHES, word(1)): bytes(32)}
    known = dict.fromkeys(accounts, EMPTY)
    assert lent_block_hashes(header, PRAGUE, known, {(BLOCK_HASHES, word(1)): word(5)}) == ({}, {})


def test_block_hashes_are_written_as_the_node_writes_them(anvil_binary: Path) -> None:
    """A node under Prague's rules has the code we lend, and each parent's hash in the slot we name."""
    node = AnvilProcess(anvil_binary, ["--hardfork", "prague", "--no-mining"])
    rpc = node.connect()
    try:
        lent, _ = lent_block_hashes({"number": "0x1", "parentHash": HASH}, PRAGUE, {}, {})
        assert rpc.demand("eth_getCode", [to_hex(BLOCK_HASHES), "latest"]) == to_hex(lent[BLOCK_HASHES].code)
        for number in range(1, 4):
            rpc.demand("evm_mine")
            header = rpc.demand("eth_getBlockByNumber", [hex(number), False])
            (write,) = block_hash_write(header, PRAGUE)
            assert write.slot == block_hash_slot(number)
            stored = rpc.demand("eth_getStorageAt", [to_hex(BLOCK_HASHES), to_hex(write.slot), hex(number)])
            assert stored == to_hex(write.value) == header["parentHash"]
    finally:
        rpc.close()
        node.stop()


@pytest.mark.parametrize("number", [1, 8191, 8192, 22_431_084])
def test_the_ring_comes_round(number: int) -> None:
    """EIP-2935: block n writes slot (n - 1) mod 8191."""
    assert int.from_bytes(block_hash_slot(number), "big") == (number - 1) % 8191
