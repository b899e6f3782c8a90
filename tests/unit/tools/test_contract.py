"""data_query on contracts, and a chain's days counted from its blocks."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.chain.snapshot import Snapshot
from caia_replay.core.tool import Served
from caia_replay.errors import Miss, ToolError, WallLimit
from caia_replay.tools import activity
from caia_replay.tools.activity import MOST_DAYS, describe_chain
from caia_replay.tools.argument import DAY_S
from caia_replay.tools.chain_call import call_contract, read_contract, read_or_none, read_symbol, scaled
from caia_replay.tools.contract import describe_allowance, describe_call, describe_slot
from caia_replay.tools.daily import Window, day_of, day_text
from caia_replay.tools.signature import parse_signature
from caia_replay.tools.tool_context import ToolContext
from tests.chain_world import ChainWorld
from tests.unit.tools.conftest import Desk

TRANSFER_TEXT = "Transfer(address indexed from, address indexed to, uint256 value)"
ZERO = "0x" + "00" * 20


@pytest.fixture
def token(late: Desk) -> str:
    """A token contract of the shipped world: the first that a gold chain reads a supply of."""
    folder = late.world.world.folder
    for task_id in folder.suite.active():
        for step in folder.task(task_id).gold.steps:
            if "totalSupply" in str(step.arguments.get("function")):
                return str(step.arguments["contract"])
    pytest.fail("no gold chain reads a supply")


def test_events_state_and_tables_agree(late: Desk, token: str) -> None:
    """Supply by call equals mints less burns in the logs, so do balances; windows add up; tables count the same."""
    events = late.call("data_query", contract=token, event=TRANSFER_TEXT, from_block=0).result
    supply = int(late.call("data_query", contract=token, function="totalSupply()(uint256)").result["values"][0])
    balances: dict[str, int] = {}
    for event in events["events"]:
        moved = event["arguments"]
        balances[moved["from"]] = balances.get(moved["from"], 0) - int(moved["value"])
        balances[moved["to"]] = balances.get(moved["to"], 0) + int(moved["value"])
    assert supply == -balances.pop(ZERO)
    assert events["count"] == len(events["events"]) > 0
    for holder, expected in sorted(balances.items())[:12]:
        found = late.call("balance_query", address=holder, token=token)
        assert int(found.result["raw"]) == expected
    last = late.task.anchor.block
    whole = late.call("data_query", contract=token, event=TRANSFER_TEXT, from_block=0).result["events"]
    for cut in (1, last // 3, last - 1):
        left = late.call("data_query", contract=token, event=TRANSFER_TEXT, from_block=0, to_block=cut).result
        right = late.call("data_query", contract=token, event=TRANSFER_TEXT, from_block=cut + 1, to_block=last).result
        assert left["events"] + right["events"] == whole
    listed = late.call("data_query", contract=token, event=TRANSFER_TEXT, from_block=0).result
    counted = late.call(
        "data_query", contract=token, event=TRANSFER_TEXT, sql="SELECT count(*), sum(value) FROM events"
    )
    text = f"SELECT count(*), sum(value) FROM erc20_transfers WHERE erc20 = '{token}'"
    wanted = [listed["count"], str(sum(int(event["arguments"]["value"]) for event in listed["events"]))]
    assert counted.result["rows"] == [wanted]
    assert late.call("data_query", sql=text).result["rows"] == [wanted]


@pytest.mark.parametrize(
    ("arguments", "served"),
    [
        ({"function": "totalSupply()"}, Served.MISS), ({"function": "totalSupply"}, Served.MISS),
        ({"event": "Transfer"}, Served.MISS), ({"sql": "SELECT count(*) FROM logs"}, Served.ERROR),
        ({"function": "totalSupply()(uint256)", "where": ["a=1"]}, Served.ERROR),
        ({"event": TRANSFER_TEXT, "file": "a"}, Served.ERROR), ({"about": "price"}, Served.ERROR),
        ({"about": "abi"}, Served.MISS), ({"about": "abi", "block": 3}, Served.ERROR),
        ({"function": "totalSupply()(uint256)", "chain": "moon"}, Served.ERROR),
        ({"event": TRANSFER_TEXT, "limit": 1_001}, Served.ERROR),
        ({"event": TRANSFER_TEXT, "offset": -1}, Served.ERROR), ({"function": "noSuchThing()(uint256)"}, Served.ERROR),
        ({"function": "totalSupply()(uint256)", "slot": "0x0"}, Served.ERROR),
        ({"function": "totalSupply()(uint256)", "from_block": 1}, Served.ERROR),
        ({"slot": "0x0", "to_block": 1}, Served.ERROR), ({"event": TRANSFER_TEXT, "block": 1}, Served.ERROR),
        ({"event": TRANSFER_TEXT, "arguments": ["1"]}, Served.ERROR), ({}, Served.ERROR),
        ({"slot": "not a slot"}, Served.ERROR), ({"slot": "0xdeadbeef"}, Served.MISS),
        ({"event": TRANSFER_TEXT, "from_block": 9, "to_block": 3}, Served.ERROR),
        ({"event": TRANSFER_TEXT, "to_block": 10_000}, Served.ERROR),
        ({"function": "totalSupply()(uint256)", "block": 10_000}, Served.ERROR),
    ],
)  # fmt: skip
def test_wrong_questions_are_told_and_unknown_slots_missed(late, token, arguments, served) -> None:
    """A call that makes no sense is an error with a reason; a slot nobody recorded is a miss."""
    assert late.call("data_query", contract=token, **arguments).served is served
    assert late.call("data_query", contract="0x" + "12" * 20, function="f()(uint256)").served is Served.MISS


@pytest.mark.check
def test_a_statement_that_runs_for_ever_ends_the_run(late: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of real time is no reply: nothing of it reaches the model."""
    monkeypatch.setattr("caia_replay.chain.sql_query.LIMIT_S", 1.0)
    endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"
    with pytest.raises(WallLimit, match="took longer than 1 s"):
        late.call("data_query", sql=endless)


