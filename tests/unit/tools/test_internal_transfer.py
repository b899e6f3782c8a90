from __future__ import annotations

import json
from email.utils import formatdate
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.cassette.cassette import Interaction, write_cassette
from caia_replay.errors import Miss
from caia_replay.store.world_folder import open_world, seal_world
from caia_replay.tools.call_view import CallView
from caia_replay.tools.explorer import ETHERSCAN
from caia_replay.tools.interface import NOTHING_KNOWN, read_interface
from caia_replay.tools.internal_transfer import _below, _error, failure, internal_transfers
from caia_replay.tools.signature import parse_signature
from caia_replay.world.world import FrozenWorld

if TYPE_CHECKING:
    from pathlib import Path

    from tests.chain_world import ChainWorld
    from tests.unit.tools.conftest import Bench

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
        source, rows = internal_transfers(CallView(chain_world.world), "origin", sent, height)
        told = [
            (row["type"], row["from"], row[MADE[row["type"]]], int(row["value_wei"]), row["failed"]) for row in rows
        ]
        assert source == "the transaction's recorded trace"
        assert [row for row in told if not row[4]] == [row for row in parity(chain_world, sent) if not row[4]]
        kinds |= {row[0] for row in told}
    assert kinds >= {"create", "suicide"}


def test_what_is_part_of_a_failed_call_failed_with_it() -> None:
    """However deep; a delegated call moves nothing, though it shows its caller's value, and what is below it may."""
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


def row(sent: str, block: int, moment: int, wei: int, failed: bool = False, created: str = "") -> dict[str, str]:
    """A row as the explorer tells it."""
    kind = "create" if created else "call"
    return {
        **{"blockNumber": str(block), "timeStamp": str(moment), "hash": sent, "type": kind, "value": str(wei)},
        **{"from": "0x" + "aa" * 20, "to": "" if created else "0x" + "bb" * 20, "contractAddress": created},
        **{"isError": "1" if failed else "0", "input": "", "gas": "1", "gasUsed": "1", "traceId": "0", "errCode": ""},
    }


def told(asked: dict[str, Any], rows: list[dict[str, str]], moment: int) -> Interaction:
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
        told(chain_id | {"txhash": by_hash}, [row(by_hash, newest, now, 5 * 10**17)], now),
        told(chain_id | listing, mine, now + 90_000),
    ]
    write_cassette(path / "http" / "etherscan_internal.json", recorded)
    seal_world(path)
    with FrozenWorld(open_world(str(path))) as world:
        view = CallView(world.task(task))
        source, rows = internal_transfers(view, "mini", by_hash, newest)
        assert (source, len(rows), rows[0]["value"], rows[0]["to"]) == ("the explorer", 1, "0.5", "0x" + "bb" * 20)
        source, rows = internal_transfers(view, "mini", by_block, newest)
        assert source == "the explorer"
        assert [(item["value_wei"], item["failed"]) for item in rows] == [("3", False), ("0", True)]
        assert (rows[1]["created_contract"], rows[1]["to"]) == (created, None)
        assert len(internal_transfers(view, "mini", of_block, newest)[1]) == 1


def test_where_nobody_tells_it_is_a_miss(late: Bench) -> None:
    """Without a recording of the explorer and without a trace, for a transaction that is there."""
    sent = late.call("block_query", include_transactions=True).result["transactions"][0]["hash"]
    with pytest.raises(Miss, match="internal transfers"):
        internal_transfers(CallView(late.world), "mini", sent, late.task.anchor.block)


@pytest.mark.parametrize("data", ["0x", "0x12345678", "0x08c379a0" + "00" * 31 + "20" + "00" * 31 + "02" + "6869"])
def test_revert_data_is_decoded_by_a_known_error_alone(data: str) -> None:
    """The contract's own error is told where its interface has it, and nothing is made of other data."""
    known = read_interface([{"type": "error", "name": "Error", "inputs": [{"type": "bytes3", "name": "a"}]}])
    assert _error(known, data) is None
    signature = parse_signature("Error(bytes3)")
    whole = "0x" + signature.hash[:4].hex() + "abcdef".ljust(64, "0")
    assert _error(known, whole) == {"name": "Error(bytes3)", "arguments": {"a": "0xabcdef"}}
    assert _error(NOTHING_KNOWN, whole) is None


def test_a_call_is_repeated_on_the_state_before(chain_world: ChainWorld) -> None:
    """What fails again says so in the node's words; what succeeds there says that, and gives no reason."""
    outcomes = set()
    for sent, _ in chain_world.past():
        body = chain_world.live("eth_getTransactionByHash", sent)
        if chain_world.live("eth_getTransactionReceipt", sent)["status"] == "0x1" or len(outcomes) == 2:
            continue
        found = failure(CallView(chain_world.world), "origin", body, NOTHING_KNOWN, traced=False)
        outcomes.add("succeeds" in found["source"])
        assert (found["reason"] is None) == ("succeeds" in found["source"])
    assert False in outcomes
