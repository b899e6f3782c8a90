"""Behaviour of the answers given to Anvil: the origin's own, up to the pin."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caia_replay.chain.node_answer import FROM_RECORDS, answer
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotRows
from caia_replay.errors import Miss, ToolError

SENDER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
PIN = 5
UNKNOWN_HASH = "0x" + "ab" * 32
TRACERS: tuple[Any, ...] = (None, {"tracer": "callTracer"}, {"tracer": "prestateTracer"})


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
        ("eth_feeHistory", ["0x1", "0x6", []]),
        ("eth_getBalance", [SENDER, "safe"]),
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
        ("eth_getBlockReceipts", [{}]),
        ("eth_getBalance", [SENDER, {}]),
        ("eth_getProof", [SENDER, "0x1", "latest"]),
        ("eth_getProof", [SENDER, [], {"blockHash": UNKNOWN_HASH}]),
        ("debug_traceTransaction", [UNKNOWN_HASH, "callTracer"]),
        ("debug_traceTransaction", [UNKNOWN_HASH, {}]),
        ("trace_transaction", ["0x1"]),
        ("trace_block", [5]),
    ],
)
def test_malformed_parameters_are_told(snapshot: Snapshot, method: str, params: list[Any]) -> None:
    """Nonsense is an error of the caller, not a hole in the snapshot."""
    with pytest.raises(ToolError):
        answer(snapshot, PIN, method, params)


def every_question(origin: Any, rows: SnapshotRows) -> list[tuple[str, list[Any]]]:
    """Every method with every name of every block, every hash of the chain and every tag."""
    numbers = [hex(number) for number in range(len(rows.blocks) + 2)]
    hashes = [*(block["hash"] for block in rows.blocks), UNKNOWN_HASH]
    tags = [None, "latest", "earliest", "pending", "safe", "finalized"]
    named = [*tags, *numbers, *({"blockNumber": number} for number in numbers), *({"blockHash": h} for h in hashes)]
    sent = [*(item["hash"] for item in rows.transactions), UNKNOWN_HASH]
    asked: list[tuple[str, list[Any]]] = [(name, []) for name in ("eth_blockNumber", "eth_chainId", "net_version")]
    asked += [("eth_gasPrice", []), *(("trace_block", [name]) for name in named)]
    for address in (SENDER, origin.store, "0x" + "ab" * 20):
        for name in named:
            state = ("eth_getBalance", "eth_getCode", "eth_getTransactionCount", "eth_getAccountInfo")
            asked += [(method, [address, name]) for method in state]
            asked += [("eth_getStorageAt", [address, slot, name]) for slot in ("0x1", "0x7")]
            asked += [("eth_getProof", [address, ["0x1", "0x7"], name])]
    for name in named:
        asked += [("eth_getBlockReceipts", [name]), ("eth_getBlockByNumber", [name, True])]
        asked += [("eth_feeHistory", [count, name, [20, 80]]) for count in ("0x1", "0x3")]
    for first in (*tags, *numbers):
        asked += [("eth_getLogs", [{"fromBlock": first, "toBlock": last}]) for last in (*tags, *numbers)]
    for block_hash in hashes:
        asked += [("eth_getLogs", [{"blockHash": block_hash}])]
        asked += [("eth_getBlockByHash", [block_hash, full]) for full in (True, False)]
    for item in sent:
        asked += [(name, [item]) for name in ("eth_getTransactionByHash", "eth_getTransactionReceipt")]
        asked += [("trace_transaction", [item])]
        asked += [("debug_traceTransaction", [item, options]) for options in TRACERS]
    return asked


def told(snapshot: Snapshot, pin: int, method: str, params: list[Any]) -> tuple[str, Any]:
    """An answer, or which way it failed; only for people is what happens to be recorded nearby."""
    try:
        return "answer", answer(snapshot, pin, method, params)
    except Miss as miss:
        return "miss", (miss.detail.kind, miss.detail.wanted, miss.detail.where)
    except ToolError as refusal:
        return "refused", str(refusal)


@pytest.mark.parametrize("claimed", [True, False])
def test_nothing_past_the_pin_is_ever_visible(
    origin: Any, traced_rows: SnapshotRows, cut: Callable[..., Snapshot], claimed: bool, tmp_path: Path
) -> None:
    """Every method, block and hash: at each pin the answer is that of a snapshot that ends there."""
    longest = cut(traced_rows, origin.last, tmp_path, claimed)
    asked = every_question(origin, traced_rows)
    with pytest.raises(Miss) as unknown:
        answer(longest, 1, "no such method", [])
    assert {method for method, _ in asked} == set(unknown.value.detail.nearest.split(", ")) >= FROM_RECORDS
    differing, outcomes = [], set()
    for pin in range(1, origin.last):
        shortest = cut(traced_rows, pin, tmp_path, claimed)
        for method, params in asked:
            of_cut = told(shortest, pin, method, params)
            if told(longest, pin, method, params) != of_cut:
                differing.append((pin, method, params))
            outcomes.add((method, of_cut[0], told(longest, origin.last, method, params) == of_cut))
    assert differing == []
    # Most answers are others at other pins, or this would prove little.
    assert len({method for method, kind, same in outcomes if kind == "answer" and not same}) >= 12


@pytest.mark.parametrize("tag", ["safe", "finalized", "pending"])
def test_moving_tags_are_a_miss_in_every_method(origin: Any, traces: Snapshot, tag: str) -> None:
    """Anvil's N-32 and N-64 are its own convention; which heads were safe is recorded nowhere."""
    for method, params in (
        ("eth_getBalance", [SENDER, tag]),
        ("eth_getTransactionCount", [SENDER, tag]),
        ("eth_getCode", [SENDER, tag]),
        ("eth_getAccountInfo", [SENDER, tag]),
        ("eth_getStorageAt", [origin.store, "0x1", tag]),
        ("eth_getProof", [origin.store, ["0x1", "0x7"], tag]),
        ("eth_getBlockByNumber", [tag, False]),
        ("eth_getBlockReceipts", [tag]),
        ("eth_getLogs", [{"fromBlock": tag}]),
        ("eth_getLogs", [{"fromBlock": "0x0", "toBlock": tag}]),
        ("eth_feeHistory", ["0x1", tag]),
        ("trace_block", [tag]),
    ):
        with pytest.raises(Miss, match=f"block not recorded: {tag} ") as missed:
            answer(traces, origin.last, method, params)
        assert missed.value.detail.kind == "block"
