"""data_query: calls, events, tables, slots and interfaces of contracts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.tool import Served
from caia_replay.errors import ToolError, WallLimit
from caia_replay.tools.call_view import CallView
from caia_replay.tools.chain_call import call_contract, read_contract, read_or_none, read_symbol, scaled
from caia_replay.tools.contract_call import told_allowance, told_call, told_slot
from caia_replay.tools.signature import parse_signature
from tests.chain_world import ChainWorld
from tests.unit.tools.conftest import Bench

TRANSFER_TEXT = "Transfer(address indexed from, address indexed to, uint256 value)"
ZERO = "0x" + "00" * 20


@pytest.fixture
def token(late: Bench) -> str:
    """A token contract of the shipped world: the first that a gold chain reads a supply of."""
    folder = late.world.world.folder
    for task_id in folder.suite.active():
        for step in folder.task(task_id).gold.steps:
            if "totalSupply" in str(step.arguments.get("function")):
                return str(step.arguments["contract"])
    pytest.fail("no gold chain reads a supply")


def test_events_state_and_tables_agree(late: Bench, token: str) -> None:
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
        ({"function": "totalSupply()"}, Served.MISS),
        ({"function": "totalSupply"}, Served.MISS),
        ({"event": "Transfer"}, Served.MISS),
        ({"sql": "SELECT count(*) FROM logs"}, Served.ERROR),
        ({"function": "totalSupply()(uint256)", "where": ["a=1"]}, Served.ERROR),
        ({"event": TRANSFER_TEXT, "file": "a"}, Served.ERROR),
        ({"about": "price"}, Served.ERROR),
        ({"about": "abi"}, Served.MISS),
        ({"about": "abi", "block": 3}, Served.ERROR),
        ({"function": "totalSupply()(uint256)", "chain": "moon"}, Served.ERROR),
        ({"event": TRANSFER_TEXT, "limit": 1_001}, Served.ERROR),
        ({"event": TRANSFER_TEXT, "offset": -1}, Served.ERROR),
        ({"function": "noSuchThing()(uint256)"}, Served.ERROR),
        ({"function": "totalSupply()(uint256)", "slot": "0x0"}, Served.ERROR),
        ({"function": "totalSupply()(uint256)", "from_block": 1}, Served.ERROR),
        ({"slot": "0x0", "to_block": 1}, Served.ERROR),
        ({"event": TRANSFER_TEXT, "block": 1}, Served.ERROR),
        ({"event": TRANSFER_TEXT, "arguments": ["1"]}, Served.ERROR),
        ({}, Served.ERROR),
        ({"slot": "not a slot"}, Served.ERROR),
        ({"slot": "0xdeadbeef"}, Served.MISS),
        ({"event": TRANSFER_TEXT, "from_block": 9, "to_block": 3}, Served.ERROR),
        ({"event": TRANSFER_TEXT, "to_block": 10_000}, Served.ERROR),
        ({"function": "totalSupply()(uint256)", "block": 10_000}, Served.ERROR),
    ],
)
def test_wrong_questions_are_told_and_unknown_slots_missed(
    late: Bench, token: str, arguments: dict[str, object], served: Served
) -> None:
    """A call that makes no sense is an error with a reason; a slot nobody recorded is a miss."""
    assert late.call("data_query", contract=token, **arguments).served is served
    assert late.call("data_query", contract="0x" + "12" * 20, function="f()(uint256)").served is Served.MISS


def test_each_block_has_its_own_state(late: Bench, token: str) -> None:
    """A supply read at the heights of mints and burns follows them, whatever the order of reading."""
    events = late.call("data_query", contract=token, event=TRANSFER_TEXT, from_block=0).result["events"]
    changes = [event for event in events if ZERO in (event["arguments"]["from"], event["arguments"]["to"])]
    expected, supply = {}, 0
    for event in changes:
        sign = 1 if event["arguments"]["from"] == ZERO else -1
        supply += sign * int(event["arguments"]["value"])
        expected[event["block"]] = supply
    for height in sorted(expected, reverse=True) + sorted(expected):
        call = late.call("data_query", contract=token, function="totalSupply()(uint256)", block=height)
        assert (int(call.result["values"][0]), call.result["block"]) == (expected[height], height)


def test_a_statement_that_runs_for_ever_ends_the_run(late: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of real time is no reply: nothing of it reaches the model."""
    monkeypatch.setattr("caia_replay.chain.sql_query.LIMIT_S", 1.0)
    endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"
    with pytest.raises(WallLimit, match="took longer than 1 s"):
        late.call("data_query", sql=endless)


