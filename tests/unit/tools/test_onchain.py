from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.tool import Served
from caia_replay.errors import ToolError
from caia_replay.tools.onchain import address_argument, scaled

if TYPE_CHECKING:
    from tests.unit.tools.conftest import Bench


@given(st.integers(0, 2**256 - 1), st.integers(0, 77))
def test_scaling_is_exact(raw: int, decimals: int) -> None:
    """raw / 10^decimals as text reads back as raw, for any uint256."""
    whole, _, part = scaled(raw, decimals).partition(".")
    assert int(whole + part.ljust(decimals, "0")) == raw


@pytest.mark.parametrize("text", ["", "0x12", "12" * 20, "0x" + "zz" * 20, "vitalik.eth"])
def test_what_is_no_address_is_refused(text: str) -> None:
    """Only 0x and 40 hex digits are an address; case does not matter."""
    with pytest.raises(ToolError):
        address_argument(text)
    assert address_argument(" 0x" + "AB" * 20) == "0x" + "ab" * 20


def test_the_newest_block_is_the_anchor(late: Bench, early: Bench) -> None:
    """Without a height each task sees its own newest block, with the anchor's time."""
    for bench in (late, early, late):
        shown = bench.call("block_query").result
        assert (shown["number"], shown["timestamp"]) == (bench.task.anchor.block, bench.task.anchor.timestamp)


def test_the_future_does_not_exist(early: Bench, late: Bench) -> None:
    """A later block is refused by number and unknown by hash; so are its transactions."""
    later = late.call("block_query", include_transactions=True).result
    assert early.call("block_query", block=later["number"]).served is Served.ERROR
    assert early.call("block_query", block=later["hash"]).served is Served.MISS
    holder = {"address": "0x" + "11" * 20, "block": later["number"]}
    assert early.call("balance_query", **holder).served is Served.ERROR
    for transaction in later["transactions"]:
        assert early.call("transaction_query", hash=transaction["hash"]).served is Served.MISS


def test_a_block_adds_up(late: Bench) -> None:
    """Gas used by a block is the sum over its transactions, each found by its hash."""
    for height in range(late.task.anchor.block - 5, late.task.anchor.block + 1):
        block = late.call("block_query", block=height, include_transactions=True).result
        found = [late.call("transaction_query", hash=item["hash"]).result for item in block["transactions"]]
        assert sum(item["gas_used"] for item in found) == block["gas_used"]
        assert [item["index"] for item in found] == list(range(block["transaction_count"]))
        assert all(int(item["fee_wei"]) == item["gas_used"] * int(item["gas_price_wei"]) for item in found)


def test_balances_follow_the_block(late: Bench) -> None:
    """A sender's balance falls by value and fees over a block in which it only sent."""
    for height in range(late.task.anchor.block, late.task.anchor.block - 20, -1):
        block = late.call("block_query", block=height, include_transactions=True).result
        receivers = {item["to"] for item in block["transactions"]} | {block["fee_recipient"]}
        senders = {item["from"] for item in block["transactions"]} - receivers
        for sender in sorted(senders):
            sent = [item for item in block["transactions"] if item["from"] == sender]
            fees = [late.call("transaction_query", hash=item["hash"]).result for item in sent]
            if any(item["status"] == "failed" or item["log_count"] == 0 for item in fees):
                continue
            before, after = (late.call("balance_query", address=sender, block=at).result for at in (height - 1, height))
            spent = sum(int(item["value_wei"]) + int(fee["fee_wei"]) for item, fee in zip(sent, fees, strict=True))
            assert int(before["raw"]) - int(after["raw"]) == spent
            return
    pytest.fail("no block with a plain sender in the last twenty")


def test_unknown_accounts_and_transactions_are_misses(late: Bench) -> None:
    """What is not recorded is a miss, not a zero and not a null."""
    nobody = "0x" + "12" * 20
    assert late.call("balance_query", address=nobody).served is Served.MISS
    assert late.call("transaction_query", hash="0x" + "12" * 32).served is Served.MISS
    assert late.call("block_query", block="0x" + "12" * 32).served is Served.MISS


def test_logs_are_shown_on_request(late: Bench) -> None:
    """Raw logs come only when asked for, as many as the count says."""
    block = late.call("block_query", include_transactions=True).result
    for item in block["transactions"]:
        short = late.call("transaction_query", hash=item["hash"]).result
        long = late.call("transaction_query", hash=item["hash"], include_logs=True).result
        assert "logs" not in short
        assert len(long["logs"]) == long["log_count"]
        json.dumps(long)


@pytest.mark.parametrize("text", ["0x" + "f" * 6000, "9" * 5000, "0b11", "1_0", "\u0663", "007x", "-1", "pending", ""])
def test_what_is_no_height_is_refused(late: Bench, text: str) -> None:
    """Heights are decimal or 0x digits; nothing else is guessed at, and no length of it breaks the call."""
    assert late.call("block_query", block=text).error["type"] == "tool_error"


def test_a_block_has_one_answer_however_it_is_written(late: Bench) -> None:
    """Decimal, 0x, padded and upper-case spellings of a height or a hash name the same block."""
    block = late.call("block_query", block=10).result
    shouted = "0x" + block["hash"][2:].upper()
    for text in ("10", "0xa", "0x0A", " 10 ", f" {block['hash']} ", shouted):
        assert late.call("block_query", block=text).result == block
