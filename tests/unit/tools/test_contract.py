from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from caia_replay.core.tool import Served
from caia_replay.errors import WallLimit
from tests.tool_draw.query import DRAWS, INSIDE
from tests.tool_law import judged

if TYPE_CHECKING:
    from caia_replay.world.world import FrozenWorld
    from tests.short_economy import ShortEconomy
    from tests.unit.tools.conftest import Bench

TRANSFER = "Transfer(address indexed from, address indexed to, uint256 value)"
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


def test_events_and_state_agree(late: Bench, token: str) -> None:
    """Supply by eth_call equals all mints less all burns in the logs; so do holders' balances."""
    events = late.call("data_query", contract=token, event=TRANSFER, from_block=0).result
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


def test_a_window_of_events_is_a_part_of_the_whole(late: Bench, token: str) -> None:
    """Ranges cut at any height add up to the whole range."""
    last = late.task.anchor.block
    whole = late.call("data_query", contract=token, event=TRANSFER, from_block=0).result["events"]
    for cut in (1, last // 3, last - 1):
        left = late.call("data_query", contract=token, event=TRANSFER, from_block=0, to_block=cut).result
        right = late.call("data_query", contract=token, event=TRANSFER, from_block=cut + 1, to_block=last).result
        assert left["events"] + right["events"] == whole


@pytest.mark.parametrize(
    ("arguments", "served"),
    [
        ({"function": "totalSupply()"}, Served.MISS),
        ({"function": "totalSupply"}, Served.MISS),
        ({"event": "Transfer"}, Served.MISS),
        ({"sql": "SELECT count(*) FROM logs"}, Served.ERROR),
        ({"function": "totalSupply()(uint256)", "where": ["a=1"]}, Served.ERROR),
        ({"event": TRANSFER, "file": "a"}, Served.ERROR),
        ({"about": "price"}, Served.ERROR),
        ({"about": "abi"}, Served.MISS),
        ({"about": "abi", "block": 3}, Served.ERROR),
        ({"function": "totalSupply()(uint256)", "chain": "moon"}, Served.ERROR),
        ({"event": TRANSFER, "limit": 1_001}, Served.ERROR),
        ({"event": TRANSFER, "offset": -1}, Served.ERROR),
        ({"function": "noSuchThing()(uint256)"}, Served.ERROR),
        ({"function": "totalSupply()(uint256)", "slot": "0x0"}, Served.ERROR),
        ({"function": "totalSupply()(uint256)", "from_block": 1}, Served.ERROR),
        ({"slot": "0x0", "to_block": 1}, Served.ERROR),
        ({"event": TRANSFER, "block": 1}, Served.ERROR),
        ({"event": TRANSFER, "arguments": ["1"]}, Served.ERROR),
        ({}, Served.ERROR),
        ({"slot": "not a slot"}, Served.ERROR),
        ({"slot": "0xdeadbeef"}, Served.MISS),
        ({"event": TRANSFER, "from_block": 9, "to_block": 3}, Served.ERROR),
        ({"event": TRANSFER, "to_block": 10_000}, Served.ERROR),
        ({"function": "totalSupply()(uint256)", "block": 10_000}, Served.ERROR),
    ],
)
def test_wrong_questions_are_told_and_unknown_slots_missed(
    late: Bench, token: str, arguments: dict[str, object], served: Served
) -> None:
    """A call that makes no sense is an error with a reason; a slot nobody recorded is a miss."""
    assert late.call("data_query", contract=token, **arguments).served is served


def test_a_contract_outside_the_world_is_a_miss(late: Bench) -> None:
    """No code is known for an address nobody recorded, so nothing runs there."""
    assert late.call("data_query", contract="0x" + "12" * 20, function="f()(uint256)").served is Served.MISS


def test_each_block_has_its_own_state(late: Bench, token: str) -> None:
    """A supply read at the heights of mints and burns follows them, whatever the order of reading."""
    events = late.call("data_query", contract=token, event=TRANSFER, from_block=0).result["events"]
    changes = [event for event in events if ZERO in (event["arguments"]["from"], event["arguments"]["to"])]
    expected, supply = {}, 0
    for event in changes:
        sign = 1 if event["arguments"]["from"] == ZERO else -1
        supply += sign * int(event["arguments"]["value"])
        expected[event["block"]] = supply
    for height in sorted(expected, reverse=True) + sorted(expected):
        call = late.call("data_query", contract=token, function="totalSupply()(uint256)", block=height)
        assert (int(call.result["values"][0]), call.result["block"]) == (expected[height], height)


def test_sql_and_events_agree(late: Bench, token: str) -> None:
    """A table of a contract's events, the table of all transfers, and the list of events count the same."""
    listed = late.call("data_query", contract=token, event=TRANSFER, from_block=0).result
    counted = late.call("data_query", contract=token, event=TRANSFER, sql="SELECT count(*), sum(value) FROM events")
    text = f"SELECT count(*), sum(value) FROM erc20_transfers WHERE erc20 = '{token}'"
    wanted = [listed["count"], str(sum(int(event["arguments"]["value"]) for event in listed["events"]))]
    assert counted.result["rows"] == [wanted]
    assert late.call("data_query", sql=text).result["rows"] == [wanted]


def test_a_statement_that_runs_for_ever_ends_the_run(late: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of real time is no reply: nothing of it reaches the model."""
    monkeypatch.setattr("caia_replay.chain.sql_query.LIMIT_S", 1.0)
    endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"
    with pytest.raises(WallLimit, match="took longer than 1 s"):
        late.call("data_query", sql=endless)


def test_what_is_told_in_replay_is_told_by_the_origin(short_economy: ShortEconomy, short_world: FrozenWorld) -> None:
    """Forty calls as a model might make them; of contracts with a recorded interface none is a miss."""
    found = judged("data_query", DRAWS["data_query"], short_world, short_economy.origin, 40)
    assert found.wrong == [] and found.answered >= 0.7
    inside = judged("data_query", INSIDE["data_query"], short_world, short_economy.origin, 25, seed=1)
    assert inside.wrong == [] and inside.served["MISS"] == 0
