"""Traces and proofs as they were recorded, or typed misses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.chain.column import json_text
from caia_replay.chain.node_answer import answer
from caia_replay.chain.recorded_question import recorded_question
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import ReplyRow, SnapshotRows
from caia_replay.errors import Miss, ToolError

UNKNOWN_HASH = "0x" + "ab" * 32

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
        question = recorded_question(method, params, last)
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
        question = recorded_question("trace_transaction", [gone["hash"]], 3).text
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
