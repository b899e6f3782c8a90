"""State read from an origin and compared with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from eth_hash.auto import keccak

from caia_replay.chain.anvil import AnvilProcess
from caia_replay.chain.column import to_hex, word
from caia_replay.chain.state_row import EMPTY_CODE_HASH, AccountRow, CodeRow, StorageRow
from caia_replay.errors import CheckFailed
from caia_replay.recording.origin_node import OriginNode
from caia_replay.recording.origin_state import OriginState

HOLDER, NOBODY, CODE = b"\x51" * 20, b"\x52" * 20, b"\x60\x00"


@pytest.fixture
def state(anvil_binary: Path) -> Iterator[OriginState]:
    """One contract with 7 wei and one slot."""
    node = AnvilProcess(anvil_binary, ["--hardfork", "cancun", "--no-mining"])
    rpc = node.connect()
    rpc.demand("anvil_setBalance", [to_hex(HOLDER), "0x7"])
    rpc.demand("anvil_setCode", [to_hex(HOLDER), to_hex(CODE)])
    rpc.demand("anvil_setStorageAt", [to_hex(HOLDER), to_hex(word(3)), to_hex(word(4))])
    with OriginNode(f"http://127.0.0.1:{node.port}") as origin:
        yield OriginState(origin)
    rpc.close()
    node.stop()


def test_state_is_read_in_order_and_codes_are_kept(state: OriginState) -> None:
    """Accounts with code, without, and none at all; slots that hold something or nothing."""
    assert state.codes() == []
    read = state.accounts([NOBODY, HOLDER], 0)
    assert read == [(0, 0, EMPTY_CODE_HASH), (7, read[1][1], keccak(CODE))]
    assert state.codes() == [CodeRow(keccak(CODE), CODE)]
    assert state.slots([(HOLDER, word(3)), (HOLDER, word(4)), (NOBODY, word(3))], 0) == [word(4), word(0), word(0)]


def test_rows_are_held_against_the_origin(state: OriginState) -> None:
    """Equal ones pass; another balance, nonce, code or value is named with what the origin says."""
    (balance, nonce, code_hash), row = state.accounts([HOLDER], 0)[0], StorageRow(HOLDER, word(3), 0, 0, word(4))
    account = AccountRow(HOLDER, 0, 0, balance, nonce, code_hash)
    state.compare([(account, 0), (row, 0)])
    wrong = [replace(account, balance=8), replace(account, nonce=nonce + 1)]
    wrong += [replace(account, code_hash=EMPTY_CODE_HASH)]
    for lie, method in zip([*wrong, replace(row, value=word(5))], ("Balance", "Count", "Code", "Storage"), strict=True):
        with pytest.raises(CheckFailed, match=rf"{method}.* is '0x.* on the origin"):
            state.compare([(account, 0), (lie, 0)])
