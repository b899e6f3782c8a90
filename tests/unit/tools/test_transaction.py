"""Transactions, what moved within them and why they failed, held against a chain that still lives."""

from __future__ import annotations

import json
from email.utils import formatdate
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.cassette.cassette import Interaction, write_cassette
from caia_replay.core.tool import Served
from caia_replay.errors import Miss
from caia_replay.store.world_folder import open_world, seal_world
from caia_replay.tools.interface import ETHERSCAN, NOTHING_KNOWN, read_interface
from caia_replay.tools.signature import parse_signature
from caia_replay.tools.tool_context import ToolContext
from caia_replay.tools.transfer import _below, _error, failure, internal_transfers
from caia_replay.world.world import FrozenWorld
from tests.chain_world import ChainWorld
from tests.unit.tools.conftest import Desk

TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"


def test_a_transaction_is_what_the_living_node_has(chain_world: ChainWorld) -> None:
    """Parties, fee, status, raw logs, created contract and time, however the hash is written; of later ones nothing."""
    for sent, height in chain_world.past()[::5]:
        body = chain_world.live("eth_getTransactionByHash", sent)
        receipt = chain_world.live("eth_getTransactionReceipt", sent)
        shown = chain_world.call("transaction_query", hash=sent, include_logs=True).result
        assert (shown["from"], shown["to"], shown["input"]) == (body["from"], body["to"], body["input"])
        assert shown["input_bytes"] == len(body["input"]) // 2 - 1
        assert (shown["block"], shown["timestamp"]) == (height, chain_world.time(height))
        assert shown["status"] == ("success" if receipt["status"] == "0x1" else "failed")
        assert int(shown["fee_wei"]) == int(receipt["gasUsed"], 16) * int(receipt["effectiveGasPrice"], 16)
        assert int(shown["value_wei"]) == int(body["value"], 16)
        assert shown["created_contract"] == receipt["contractAddress"]
        raw = [(log["address"], log["topics"], log["data"], int(log["logIndex"], 16)) for log in receipt["logs"]]
        told = [(log["address"], log["topics"], log["data"], log["log_index"]) for log in shown["logs"]]
        assert told == raw and shown["log_count"] == len(raw)
    later = [sent for sent, height in chain_world.origin.record.transactions if height > chain_world.task.anchor.block]
    assert later
    for sent in (*later[:5], "0x" + "12" * 32):
        for more in ({}, {"include_internal": True}):
            assert chain_world.call("transaction_query", hash=sent, **more).served is Served.MISS
    sent = chain_world.past()[5][0]
    whole = chain_world.call("transaction_query", hash=sent).result
    for text in ("0x" + sent[2:].upper(), f" {sent} ", f"'{sent}'"):
        assert chain_world.call("transaction_query", hash=text).result == whole
    assert chain_world.call("transaction_query", hash=sent, chain="7003").result == whole


@pytest.mark.check
def test_calls_and_logs_of_a_known_interface_are_decoded(chain_world: ChainWorld) -> None:
    """Input by the recorded interface, tokens moved as the logs say; other contracts' input stays raw."""
    decoded = 0
    for sent, _ in chain_world.past()[::2]:
        shown = chain_world.call("transaction_query", hash=sent, include_logs=True).result
        known = shown["to"] in chain_world.origin.tokens and shown["input_bytes"] >= 4
        assert (shown["call"] is not None) == known, shown
        if not known:
            continue
        decoded += 1
        call, data = shown["call"], shown["input"]
        if call["function"] == "transfer(address,uint256)":
            assert list(call["arguments"].values()) == ["0x" + data[34:74], str(int(data[74:138], 16))]
        standard = [log for log in shown["logs"] if log["topics"][:1] == [TRANSFER] and len(log["topics"]) == 3]
        wanted = [(log["address"], str(int(log["data"], 16))) for log in standard]
        assert [(item["token"], item["raw"]) for item in shown["token_transfers"]] == wanted
        assert all(log["decoded"]["decoded_by"] == "the contract's verified interface" for log in standard)
        assert all(item["decimals"] == 18 and item["symbol"] in ("T0", "T1") for item in shown["token_transfers"])
    assert decoded >= 15


