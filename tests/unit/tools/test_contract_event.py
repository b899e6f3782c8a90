from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from caia_replay.errors import ToolError
from caia_replay.tools.call_view import CallView
from caia_replay.tools.contract_event import matching_events, told_events
from caia_replay.tools.signature import parse_event

if TYPE_CHECKING:
    from tests.chain_world import ChainWorld

TRANSFER = parse_event("Transfer(address indexed from, address indexed to, uint256 value)")


def test_a_filter_by_arguments_is_a_selection_of_all(chain_world: ChainWorld) -> None:
    """By indexed and other arguments, alone and together, in any case of letters: the same events, in order."""
    view, token = CallView(chain_world.world), chain_world.origin.tokens[0]
    whole = matching_events(view, "origin", token, TRANSFER, 0, 24, ())
    logs = chain_world.live("eth_getLogs", {"address": token, "fromBlock": "0x0", "toBlock": "0x18"})
    assert [event["transaction"] for event in whole] == [
        log["transactionHash"] for log in logs if log["topics"][0] == "0x" + TRANSFER.hash.hex()
    ]
    for name in ("from", "to", "value"):
        for value in sorted({event["arguments"][name] for event in whole})[:4]:
            wanted = [event for event in whole if event["arguments"][name] == value]
            for text in (f"{name}={value}", f" {name} = {value.upper().replace('0X', '0x')} "):
                assert matching_events(view, "origin", token, TRANSFER, 0, 24, [text]) == wanted
    pair = whole[-1]["arguments"]
    both = [f"from={pair['from']}", f"value={pair['value']}"]
    assert whole[-1] in matching_events(view, "origin", token, TRANSFER, 0, 24, both)


def test_parts_add_up_and_say_how_to_go_on(chain_world: ChainWorld) -> None:
    """count is of all; next_offset is null at the end; the time beside an event is its block's."""
    view, token = CallView(chain_world.world), chain_world.origin.tokens[0]
    whole = told_events(view, "origin", token, TRANSFER, 0, 24, (), 0, 1_000)
    listed, offset = [], 0
    while offset is not None:
        part = told_events(view, "origin", token, TRANSFER, 0, 24, (), offset, 7)
        assert part["count"] == whole["count"] == len(whole["events"]) > 7
        listed, offset = listed + part["events"], part["next_offset"]
    assert listed == whole["events"]
    assert all(event["time_utc"].endswith("Z") for event in listed)
    assert told_events(view, "origin", token, TRANSFER, 0, 24, (), 0, 0)["events"] == []


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("from", "name=value"),
        ("=1", "no argument"),
        ("form=0x12", "nearest: from"),
        ("from=0x12", "do not fit"),
        ("value=ten", "no whole number"),
        ("to=", "name=value"),
    ],
)
def test_a_filter_that_cannot_be_read_is_told(chain_world: ChainWorld, where: str, words: str) -> None:
    """Never ignored."""
    view, token = CallView(chain_world.world), chain_world.origin.tokens[0]
    with pytest.raises(ToolError, match=words):
        matching_events(view, "origin", token, TRANSFER, 0, 24, [where])
    with pytest.raises(ToolError, match="twice"):
        matching_events(view, "origin", token, TRANSFER, 0, 24, ["value=1", "value=1"])


def test_texts_are_looked_up_by_their_hash_and_lists_are_not() -> None:
    """What the chain keeps of an indexed text is its hash."""
    from caia_replay.tools.contract_event import _topic
    from caia_replay.tools.signature import Parameter

    known = "0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8"  # keccak-256 of hello
    assert _topic(Parameter("string", "name", True), "hello") == known
    assert _topic(Parameter("bytes", "name", True), "0x68656c6c6f") == known
    assert _topic(Parameter("bool", "flag", True), "true") == "0x" + "0" * 63 + "1"
    with pytest.raises(ToolError, match="list or tuple"):
        _topic(Parameter("uint256[]", "many", True), "1")