ALLOWANCE = "allowance(address,address)(uint256)"


def test_an_allowance_is_the_functions_own_value(chain_world: ChainWorld) -> None:
    """It reads allowance(owner, spender) and takes two addresses, nothing else."""
    view, at = CallView(chain_world.world), chain_world.origin.tokens[0]
    people = [chain_world.live("eth_getTransactionByHash", chain_world.past()[0][0])["from"], at]
    called = told_call(view, "origin", at, parse_signature(ALLOWANCE), people, 20)
    told = told_allowance(view, "origin", at, people, 20)
    assert (told["raw"], told["owner"], told["spender"]) == (called["values"][0], *people)
    assert told["unlimited"] is False
    for wrong in ([], people[:1], [*people, "x"], [1, 2], ["0x12", at]):
        with pytest.raises(ToolError):
            told_allowance(view, "origin", at, wrong, 20)


def test_a_slot_is_the_living_nodes_own(chain_world: ChainWorld) -> None:
    """At several blocks and in any spelling of its number; what is none is told."""
    view, at = CallView(chain_world.world), chain_world.origin.tokens[0]
    for slot in ("0x2", "2", "0x" + "0" * 63 + "2", " 0x02 "):
        for block in (5, 20):
            told = told_slot(view, "origin", at, slot, block)
            assert told["value"] == chain_world.live("eth_getStorageAt", at, "0x2", hex(block))
            assert (told["slot"], told["block"]) == ("0x" + "0" * 63 + "2", block)
    for wrong in ("", "x", "0x" + "f" * 65, "9" * 78, "-1"):
        with pytest.raises(ToolError, match="no storage slot"):
            told_slot(view, "origin", at, wrong, 5)


def test_values_have_the_names_that_their_types_give(late: Bench, token: str) -> None:
    """A name in the signature is told beside its value."""
    signature, anchor = parse_signature("totalSupply() view returns (uint256 supply)"), late.task.anchor
    told = told_call(CallView(late.world), anchor.chain, token, signature, [], anchor.block)
    assert told["names"] == ["supply"] and told["function"] == "totalSupply()"


@given(st.integers(0, 2**256 - 1), st.integers(0, 255))
def test_scaling_is_exact(raw: int, decimals: int) -> None:
    """raw / 10^decimals as text reads back as raw, for any uint256 and any number of decimals a token may tell."""
    whole, _, part = scaled(raw, decimals).partition(".")
    assert int(whole + part.ljust(decimals, "0")) == raw
    assert not part.endswith("0")


def test_a_call_is_what_the_living_node_returns(chain_world: ChainWorld) -> None:
    """The same bytes at several heights; no code, no such function and another shape are errors, or None."""
    token = chain_world.origin.tokens[0]
    for height in (1, 9, 24):
        told = chain_world.live("eth_call", {"to": token, "data": "0x18160ddd"}, hex(height))
        with CallView(chain_world.world).fork(height) as fork:
            assert call_contract(fork, token, "0x18160ddd") == told
            assert read_contract(fork, token, "totalSupply()(uint256)") == str(int(told, 16))
            assert read_symbol(fork, token) == "T0"
    nobody, token = "0x" + "99" * 20, chain_world.origin.tokens[0]
    with CallView(chain_world.world).fork() as fork:
        for contract, function in ((nobody, "f()(uint256)"), (token, "f()(uint256)"), (token, "totalSupply()(string)")):
            with pytest.raises(ToolError):
                read_contract(fork, contract, function)
            assert read_or_none(fork, contract, function) is None
        assert read_symbol(fork, nobody) is None