@pytest.mark.check
def test_a_failed_transaction_says_why(chain_world: ChainWorld) -> None:
    """By its trace where that is asked for, else by the same call on the state before, which may succeed."""
    seen = set()
    for sent, height in chain_world.past()[::2]:
        plain = chain_world.call("transaction_query", hash=sent).result
        assert ("failure" in plain) == (plain["status"] == "failed")
        if plain["status"] == "failed" and len(seen) < 4:
            traced = chain_world.call("transaction_query", hash=sent, include_internal=True).result
            assert traced["failure"]["source"] == "the transaction's recorded trace" and traced["failure"]["reason"]
            assert str(height - 1) in plain["failure"]["source"]
            seen.add(sent)
    assert seen
    outcomes = set()
    for sent, _ in chain_world.past():
        body = chain_world.live("eth_getTransactionByHash", sent)
        if chain_world.live("eth_getTransactionReceipt", sent)["status"] == "0x1" or len(outcomes) == 2:
            continue
        found = failure(ToolContext(chain_world.world), "origin", body, NOTHING_KNOWN, traced=False)
        outcomes.add("succeeds" in found["source"])
        assert (found["reason"] is None) == ("succeeds" in found["source"])
    assert False in outcomes


def test_a_given_signature_decodes_only_what_has_its_selector(chain_world: ChainWorld, late: Desk) -> None:
    """Another selector is told beside the input's own; no sense is an error; logs come on request alone."""
    sent = next(
        sent for sent, _ in chain_world.past()
        if chain_world.live("eth_getTransactionByHash", sent)["input"].startswith("0xa9059cbb")
    )  # fmt: skip
    shown = chain_world.call("transaction_query", hash=sent, function="transfer(address whom, uint256 much)").result
    assert list(shown["call"]["arguments"]) == ["whom", "much"]
    wrong = chain_world.call("transaction_query", hash=sent, function="approve(address,uint256)")
    assert "0xa9059cbb" in wrong.error["message"] and "0x095ea7b3" in wrong.error["message"]
    for asked in ({"hash": "0x12"}, {"chain": "nowhere"}, {"cursor": 10_000}, {"cursor": -1}, {"function": "none"}):
        assert chain_world.call("transaction_query", **{"hash": sent} | asked).error["type"] == "tool_error"
    block = late.call("block_query", include_transactions=True).result
    for item in block["transactions"]:
        short = late.call("transaction_query", hash=item["hash"]).result
        long = late.call("transaction_query", hash=item["hash"], include_logs=True).result
        assert "logs" not in short
        assert len(long["logs"]) == long["log_count"]
        json.dumps(long)
    sent = late.call("block_query", include_transactions=True).result["transactions"][0]["hash"]
    with pytest.raises(Miss, match="internal transfers"):
        internal_transfers(ToolContext(late.world), "mini", sent, late.task.anchor.block)


MADE = {"call": "to", "create": "created_contract", "suicide": "to"}


def parity(chain_world: ChainWorld, sent: str) -> list[tuple[Any, ...]]:
    """The same by the node's other tracer: kind, from, where to, wei, and whether it or what it is part of failed."""
    found, failed = [], set()
    for trace in chain_world.live("trace_transaction", sent):
        at, action, result = tuple(trace["traceAddress"]), trace["action"], trace.get("result") or {}
        if trace.get("error") or (at and at[:-1] in failed):
            failed.add(at)
        moves = trace["type"] != "call" or (action["callType"] == "call" and int(action["value"], 16) > 0)
        if at and moves:
            sender = action.get("from") or action["address"]
            to = result.get("address") if trace["type"] == "create" else action.get("to") or action["refundAddress"]
            wei = int(action.get("value") or action.get("balance"), 16)
            found.append((trace["type"], sender, to, wei, at in failed))
    return found


def test_what_a_trace_tells_is_what_the_other_tracer_tells(chain_world: ChainWorld) -> None:
    """Every transaction of a living chain: creations, calls with coins and destructions below it, in order."""
    kinds = set()
    for sent, height in chain_world.past():
        source, rows = internal_transfers(ToolContext(chain_world.world), "origin", sent, height)
        recording = [
            (row["type"], row["from"], row[MADE[row["type"]]], int(row["value_wei"]), row["failed"]) for row in rows
        ]
        assert source == "the transaction's recorded trace"
        assert [row for row in recording if not row[4]] == [row for row in parity(chain_world, sent) if not row[4]]
        kinds |= {row[0] for row in recording}
    assert kinds >= {"create", "suicide"}


