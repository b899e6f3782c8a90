"""Answers given to Anvil: the origin's own up to the pin, traces and proofs as recorded, or typed misses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.chain.column import json_text
from caia_replay.chain.node_answer import FROM_RECORDS, answer
from caia_replay.chain.recorded_call import recorded_call
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import ReplyRow, SnapshotRows
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


def test_what_is_malformed_is_told_and_what_is_not_recorded_a_miss(snapshot: Snapshot) -> None:
    """Nonsense is the caller's error; the rest is never zero, and null only for what Anvil itself may have sent."""
    assert answer(snapshot, PIN, "eth_getTransactionByHash", [UNKNOWN_HASH]) is None
    assert answer(snapshot, PIN, "eth_getTransactionReceipt", [UNKNOWN_HASH]) is None
    for method, params in [
        ("eth_getBalance", ["0x" + "ab" * 20, "latest"]), ("eth_getStorageAt", [SENDER, "0x1", "latest"]),
        ("eth_getProof", [SENDER, [], "latest"]), ("eth_call", [{}, "0x3"]), ("eth_feeHistory", ["0x1", "0x6", []]),
        ("eth_getBalance", [SENDER, "safe"]), ("eth_getBlockByNumber", ["finalized", False]), ("no such method", []),
    ]:  # fmt: skip
        with pytest.raises(Miss):
            answer(snapshot, PIN, method, params)
    for method, params in [
        ("eth_getBalance", []), ("eth_getBalance", [5, "latest"]), ("eth_getBalance", [SENDER, 5]),
        ("eth_getStorageAt", [SENDER, "0x" + "1" * 65, "latest"]), ("eth_getBlockByHash", ["0x1", False]),
        ("eth_getLogs", [[]]), ("eth_getLogs", [{"blockHash": {}}]), ("eth_getBlockReceipts", [{"blockHash": 3}]),
        ("eth_getBlockReceipts", [{}]), ("eth_getBalance", [SENDER, {}]), ("eth_getProof", [SENDER, "0x1", "latest"]),
        ("eth_getProof", [SENDER, [], {"blockHash": UNKNOWN_HASH}]),
        ("debug_traceTransaction", [UNKNOWN_HASH, "callTracer"]), ("debug_traceTransaction", [UNKNOWN_HASH, {}]),
        ("trace_transaction", ["0x1"]), ("trace_block", [5]),
    ]:  # fmt: skip
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


@pytest.mark.parametrize("claimed", [True, pytest.param(False, marks=pytest.mark.check)])
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
        ("eth_getBalance", [SENDER, tag]), ("eth_getTransactionCount", [SENDER, tag]), ("eth_getCode", [SENDER, tag]),
        ("eth_getAccountInfo", [SENDER, tag]), ("eth_getStorageAt", [origin.store, "0x1", tag]),
        ("eth_getProof", [origin.store, ["0x1", "0x7"], tag]), ("eth_getBlockByNumber", [tag, False]),
        ("eth_getBlockReceipts", [tag]), ("eth_getLogs", [{"fromBlock": tag}]),
        ("eth_getLogs", [{"fromBlock": "0x0", "toBlock": tag}]), ("eth_feeHistory", ["0x1", tag]),
        ("trace_block", [tag]),
    ):  # fmt: skip
        with pytest.raises(Miss, match=f"block not recorded: {tag} ") as missed:
            answer(traces, origin.last, method, params)
        assert missed.value.detail.kind == "block"


Cut = Callable[..., Snapshot]


def test_recorded_traces_and_proofs_are_the_origin_s_own_words(
    origin: Any, rows: SnapshotRows, traces: Snapshot
) -> None:
    """Byte for byte as canonical JSON, in every spelling of the question."""
    last, asked = origin.last, []
    for item in rows.transactions:
        spelled = "0x" + item["hash"][2:].upper()
        asked += [("trace_transaction", [spelled]), ("debug_traceTransaction", [spelled, {"timeout": "9s"}])]
        if item is not rows.transactions[-1]:
            settings = {"tracer": "callTracer", "tracerConfig": {"withLog": False}}
            asked.append(("debug_traceTransaction", [spelled, settings]))
    asked.append(("eth_getProof", [origin.store.upper().replace("X", "x"), ["0x01", "0x7"], hex(last)]))
    for method, params in asked:
        question = recorded_call(method, params, last)
        wanted = canonical_bytes(origin.rpc.demand(method, question.params))
        assert canonical_bytes(answer(traces, last, method, params)) == wanted, (method, params)
    for name in ("0x6", rows.blocks[6]["hash"], {"blockHash": rows.blocks[6]["hash"]}, {"blockNumber": "0x6"}):
        proof = answer(traces, last, "eth_getProof", [origin.store, ["0x1", "0x7"], name])
        slots = ["0x" + slot.zfill(64) for slot in "17"]  # Anvil itself refuses an odd number of digits
        assert proof == origin.rpc.demand("eth_getProof", [origin.store, slots, "latest"])


