from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from caia_replay.errors import Miss, ToolError
from caia_replay.tools.call_view import CallView
from caia_replay.tools.contract_event import matching_events
from caia_replay.tools.signature import parse_event
from caia_replay.tools.table_query import EventTable, told_table
from tests.chain_world import ANCHOR

if TYPE_CHECKING:
    from tests.chain_world import ChainWorld

TRANSFER = parse_event("Transfer(address indexed from, address indexed to, uint256 value)")


def test_tables_count_what_the_living_node_counts(chain_world: ChainWorld) -> None:
    """Transactions, logs and tokens moved up to the task's block, which is not the chain's last."""
    view = CallView(chain_world.world)
    counts = "(SELECT count(*) FROM transactions), (SELECT count(*) FROM logs)"
    text = f"SELECT {counts}, (SELECT sum(value) FROM erc20_transfers)"
    told = told_table(view, "origin", text, 0, ANCHOR, None, 0, 10)
    bodies = [chain_world.live("eth_getBlockByNumber", hex(number), True) for number in range(ANCHOR + 1)]
    logs = chain_world.live("eth_getLogs", {"fromBlock": "0x0", "toBlock": hex(ANCHOR)})
    topic = "0x" + TRANSFER.hash.hex()
    moved = [log for log in logs if log["topics"][:1] == [topic] and len(log["topics"]) == 3 and len(log["data"]) == 66]
    assert told["rows"] == [
        [sum(len(body["transactions"]) for body in bodies), len(logs), str(sum(int(log["data"], 16) for log in moved))]
    ]
    assert (told["total_rows"], told["next_offset"], told["tables"]) == (
        1,
        None,
        ["erc20_transfers", "logs", "transactions"],
    )
    assert str(view.served) == "DERIVED"


def test_events_are_a_table_of_their_arguments(chain_world: ChainWorld) -> None:
    """Sums over it are the sums over the events; it is there only where an event was named."""
    view, token = CallView(chain_world.world), chain_world.origin.tokens[0]
    events = matching_events(view, "origin", token, TRANSFER, 0, ANCHOR, ())
    text = 'SELECT "to", sum(value), count(*) FROM events GROUP BY 1'
    told = told_table(view, "origin", text, 0, ANCHOR, EventTable(TRANSFER, events), 0, 100)
    sums: dict[str, list[int]] = {}
    for event in events:
        sums.setdefault(event["arguments"]["to"], []).append(int(event["arguments"]["value"]))
    assert told["rows"] == [[to, str(sum(values)), len(values)] for to, values in sorted(sums.items())]
    with pytest.raises(ToolError, match="no table 'events'"):
        told_table(view, "origin", text, 0, ANCHOR, None, 0, 100)
    empty = told_table(view, "origin", "SELECT sum(value) FROM events", 0, 0, EventTable(TRANSFER, ()), 0, 100)
    assert empty["rows"] == [[None]]


def test_arguments_of_every_kind_find_a_column(chain_world: ChainWorld) -> None:
    """Signed and wide numbers, truth, bytes, lists, and names that the table has already."""
    event = parse_event("E(int256 a, uint256 wide, bool flag, bytes4 tag, uint8[] many, uint256 block_number)")
    row = {"block": 3, "log_index": 1, "transaction": "0xab"}
    values = {
        "a": "-5",
        "wide": str(2**255),
        "flag": True,
        "tag": "0x01020304",
        "many": ["1", "2"],
        "block_number": "9",
    }
    table = EventTable(event, [{**row, "arguments": values}])
    text = "SELECT a + 1, wide_string, flag, tag, many, block_number, block_number_ FROM events"
    view = CallView(chain_world.world)
    told = told_table(view, "origin", text, 0, 0, table, 0, 100)
    assert told["rows"] == [["-4", str(2**255), True, "0x01020304", "['1', '2']", 3, "9"]]
    with pytest.raises(ToolError, match="wide_string"):
        told_table(view, "origin", "SELECT wide FROM events", 0, 0, table, 0, 100)


def test_what_was_not_recorded_is_a_miss(chain_world: ChainWorld) -> None:
    """Blocks behind the last recorded one are in no table."""
    with pytest.raises(Miss, match="all blocks of blocks 0 to 900"):
        told_table(CallView(chain_world.world), "origin", "SELECT count(*) FROM blocks", 0, 900, None, 0, 100)
