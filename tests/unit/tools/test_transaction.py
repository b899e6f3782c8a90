from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from caia_replay.core.tool import Served
from tests.tool_draw.onchain import DRAWS, INSIDE
from tests.tool_law import judged

if TYPE_CHECKING:
    from caia_replay.world.world import FrozenWorld
    from tests.chain_world import ChainWorld
    from tests.short_economy import ShortEconomy
    from tests.unit.tools.conftest import Bench

TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"


def test_a_transaction_is_what_the_living_node_has(chain_world: ChainWorld) -> None:
    """Every transaction up to the moment: parties, fee, status, raw logs, created contract and time."""
    for sent, height in chain_world.past()[::3]:
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


def test_what_is_mined_later_is_not_there(chain_world: ChainWorld) -> None:
    """A transaction of a later block is missed as one that nobody knows, with its traces."""
    later = [sent for sent, height in chain_world.origin.record.transactions if height > chain_world.task.anchor.block]
    assert later
    for sent in (*later[:5], "0x" + "12" * 32):
        for more in ({}, {"include_internal": True}):
            assert chain_world.call("transaction_query", hash=sent, **more).served is Served.MISS


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
        assert [(item["token"], item["raw"]) for item in shown["token_transfers"]] == [
            (log["address"], str(int(log["data"], 16))) for log in standard
        ]
        assert all(log["decoded"]["decoded_by"] == "the contract's verified interface" for log in standard)
        assert all(item["decimals"] == 18 and item["symbol"] in ("T0", "T1") for item in shown["token_transfers"])
    assert decoded >= 15


def test_a_given_signature_decodes_only_what_has_its_selector(chain_world: ChainWorld) -> None:
    """The signature's names are used; another selector is told beside the input's own."""
    sent = next(
        sent for sent, _ in chain_world.past()
        if chain_world.live("eth_getTransactionByHash", sent)["input"].startswith("0xa9059cbb")
    )  # fmt: skip
    shown = chain_world.call("transaction_query", hash=sent, function="transfer(address whom, uint256 much)").result
    assert list(shown["call"]["arguments"]) == ["whom", "much"]
    wrong = chain_world.call("transaction_query", hash=sent, function="approve(address,uint256)")
    assert "0xa9059cbb" in wrong.error["message"] and "0x095ea7b3" in wrong.error["message"]


def test_a_failed_transaction_says_why(chain_world: ChainWorld) -> None:
    """By its trace where that is asked for, else by the same call on the state before; nothing else has a failure."""
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


def test_one_answer_however_a_hash_is_written(chain_world: ChainWorld) -> None:
    """Upper case, blanks and quotes around a hash change nothing."""
    sent = chain_world.past()[5][0]
    whole = chain_world.call("transaction_query", hash=sent).result
    for text in ("0x" + sent[2:].upper(), f" {sent} ", f"'{sent}'"):
        assert chain_world.call("transaction_query", hash=text).result == whole
    assert chain_world.call("transaction_query", hash=sent, chain="7003").result == whole


@pytest.mark.parametrize(
    "arguments",
    [{"hash": "0x12"}, {"chain": "nowhere"}, {"cursor": 10_000}, {"cursor": -1}, {"function": "no signature"}],
)
def test_wrong_questions_are_told(chain_world: ChainWorld, arguments: dict[str, object]) -> None:
    """What makes no sense is an error with words."""
    sent = next(
        sent for sent, _ in chain_world.past()
        if chain_world.live("eth_getTransactionByHash", sent)["input"].startswith("0xa9059cbb")
    )  # fmt: skip
    assert chain_world.call("transaction_query", **{"hash": sent} | arguments).error["type"] == "tool_error"


def test_unknown_transactions_are_misses(late: Bench) -> None:
    """What is not recorded is a miss, not a null."""
    assert late.call("transaction_query", hash="0x" + "12" * 32).served is Served.MISS


def test_logs_are_shown_on_request(late: Bench) -> None:
    """Raw logs come only when asked for, as many as the count says."""
    block = late.call("block_query", include_transactions=True).result
    for item in block["transactions"]:
        short = late.call("transaction_query", hash=item["hash"]).result
        long = late.call("transaction_query", hash=item["hash"], include_logs=True).result
        assert "logs" not in short
        assert len(long["logs"]) == long["log_count"]
        json.dumps(long)


def test_what_is_told_in_replay_is_told_by_the_origin(short_economy: ShortEconomy, short_world: FrozenWorld) -> None:
    """Forty calls as a model might make them, none told otherwise; none of a mined transaction is a miss."""
    found = judged("transaction_query", DRAWS["transaction_query"], short_world, short_economy.origin, 40)
    assert found.wrong == [] and found.answered >= 0.7
    inside = judged("transaction_query", INSIDE["transaction_query"], short_world, short_economy.origin, 25, seed=1)
    assert inside.wrong == [] and inside.served["MISS"] == 0 and inside.answered >= 0.95
