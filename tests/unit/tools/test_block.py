"""Blocks, heights, times and ranges, held against a chain that still lives and the shipped worlds."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.tool import Served, ToolReply
from caia_replay.errors import Miss, ToolError
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.chain_height import block_at, describe_block, height_argument, shown_block
from caia_replay.tools.contract import block_or_time, block_range
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.chain_world import ANCHOR, ChainWorld
from tests.live_draft import NOW, draft
from tests.unit.tools.conftest import Desk


def test_times_mean_the_blocks_that_lie_between_them(chain_world: ChainWorld) -> None:
    """For moments around every block; a date is its first second or its last, never beyond now; heights as usual."""
    view, times = ToolContext(chain_world.world), [chain_world.time(number) for number in range(ANCHOR + 1)]
    for moment in (at + more for at in times[2:-1] for more in (-1, 0, 1)):
        first = min(number for number, made in enumerate(times) if made >= moment)
        last = max(number for number, made in enumerate(times) if made <= moment)
        assert block_range(view, "origin", utc_text(moment), None, None) == (first, ANCHOR)
        assert block_range(view, "origin", None, utc_text(moment), 0) == (0, last)
        assert block_or_time(view, "origin", utc_text(moment)) == last
    day = utc_text(view.now)[:10]
    first, last = block_range(view, "origin", day, day, None)
    assert last == ANCHOR == block_or_time(view, "origin", day) and first <= 1
    for asked, meant in ((("3", "0x7", None), (3, 7)), ((None, 7, None), (7, 7)), ((None, None, 0), (0, ANCHOR))):
        assert block_range(view, "origin", *asked) == meant
    assert block_or_time(view, "origin", "latest") == block_or_time(view, "origin", None) == ANCHOR
    for first, last in ((9, 3), (0, ANCHOR + 1), (-1, 3), ("2999-01-01", None), (0, "1999-01-01"), ("soon", None)):
        with pytest.raises(ToolError):
            block_range(view, "origin", first, last, None)


def test_heights_have_one_meaning_however_they_are_written(chain_world: ChainWorld) -> None:
    """Latest and nothing are the newest; nothing else is guessed at, of no length, and no block is still to come."""
    view = ToolContext(chain_world.world)
    for text in (10, "10", "0xa", "0xA", " 10 ", "'10'", "0X0A"):
        assert height_argument(view, "origin", text) == 10
    for nothing in (None, "latest", "Latest"):
        assert height_argument(view, "origin", nothing) == ANCHOR
    for text in (
        "0x" + "f" * 6000, "9" * 5000, "0b11", "1_0", "\u0663", "007x", "-1", "pending", "", -1, ANCHOR + 1, 10**30,
    ):  # fmt: skip
        with pytest.raises(ToolError):
            height_argument(view, "origin", text)


def test_a_moment_means_the_last_block_by_then(chain_world: ChainWorld) -> None:
    """A second before a block is still the one before it; before the chain, to come, or beside a block it is told."""
    view = ToolContext(chain_world.world)
    for height in range(1, chain_world.task.anchor.block + 1):
        made = chain_world.time(height)
        assert block_at(view, "origin", made) == height
        assert block_at(view, "origin", made - 1) == height - 1
        assert height_argument(view, "origin", None, utc_text(made)) == height
        assert describe_block(view, "origin", height) == {
            "block": height,
            "timestamp": made,
            "time_utc": utc_text(made),
        }
        assert shown_block(view, "origin", height) == describe_block(view, "origin", height)
    assert view.served is Served.DERIVED
    now = chain_world.task.anchor.timestamp
    assert block_at(view, "origin", chain_world.time(0) - 1) is None
    with pytest.raises(ToolError, match="begins at 2023-11-14T22:13:20Z"):
        height_argument(view, "origin", None, "2020-01-01")
    with pytest.raises(ToolError, match="has not come yet"):
        height_argument(view, "origin", None, now + 1)
    with pytest.raises(ToolError, match="not both"):
        height_argument(view, "origin", 3, now)


def test_a_block_is_at_its_headers_time(chain_world: ChainWorld) -> None:
    """As the living node has it, the next one follows; every second lies between two; what is between is counted."""
    last = chain_world.task.anchor.block
    for height in range(last + 1):
        shown = chain_world.call("time_conversion", block=height).result
        made = chain_world.time(height)
        assert (shown["unix_seconds"], shown["time_utc"]) == (made, utc_text(made))
        (around,) = shown["blocks"]
        assert around["last_block"] == {"block": height, "timestamp": made, "time_utc": utc_text(made)}
        following = around["next_block"]
        assert following is None if height == last else following["block"] == height + 1
    begun, now = chain_world.time(0), chain_world.task.anchor.timestamp
    times = [chain_world.time(height) for height in range(chain_world.task.anchor.block + 1)]
    for moment in range(begun - 2, now + 1, 5):
        (around,) = chain_world.call("time_conversion", time=moment).result["blocks"]
        past = [height for height, made in enumerate(times) if made <= moment]
        later = [height for height, made in enumerate(times) if made > moment]
        assert (around["last_block"] or {}).get("block") == (past[-1] if past else None)
        assert (around["next_block"] or {}).get("block") == (later[0] if later else None)
    shown = chain_world.call("time_conversion", block=3, end_block=11).result
    seconds = chain_world.time(11) - chain_world.time(3)
    assert shown["between"] == {
        "seconds": seconds,
        "days": round(seconds / 86_400, 6),
        "blocks": [{"chain": "origin", "count": 8, "average_seconds": seconds / 8}],
    }
    start, end = utc_text(chain_world.time(3) + 1), chain_world.time(12) - 1
    assert chain_world.call("time_conversion", time=start, end_time=end).result["between"]["blocks"][0]["count"] == 8
    back = chain_world.call("time_conversion", block=11, end_block=3).result["between"]
    assert (back["seconds"], back["blocks"][0]["count"]) == (-seconds, -8)


@given(st.integers(0, 4_000_000_000), st.integers(-14 * 60, 14 * 60), st.booleans())
def test_every_spelling_is_one_moment(chain_world: ChainWorld, moment: int, minutes: int, named: bool) -> None:
    """Seconds, milliseconds, UTC and any offset lead back to the same second, also of years to come."""
    sign, hours = "-" if minutes < 0 else "+", divmod(abs(minutes), 60)
    offset = f"{'UTC' if named else ''}{sign}{hours[0]:02d}:{hours[1]:02d}"
    asked = {"time": utc_text(moment), "utc_offset": offset, "include_blocks": False}
    reply = chain_world.call("time_conversion", **asked)
    shown = reply.result
    assert reply.served is Served.COMPUTED and shown["blocks"] == []
    assert (shown["unix_seconds"], shown["unix_milliseconds"]) == (moment, moment * 1000)
    there = datetime.fromisoformat(shown["time_at_offset"])
    assert there.timestamp() == moment
    assert there.utcoffset().total_seconds() == minutes * 60
    assert there.strftime("%A") == shown["weekday_utc"] or minutes


def test_what_is_to_come_has_no_blocks(chain_world: ChainWorld) -> None:
    """A later moment is arithmetic alone, on a chain whose later blocks are recorded too."""
    later = chain_world.time(chain_world.task.anchor.block + 2)
    shown = chain_world.call("time_conversion", time=later, end_time="now").result
    assert shown["start"]["blocks"][0]["last_block"] is shown["start"]["blocks"][0]["next_block"] is None
    assert shown["between"]["blocks"][0]["count"] is None
    assert shown["start"]["seconds_before_now"] == chain_world.task.anchor.timestamp - later < 0
    assert chain_world.call("time_conversion", block=chain_world.task.anchor.block + 1).served is Served.ERROR


def test_wrong_questions_are_told(chain_world: ChainWorld) -> None:
    """Two heights or times at once, unknown chains, what is no hash, no date and no offset."""
    for arguments in [
        {"time": "now", "block": 3}, {"end_time": "now", "end_block": 3}, {"block": 3, "chain": "nowhere"},
        {"time": "05/06/2024"}, {"utc_offset": "Shanghai"}, {"utc_offset": "+15:00"}, {"utc_offset": "+08:75"},
    ]:  # fmt: skip
        assert chain_world.call("time_conversion", **arguments).error["type"] == "tool_error"
    for arguments in [{"chain": "nowhere"}, {"block": 1, "time": "now"}, {"block": "0x" + "g" * 64}, {"cursor": 1}]:
        assert chain_world.call("block_query", **arguments).error["type"] == "tool_error"
        both = {"block": "0x" + "1" * 64, "time": "now"}
        assert chain_world.call("block_query", **both).error["type"] == "tool_error"


def test_several_chains(large: FrozenWorld) -> None:
    """All at one moment, each by its own headers, up to its own newest block and never past it."""
    bench = Desk(large, large.folder.suite.active()[0])
    shown = bench.call("time_conversion", chain="all").result
    assert [item["chain"] for item in shown["blocks"]] == list(large.snapshots)
    for item in shown["blocks"]:
        assert item["last_block"]["timestamp"] <= bench.task.anchor.timestamp
        assert item["last_block"]["block"] == bench.world.newest(item["chain"])
    assert bench.call("time_conversion", chain="all", block=3).served is Served.ERROR
    for name in large.folder.suite.active()[::25]:
        task = large.folder.task(name)
        view = ToolContext(large.task(task))
        for chain, source in view.chains.items():
            last = source.heights[-1][1]
            if chain != task.anchor.chain and describe_block(view, chain, last)["timestamp"] < task.anchor.timestamp:
                with pytest.raises(Miss, match=str(last + 1)):  # nobody recorded what followed
                    height_argument(view, chain, None)
                continue
            newest = height_argument(view, chain, None)
            assert describe_block(view, chain, newest)["timestamp"] <= task.anchor.timestamp
            if newest < source.heights[-1][1] and chain != task.anchor.chain:
                assert describe_block(view, chain, newest + 1)["timestamp"] > task.anchor.timestamp
                with pytest.raises(ToolError):
                    height_argument(view, chain, newest + 1)


def test_the_calendar_needs_no_chain(tmp_path: Path) -> None:
    """A moment is converted without blocks; a block, or a chain asked for by its name, is a miss."""
    folder = draft(tmp_path)
    with FrozenWorld(folder) as world, WorldToolset(world.task(folder.task("t1"))) as tools:

        def call(**arguments: Any) -> ToolReply:
            return tools.call("time_conversion", json.dumps(arguments))

        now = call().result
        assert now is not None and (now["unix_seconds"], now["blocks"]) == (NOW, [])
        both = call(time="2025-05-01", end_time="2025-05-02").result
        assert both is not None and both["between"] == {"seconds": 86_400, "days": 1.0, "blocks": []}
        assert call(chain="all").result == now
        for missed in ({"block": 1}, {"block": "latest"}, {"chain": "ethereum"}, {"chain": "ethereum", "block": 1}):
            assert call(**missed).served is Served.MISS
        assert call(chain="all", block=1).served is Served.ERROR
        assert call(chain="ethereum", include_blocks=False).result == now


def test_the_newest_block_is_the_anchor_and_the_future_does_not_exist(late: Desk, early: Desk) -> None:
    """A later block is refused by number and time, unknown by hash as are its transactions; unknown is missed."""
    for bench in (late, early, late):
        shown = bench.call("block_query").result
        assert (shown["number"], shown["timestamp"]) == (bench.task.anchor.block, bench.task.anchor.timestamp)
    later = late.call("block_query", include_transactions=True).result
    assert early.call("block_query", block=later["number"]).served is Served.ERROR
    assert early.call("block_query", time=later["time_utc"]).served is Served.ERROR
    assert early.call("block_query", block=later["hash"]).served is Served.MISS
    holder = {"address": "0x" + "11" * 20, "block": later["number"]}
    assert early.call("balance_query", **holder).served is Served.ERROR
    for transaction in later["transactions"]:
        assert early.call("transaction_query", hash=transaction["hash"]).served is Served.MISS
    assert late.call("block_query", block="0x" + "12" * 32).served is Served.MISS


def test_a_block_is_what_the_living_node_has(chain_world: ChainWorld) -> None:
    """Header and transactions of every block, by height, hash and time, however these are written."""
    for height in range(chain_world.task.anchor.block + 1):
        told = chain_world.live("eth_getBlockByNumber", hex(height), True)
        shown = chain_world.call("block_query", block=height, include_transactions=True).result
        assert shown["hash"] == told["hash"] and shown["parent_hash"] == told["parentHash"]
        assert (shown["gas_used"], shown["gas_limit"]) == (int(told["gasUsed"], 16), int(told["gasLimit"], 16))
        assert (shown["timestamp"], shown["state_root"]) == (int(told["timestamp"], 16), told["stateRoot"])
        assert [(item["hash"], item["from"], item["to"], int(item["value_wei"])) for item in shown["transactions"]] == [
            (item["hash"], item["from"], item["to"], int(item["value"], 16)) for item in told["transactions"]
        ]
        shouted = "0x" + told["hash"][2:].upper()
        for text in (str(height), hex(height), f" {told['hash']} ", shouted, f'"{shouted}"'):
            again = chain_world.call("block_query", block=text, include_transactions=True)
            assert again.result == shown
        for time in (utc_text(shown["timestamp"]), shown["timestamp"]):
            assert chain_world.call("block_query", time=time, include_transactions=True).result == shown


def test_a_long_block_is_read_in_parts(chain_world: ChainWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts follow one another to the whole; the last has no next one, and nothing lies past the end."""
    height = chain_world.past()[-1][1]
    whole = chain_world.call("block_query", block=height, include_transactions=True).result
    monkeypatch.setattr("caia_replay.tools.block.TRANSACTIONS_SHOWN", 3)
    found, cursor = [], 0
    while cursor is not None:
        part = chain_world.call("block_query", block=height, include_transactions=True, cursor=cursor).result
        assert part["transaction_count"] == whole["transaction_count"]
        found, cursor = [*found, *part["transactions"]], part["next_cursor"]
    assert found == whole["transactions"] and len(found) > 3
    for wrong in (-1, len(found) + 1):
        told = chain_world.call("block_query", block=height, include_transactions=True, cursor=wrong)
        assert told.served is Served.ERROR
