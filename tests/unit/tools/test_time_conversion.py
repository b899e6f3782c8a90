from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.tool import Served, ToolReply
from caia_replay.tools.catalog import WorldToolset
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.live_draft import NOW, draft
from tests.tool_draw.onchain import DRAWS, INSIDE
from tests.tool_law import judged
from tests.unit.tools.conftest import Bench

if TYPE_CHECKING:
    from tests.chain_world import ChainWorld
    from tests.short_economy import ShortEconomy


def test_a_block_is_at_its_headers_time(chain_world: ChainWorld) -> None:
    """Every block there is at this moment, as the living node has it; the next one follows, and the last has none."""
    last = chain_world.task.anchor.block
    for height in range(last + 1):
        shown = chain_world.call("time_conversion", block=height).result
        made = chain_world.time(height)
        assert (shown["unix_seconds"], shown["time_utc"]) == (made, utc_text(made))
        (around,) = shown["blocks"]
        assert around["last_block"] == {"block": height, "timestamp": made, "time_utc": utc_text(made)}
        following = around["next_block"]
        assert following is None if height == last else following["block"] == height + 1


def test_a_moment_lies_between_two_blocks(chain_world: ChainWorld) -> None:
    """Every second of the chain: the last block at or before it, and the first after."""
    begun, now = chain_world.time(0), chain_world.task.anchor.timestamp
    times = [chain_world.time(height) for height in range(chain_world.task.anchor.block + 1)]
    for moment in range(begun - 2, now + 1, 5):
        (around,) = chain_world.call("time_conversion", time=moment).result["blocks"]
        past = [height for height, made in enumerate(times) if made <= moment]
        later = [height for height, made in enumerate(times) if made > moment]
        assert (around["last_block"] or {}).get("block") == (past[-1] if past else None)
        assert (around["next_block"] or {}).get("block") == (later[0] if later else None)


def test_what_lies_between_is_counted(chain_world: ChainWorld) -> None:
    """Seconds, days and blocks from one moment or block to another; backwards they are negative."""
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


@pytest.mark.parametrize(
    "arguments",
    [
        {"time": "now", "block": 3},
        {"end_time": "now", "end_block": 3},
        {"block": 3, "chain": "nowhere"},
        {"time": "05/06/2024"},
        {"utc_offset": "Shanghai"},
        {"utc_offset": "+15:00"},
        {"utc_offset": "+08:75"},
    ],
)
def test_wrong_questions_are_told(chain_world: ChainWorld, arguments: dict[str, Any]) -> None:
    """Each with words."""
    assert chain_world.call("time_conversion", **arguments).error["type"] == "tool_error"


def test_both_chains_are_told_at_once(short_world: FrozenWorld) -> None:
    """All chains at one moment, each by its own headers; a height is of one chain."""
    bench = Bench(short_world, short_world.folder.suite.active()[0])
    shown = bench.call("time_conversion", chain="all").result
    assert [item["chain"] for item in shown["blocks"]] == list(short_world.snapshots)
    for item in shown["blocks"]:
        assert item["last_block"]["timestamp"] <= bench.task.anchor.timestamp
        assert item["last_block"]["block"] == bench.world.newest(item["chain"])
    assert bench.call("time_conversion", chain="all", block=3).served is Served.ERROR


def test_what_is_told_in_replay_is_told_by_the_origin(short_economy: ShortEconomy, short_world: FrozenWorld) -> None:
    """Forty calls as a model might make them; what is past is never a miss."""
    found = judged("time_conversion", DRAWS["time_conversion"], short_world, short_economy.origin, 40)
    assert found.wrong == [] and found.served["ERROR"] <= 12
    inside = judged("time_conversion", INSIDE["time_conversion"], short_world, short_economy.origin, 40, seed=1)
    assert inside.wrong == [] and not inside.served["MISS"] and not inside.served["ERROR"]


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