ALLOWANCE = "allowance(address,address)(uint256)"


def test_calls_allowances_and_slots_are_the_living_nodes_own(chain_world: ChainWorld, late: Desk, token: str) -> None:
    """In any spelling, at several heights, with the names that types give; what is none is told."""
    view, at = ToolContext(chain_world.world), chain_world.origin.tokens[0]
    people = [chain_world.live("eth_getTransactionByHash", chain_world.past()[0][0])["from"], at]
    called = describe_call(view, "origin", at, parse_signature(ALLOWANCE), people, 20)
    told = describe_allowance(view, "origin", at, people, 20)
    assert (told["raw"], told["owner"], told["spender"]) == (called["values"][0], *people)
    assert told["unlimited"] is False
    for wrong in ([], people[:1], [*people, "x"], [1, 2], ["0x12", at]):
        with pytest.raises(ToolError):
            describe_allowance(view, "origin", at, wrong, 20)
    view, at = ToolContext(chain_world.world), chain_world.origin.tokens[0]
    for slot in ("0x2", "2", "0x" + "0" * 63 + "2", " 0x02 "):
        for block in (5, 20):
            told = describe_slot(view, "origin", at, slot, block)
            assert told["value"] == chain_world.live("eth_getStorageAt", at, "0x2", hex(block))
            assert (told["slot"], told["block"]) == ("0x" + "0" * 63 + "2", block)
    for wrong in ("", "x", "0x" + "f" * 65, "9" * 78, "-1"):
        with pytest.raises(ToolError, match="no storage slot"):
            describe_slot(view, "origin", at, wrong, 5)
    token_ = chain_world.origin.tokens[0]
    for height in (1, 9, 24):
        told = chain_world.live("eth_call", {"to": token_, "data": "0x18160ddd"}, hex(height))
        with ToolContext(chain_world.world).fork(height) as fork:
            assert call_contract(fork, token_, "0x18160ddd") == told
            assert read_contract(fork, token_, "totalSupply()(uint256)") == str(int(told, 16))
            assert read_symbol(fork, token_) == "T0"
    nobody, token_ = "0x" + "99" * 20, chain_world.origin.tokens[0]
    with ToolContext(chain_world.world).fork() as fork:
        for contract, function in (
            (nobody, "f()(uint256)"), (token_, "f()(uint256)"), (token_, "totalSupply()(string)"),
        ):  # fmt: skip
            with pytest.raises(ToolError):
                read_contract(fork, contract, function)
            assert read_or_none(fork, contract, function) is None
        assert read_symbol(fork, nobody) is None
    signature, anchor = parse_signature("totalSupply() view returns (uint256 supply)"), late.task.anchor
    told = describe_call(ToolContext(late.world), anchor.chain, token, signature, [], anchor.block)
    assert told["names"] == ["supply"] and told["function"] == "totalSupply()"


@given(st.integers(0, 2**256 - 1), st.integers(0, 255))
def test_scaling_is_exact(raw: int, decimals: int) -> None:
    """raw / 10^decimals as text reads back as raw, for any uint256 and any number of decimals a token may tell."""
    whole, _, part = scaled(raw, decimals).partition(".")
    assert int(whole + part.ljust(decimals, "0")) == raw
    assert not part.endswith("0")


class Chain:
    """Blocks at some moments, each with one transaction of a sender of its own, but for every third."""

    name, chain_id, reconstructed = "stub", 9, {}

    def __init__(self, times: list[int], **receipt: Any) -> None:
        self.times, self.heights, self.more = times, ((0, len(times) - 1),), receipt
        self.numbers = range(len(times))

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
    return describe_chain(cast(ToolContext, world), "stub", Window(first * DAY_S, last * DAY_S))


def test_days_are_those_of_the_tables(late: Desk) -> None:
    """Every figure of every day, counted once more over whole columns of the recorded tables."""
    view = ToolContext(late.world)
    name = view.anchor.chain
    chain = cast(Snapshot, view.chains[name])
    sent = [row for part in chain.columns("transactions", ("block_number", "from_address")) for row in part.to_pylist()]
    names = ("block_number", "gas_used", "effective_gas_price", "status")
    paid = [row for part in chain.columns("receipts", names) for row in part.to_pylist()]
    made = {number: int(chain.header(number)["timestamp"], 16) for number in range(view.anchor.block + 1)}
    found = describe_chain(view, name, Window(day_of(view.now) - (MOST_DAYS - 1) * DAY_S, day_of(view.now)))
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


def test_blocks_belong_to_the_day_of_their_timestamp() -> None:
    """Midnight begins a day; a day may have none; the day of now is not over; days before the chain are refused."""
    times = [DAY_S + 5, 2 * DAY_S - 1, 2 * DAY_S, 4 * DAY_S, 4 * DAY_S, 5 * DAY_S]
    world = Standing(Chain(times), now=4 * DAY_S + 1, newest=4)
    found = _told(world, 1, 4)
    wanted = [(2, 2, True), (1, 0, True), (0, 0, True), (2, 2, False)]
    assert [(point["blocks"], point["transactions"], point["is_over"]) for point in found["points"]] == wanted
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
    monkeypatch.setattr(activity, "MOST_TRANSACTIONS", 4)
    with pytest.raises(ToolError, match="block 6 is past the 4 transactions"):
        _told(world, 1, 1)
    monkeypatch.setattr(activity, "MOST_BLOCKS", 8)
    with pytest.raises(ToolError, match="9 blocks; a call counts up to 8"):
        _told(world, 1, 1)
