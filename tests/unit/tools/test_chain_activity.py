"""A chain's days, counted from its blocks; held against the tables themselves."""

from __future__ import annotations

from typing import Any, cast

import pytest

from caia_replay.chain.snapshot import Snapshot
from caia_replay.core.tool import Served
from caia_replay.errors import Miss, ToolError
from caia_replay.tools import chain_activity
from caia_replay.tools.argument import DAY_S
from caia_replay.tools.call_view import CallView
from caia_replay.tools.chain_activity import MOST_DAYS, told_chain
from caia_replay.tools.daily import Window, day_of, day_text
from tests.unit.tools.conftest import Bench


class Chain:
    """Blocks at some moments, each with one transaction of a sender of its own, but for every third."""

    name, chain_id, reconstructed = "stub", 9, {}

    def __init__(self, times: list[int], **receipt: Any) -> None:
        self.times, self.heights, self.more = times, ((0, len(times) - 1),), receipt

    def header(self, number: int) -> dict[str, Any]:
        if not 0 <= number < len(self.times):
            raise Miss("block", str(number), self.name)
        return {"timestamp": hex(self.times[number])}

    def transactions(self, number: int) -> list[dict[str, Any]]:
        return [] if number % 3 == 2 else [{"hash": hex(number), "from": f"0x{number % 2}"}]

    def receipts(self, number: int) -> list[dict[str, Any]]:
        told = {"status": hex(number % 2), "gasUsed": "0xa", "effectiveGasPrice": hex(2**60), **self.more}
        return [{"transactionHash": one["hash"], **told} for one in self.transactions(number)]


class Standing:
    """A world that stands at a moment after some of a chain's blocks."""

    def __init__(self, chain: Chain, now: int, newest: int) -> None:
        self._chain, self.now, self._newest = chain, now, newest
        self.touched: list[Served] = []

    def chain(self, name: str) -> Chain:
        assert name == "stub"
        return self._chain

    def newest(self, chain: str) -> int:
        return self._newest

    def touch(self, served: Served) -> None:
        self.touched.append(served)


def _told(world: Standing, first: int, last: int) -> dict[str, Any]:
    return told_chain(cast(CallView, world), "stub", Window(first * DAY_S, last * DAY_S))


def test_days_are_those_of_the_tables(late: Bench) -> None:
    """Every figure of every day, counted once more over whole columns of the recorded tables."""
    view = CallView(late.world)
    name = view.anchor.chain
    chain = cast(Snapshot, view.chains[name])
    sent = [row for part in chain.columns("transactions", ("block_number", "from_address")) for row in part.to_pylist()]
    names = ("block_number", "gas_used", "effective_gas_price", "status")
    paid = [row for part in chain.columns("receipts", names) for row in part.to_pylist()]
    made = {number: int(chain.header(number)["timestamp"], 16) for number in range(view.anchor.block + 1)}
    found = told_chain(view, name, Window(day_of(view.now) - (MOST_DAYS - 1) * DAY_S, day_of(view.now)))
    assert len(found["points"]) == MOST_DAYS and found["in_all"]["transactions"] > 50
    for point in found["points"]:
        blocks = {number for number, at in made.items() if day_text(day_of(at)) == point["day"]}
        mine = [row for row in paid if row["block_number"] in blocks]
        senders = [row["from_address"] for row in sent if row["block_number"] in blocks]
        assert point == {
            "day": point["day"],
            "blocks": len(blocks),
            "transactions": len(senders),
            "failed_transactions": sum(row["status"] == 0 for row in mine),
            "senders": len(set(senders)),
            "gas_used": sum(row["gas_used"] for row in mine),
            "fees_paid_wei": str(sum(row["gas_used"] * row["effective_gas_price"] for row in mine)),
            "is_over": point["is_over"],
        }
    whole = [row["from_address"] for row in sent if found["first_block"] <= row["block_number"] <= view.anchor.block]
    assert (found["in_all"]["transactions"], found["in_all"]["senders"]) == (len(whole), len(set(whole)))
    assert view.served is Served.DERIVED


