"""Behaviour of the answers given to Anvil: the origin's own, up to the pin."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.chain.node_answer import answer
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotRows
from caia_replay.errors import Miss, ToolError

SENDER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
PIN = 5
UNKNOWN_HASH = "0x" + "ab" * 32


def test_answers_equal_the_living_origin(origin: Any, snapshot: Snapshot, rows: SnapshotRows) -> None:
    """Every method, at every height up to the pin, says what the origin says."""
    asked: list[tuple[str, list[Any]]] = [("eth_chainId", []), ("net_version", [])]
    for number in range(PIN + 1):
        at = hex(number)
        asked += [("eth_getBlockByNumber", [at, full]) for full in (True, False)]
        asked += [("eth_getBlockByHash", [rows.blocks[number]["hash"], full]) for full in (True, False)]
        asked += [("eth_getBlockReceipts", [at]), ("eth_getLogs", [{"fromBlock": "0x0", "toBlock": at}])]
        asked += [("eth_getLogs", [{"blockHash": rows.blocks[number]["hash"]}])]
        for address in (SENDER, origin.store):
            asked += [(name, [address, at]) for name in ("eth_getBalance", "eth_getTransactionCount", "eth_getCode")]
        asked += [("eth_getStorageAt", [origin.store, slot, at]) for slot in ("0x1", "0x7")]
        asked += [("eth_getAccountInfo", [origin.store, at])]
    for item in rows.transactions[:-1]:
        asked += [(name, [item["hash"]]) for name in ("eth_getTransactionByHash", "eth_getTransactionReceipt")]
    for method, params in asked:
        assert answer(snapshot, PIN, method, params) == origin.rpc.demand(method, params), (method, params)


def test_the_future_is_invisible(snapshot: Snapshot, rows: SnapshotRows) -> None:
    """Past the pin, blocks, transactions and receipts are null, and state is a miss."""
    later = rows.blocks[PIN + 1]
    for method, params in (
        ("eth_getBlockByNumber", [later["number"], True]),
        ("eth_getBlockByHash", [later["hash"], True]),
        ("eth_getBlockReceipts", [later["number"]]),
        ("eth_getTransactionByHash", [rows.transactions[-1]["hash"]]),
        ("eth_getTransactionReceipt", [rows.transactions[-1]["hash"]]),
    ):
        assert answer(snapshot, PIN, method, params) is None
    assert answer(snapshot, PIN, "eth_blockNumber", []) == hex(PIN)
    assert answer(snapshot, PIN, "eth_getBlockByNumber", ["latest", False])["number"] == hex(PIN)
    logs = answer(snapshot, PIN, "eth_getLogs", [{"fromBlock": "0x0", "toBlock": later["number"]}])
    assert len(logs) == len(rows.logs) - 1
    with pytest.raises(Miss):
        answer(snapshot, PIN, "eth_getBalance", [SENDER, later["number"]])


def test_a_transaction_nobody_recorded_is_null_and_no_miss(snapshot: Snapshot) -> None:
    """Anvil asks for its own pending transactions here."""
    assert answer(snapshot, PIN, "eth_getTransactionByHash", [UNKNOWN_HASH]) is None
    assert answer(snapshot, PIN, "eth_getTransactionReceipt", [UNKNOWN_HASH]) is None


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("eth_getBalance", ["0x" + "ab" * 20, "latest"]),
        ("eth_getStorageAt", [SENDER, "0x1", "latest"]),
        ("eth_getProof", [SENDER, [], "latest"]),
        ("eth_call", [{}, "0x3"]),
        ("eth_feeHistory", ["0x1", "latest", []]),
        ("eth_getBlockByNumber", ["finalized", False]),
        ("no such method", []),
    ],
)
def test_what_is_not_recorded_is_a_miss(snapshot: Snapshot, method: str, params: list[Any]) -> None:
    """Never null, never zero."""
    with pytest.raises(Miss):
        answer(snapshot, PIN, method, params)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("eth_getBalance", []),
        ("eth_getBalance", [5, "latest"]),
        ("eth_getBalance", [SENDER, 5]),
        ("eth_getStorageAt", [SENDER, "0x" + "1" * 65, "latest"]),
        ("eth_getBlockByHash", ["0x1", False]),
        ("eth_getLogs", [[]]),
        ("eth_getLogs", [{"blockHash": {}}]),
        ("eth_getBlockReceipts", [{"blockHash": 3}]),
    ],
)
def test_malformed_parameters_are_told(snapshot: Snapshot, method: str, params: list[Any]) -> None:
    """Nonsense is an error of the caller, not a hole in the snapshot."""
    with pytest.raises(ToolError):
        answer(snapshot, PIN, method, params)