def test_revert_data_is_decoded_by_a_known_error_alone() -> None:
    """And what is part of a failed call failed with it, however deep; a delegated call moves nothing."""
    paid = {"type": "CALL", "from": "a", "to": "b", "value": "0x1"}
    trace = {
        "type": "CALL",
        "calls": [
            {"type": "DELEGATECALL", "value": "0x1", "calls": [paid]},
            {"type": "STATICCALL", "error": "reverted", "calls": [{**paid, "value": "0x0", "calls": [paid]}]},
            {**paid, "error": "out of gas"},
            {"type": "CREATE2", "from": "a", "to": "c", "value": "0x0"},
        ],
    }
    found = [(call["type"], call["to"], failed) for call, failed in _below(trace)]
    assert found == [("CALL", "b", False), ("CALL", "b", True), ("CALL", "b", True), ("CREATE2", "c", False)]
    assert all(failed for _, failed in _below({**trace, "error": "reverted"}))
    for data in ["0x", "0x12345678", "0x08c379a0" + "00" * 31 + "20" + "00" * 31 + "02" + "6869"]:
        known = read_interface([{"type": "error", "name": "Error", "inputs": [{"type": "bytes3", "name": "a"}]}])
        assert _error(known, data) is None
        signature = parse_signature("Error(bytes3)")
        whole = "0x" + signature.hash[:4].hex() + "abcdef".ljust(64, "0")
        assert _error(known, whole) == {"name": "Error(bytes3)", "arguments": {"a": "0xabcdef"}}
        assert _error(NOTHING_KNOWN, whole) is None


def row(sent: str, block: int, moment: int, wei: int, failed: bool = False, created: str = "") -> dict[str, str]:
    """A row as the explorer tells it."""
    kind = "create" if created else "call"
    return {
        **{"blockNumber": str(block), "timeStamp": str(moment), "hash": sent, "type": kind, "value": str(wei)},
        **{"from": "0x" + "aa" * 20, "to": "" if created else "0x" + "bb" * 20, "contractAddress": created},
        **{"isError": "1" if failed else "0", "input": "", "gas": "1", "gasUsed": "1", "traceId": "0", "errCode": ""},
    }


def recording(asked: dict[str, Any], rows: list[dict[str, str]], moment: int) -> Interaction:
    """A recording of the explorer made at ``moment``."""
    url = f"{ETHERSCAN}?{urlencode({'module': 'account', 'action': 'txlistinternal'} | asked)}"
    body = canonical_bytes({"status": "1", "message": "OK", "result": rows})
    headers = {"content-type": ("application/json",), "date": (formatdate(moment, usegmt=True),)}
    return Interaction("GET", url, b"", {}, 200, "OK", headers, body)


def test_the_explorer_tells_of_a_transaction_and_of_a_block(mini: Path) -> None:
    """By its hash, or out of a recorded list of all blocks."""
    path = mini / "cassettes" / "mini-6"
    folder = open_world(str(path))
    task = max(map(folder.task, folder.suite.active()), key=lambda found: found.anchor.block)
    newest, now = task.anchor.block, task.anchor.timestamp
    by_hash, by_block, of_block = ("0x" + digit * 64 for digit in "123")
    created = "0x" + "cc" * 20
    chain_id = {"chainid": json.loads((mini / "chain_snapshots/mini/manifest.json").read_bytes())["chain_id"]}
    listing = {"startblock": 0, "endblock": 9_999_999_999, "page": 1, "offset": 10_000, "sort": "asc"}
    mine = [row(by_block, newest, now, 3), row(of_block, newest, now, 4), row(by_block, newest, now, 0, True, created)]
    recorded = [
        recording(chain_id | {"txhash": by_hash}, [row(by_hash, newest, now, 5 * 10**17)], now),
        recording(chain_id | listing, mine, now + 90_000),
    ]
    write_cassette(path / "http" / "etherscan_internal.json", recorded)
    seal_world(path)
    with FrozenWorld(open_world(str(path))) as world:
        view = ToolContext(world.task(task))
        source, rows = internal_transfers(view, "mini", by_hash, newest)
        assert (source, len(rows), rows[0]["value"], rows[0]["to"]) == ("the explorer", 1, "0.5", "0x" + "bb" * 20)
        source, rows = internal_transfers(view, "mini", by_block, newest)
        assert source == "the explorer"
        assert [(item["value_wei"], item["failed"]) for item in rows] == [("3", False), ("0", True)]
        assert (rows[1]["created_contract"], rows[1]["to"]) == (created, None)
        assert len(internal_transfers(view, "mini", of_block, newest)[1]) == 1
