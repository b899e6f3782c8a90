from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from caia_replay.core.tool import Served

if TYPE_CHECKING:
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
        ({"function": "totalSupply()"}, Served.ERROR),
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