def test_a_block_s_traces_are_its_transactions_(origin: Any, rows: SnapshotRows, traces: Snapshot) -> None:
    """Put together from what was recorded for each, and equal to the origin's; empty blocks have none."""
    counts = set()
    for number in range(origin.last + 1):
        wanted = origin.rpc.demand("trace_block", [hex(number)])
        for name in (hex(number), {"blockHash": rows.blocks[number]["hash"]}):
            assert answer(traces, origin.last, "trace_block", [name]) == wanted
        counts.add(len(wanted))
    assert {0, 1, 2} <= counts
    assert answer(traces, 3, "trace_block", [hex(4)]) is None


@pytest.mark.parametrize("lost", ["transaction", "trace", "difficulty", "work"])
def test_a_block_s_traces_are_whole_or_a_miss(traced_rows: SnapshotRows, cut: Cut, lost: str, tmp_path: Path) -> None:
    """A transaction, a trace or the proof that no reward was paid is not recorded: nothing is served."""
    hole = replace(traced_rows, blocks=[*traced_rows.blocks])
    gone = next(item for item in traced_rows.transactions if item["blockNumber"] == "0x3")
    if lost == "transaction":
        hole.transactions = [item for item in traced_rows.transactions if item is not gone]
    elif lost == "trace":
        question = recorded_call("trace_transaction", [gone["hash"]], 3).text
        hole.replies = [row for row in traced_rows.replies if row.params != question]
    elif lost == "difficulty":
        hole.blocks[3] = {name: value for name, value in traced_rows.blocks[3].items() if name != "difficulty"}
    else:
        hole.blocks[3] = {**traced_rows.blocks[3], "difficulty": "0x1"}
    snapshot = cut(hole, 6, tmp_path, claimed=False)
    with pytest.raises(Miss) as missed:
        answer(snapshot, 6, "trace_block", ["0x3"])
    assert missed.value.detail.kind == ("block" if lost == "transaction" else "trace")
    assert len(answer(snapshot, 6, "trace_block", ["0x5"])) >= 2


def test_what_was_not_traced_is_a_typed_miss(origin: Any, rows: SnapshotRows, traces: Snapshot) -> None:
    """Another tracer, another slot, another height: a miss that says which question it was."""
    last, sent = origin.last, rows.transactions[0]["hash"]
    for kind, method, params in (
        ("trace", "debug_traceTransaction", [sent, {"tracer": "prestateTracer"}]),
        ("trace", "debug_traceTransaction", [sent, {"tracer": "callTracer", "tracerConfig": {"withLog": True}}]),
        ("trace", "debug_traceTransaction", [rows.transactions[-1]["hash"], {"tracer": "callTracer"}]),
        ("proof", "eth_getProof", [origin.store, ["0x1"], "latest"]),
        ("proof", "eth_getProof", [origin.store, ["0x7", "0x1"], "latest"]),
        ("proof", "eth_getProof", [origin.store, ["0x1", "0x7"], "0x5"]),
    ):
        with pytest.raises(Miss, match=f"{kind} not recorded: {method} ") as missed:
            answer(traces, last, method, params)
        assert missed.value.detail.kind == kind


def test_a_transaction_that_was_not_mined_has_no_trace(
    rows: SnapshotRows, traces: Snapshot, cut: Cut, tmp_path: Path
) -> None:
    """Provably: null or an error, as nodes have it; else a miss. Also when a reply lies about its block."""
    later = rows.transactions[-1]
    number = int(later["blockNumber"], 16)
    for sent in (later["hash"], UNKNOWN_HASH):
        assert answer(traces, number - 1, "trace_transaction", [sent]) is None
        with pytest.raises(ToolError, match=f"no transaction {sent} up to block {number - 1}"):
            answer(traces, number - 1, "debug_traceTransaction", [sent])
    early = ReplyRow("trace_transaction", json_text([later["hash"]]), 1, "[]")
    lying = cut(replace(rows, replies=[early]), number, tmp_path)
    assert answer(lying, number - 1, "trace_transaction", [later["hash"]]) is None
    partial = cut(replace(rows, replies=[]), number, tmp_path, claimed=False)
    for method in ("trace_transaction", "debug_traceTransaction"):
        with pytest.raises(Miss, match="trace not recorded"):
            answer(partial, number - 1, method, [UNKNOWN_HASH])