def test_nothing_after_the_moment(early: Bench) -> None:
    """The anchor's own block is the last that is counted, though later ones are recorded."""
    view, anchor = CallView(early.world), early.world.anchor
    day = day_of(anchor.timestamp)
    found = told_chain(view, anchor.chain, Window(day - 3 * DAY_S, day))
    assert found["last_block"] == anchor.block < view.chains[anchor.chain].heights[-1][1]
    assert found["days_not_over"] == [day_text(day)] and found["in_all"]["blocks"] > 1


def test_blocks_belong_to_the_day_of_their_timestamp() -> None:
    """Midnight begins a day; a day may have none; the day of now is not over; days before the chain are refused."""
    times = [DAY_S + 5, 2 * DAY_S - 1, 2 * DAY_S, 4 * DAY_S, 4 * DAY_S, 5 * DAY_S]
    world = Standing(Chain(times), now=4 * DAY_S + 1, newest=4)
    found = _told(world, 1, 4)
    assert [(point["blocks"], point["transactions"], point["is_over"]) for point in found["points"]] == [
        (2, 2, True),
        (1, 0, True),
        (0, 0, True),
        (2, 2, False),
    ]
    assert found["in_all"]["senders"] == 2 and found["in_all"]["failed_transactions"] == 2
    assert found["in_all"]["fees_paid_wei"] == str(4 * 10 * 2**60)
    assert (found["first_block"], found["last_block"]) == (0, 4) and world.touched == [Served.DERIVED]
    found = _told(Standing(Chain([DAY_S, 2 * DAY_S]), now=2 * DAY_S, newest=1), 1, 1)
    assert (found["last_block"], found["in_all"]["blocks"]) == (0, 1)
    found = _told(Standing(Chain([DAY_S, 3 * DAY_S]), now=2 * DAY_S + 9, newest=0), 2, 2)
    assert found["in_all"]["blocks"] == 0 and found["first_block"] is None
    for first, last in ((1, 1), (1, 2)):
        with pytest.raises(ToolError, match="stub begins on 1970-01-03"):
            _told(Standing(Chain([2 * DAY_S + 3, 3 * DAY_S]), now=4 * DAY_S, newest=1), first, last)


def test_receipts() -> None:
    """Blobs and a roll-up's fees below are fees; what no receipt says, or one of other transactions, is missed."""
    blobs = {"blobGasUsed": "0x2", "blobGasPrice": "0x3", "l1Fee": "0x7"}
    found = _told(Standing(Chain([DAY_S], **blobs), now=2 * DAY_S, newest=0), 1, 1)
    assert found["in_all"]["fees_paid_wei"] == str(10 * 2**60 + 6 + 7)
    with pytest.raises(Miss, match="whose receipts are not its transactions'"):
        _told(Standing(Chain([DAY_S], transactionHash="0x9"), now=2 * DAY_S, newest=0), 1, 1)
    for field in ("status", "gasUsed", "effectiveGasPrice"):
        with pytest.raises(Miss, match=f"{field} of the receipts of block 0"):
            _told(Standing(Chain([DAY_S], **{field: None}), now=2 * DAY_S, newest=0), 1, 1)


def test_a_call_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """By days, blocks and transactions; the refusal says so."""
    world = Standing(Chain([DAY_S + at for at in range(9)]), now=2 * DAY_S, newest=8)
    with pytest.raises(ToolError, match=r"41 days are too many .* up to 40 days"):
        _told(world, 1, 41)
    monkeypatch.setattr(chain_activity, "MOST_TRANSACTIONS", 4)
    with pytest.raises(ToolError, match="block 6 is past the 4 transactions"):
        _told(world, 1, 1)
    monkeypatch.setattr(chain_activity, "MOST_BLOCKS", 8)
    with pytest.raises(ToolError, match="9 blocks; a call counts up to 8"):
        _told(world, 1, 1)
