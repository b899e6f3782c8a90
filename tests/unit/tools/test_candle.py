from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import Miss, ToolError
from caia_replay.store.world_folder import open_world
from caia_replay.tools.argument import DAY_S, HOUR_S
from caia_replay.tools.asset import resolve_asset, spot_symbol
from caia_replay.tools.call_view import CallView
from caia_replay.tools.candle import (
    INTERVALS,
    PAGE,
    Candle,
    candles,
    interval_argument,
    newest_candles,
    window_start,
)
from caia_replay.world.world import FrozenWorld
from tests.anchored import anchored
from tests.short_economy import ShortEconomy
from tests.told import Told, told
from tests.unit.tools.conftest import Bench

NOON = 1_725_192_000
"""2024-09-01T12:00:00Z."""


@pytest.fixture(scope="module")
def view(short_economy: ShortEconomy) -> Iterator[CallView]:
    """The economy's last task: more hours than a page holds are past."""
    with FrozenWorld(open_world(str(short_economy.report.world))) as world:
        yield CallView(Bench(world, anchored(world.folder, 100).id).world)


@pytest.fixture(scope="module")
def native(view: CallView) -> str:
    """The native coin's market."""
    main = next(name for name in view.chains if not name.endswith("rollup"))
    return spot_symbol(view, resolve_asset(view, f"id:{main}"))


def _row(opened: int, **other: Any) -> list[Any]:
    row = [opened * 1000, "1.5", "2", "1", "1.75", "10", (opened + HOUR_S) * 1000 - 1, "16", 7, "5", "8", "0"]
    for place, value in other.items():
        row[int(place[1:])] = value
    return row


def test_more_than_a_page_is_joined(view: CallView, native: str) -> None:
    """A window of over a thousand hours has every one of them once, in order, each beginning where the last ended."""
    begun = int(view.chains[view.anchor.chain].header(0)["timestamp"], 16)
    found = candles(view, native, "1h", begun, view.now)
    assert len(found) == (view.now - begun) // HOUR_S > PAGE
    assert all(one.closed == other.opened for one, other in pairwise(found))
    assert all(one.low <= min(one.open, one.close) <= max(one.open, one.close) <= one.high for one in found)


def test_the_running_candle_is_not_told(view: CallView, native: str) -> None:
    """What is over by the end of the window, or by now, is told; the candle that runs then is not."""
    for interval in ("1h", "4h", "1d"):
        newest = newest_candles(view, native, interval, 1, view.now)[0]
        assert newest.closed <= view.now < newest.closed + (newest.closed - newest.opened)
    assert candles(view, native, "1h", NOON, NOON + HOUR_S - 1) == []
    assert [one.opened for one in candles(view, native, "1h", NOON, NOON + HOUR_S)] == [NOON]
    assert candles(view, native, "1h", NOON, view.now + 9 * DAY_S) == candles(view, native, "1h", NOON, view.now)


def test_longer_candles_are_made_of_shorter_ones(view: CallView, native: str) -> None:
    """A day opens with its first hour, closes with its last, and has the hours' volume."""
    day = candles(view, native, "1d", NOON - 2 * DAY_S, NOON)[0]
    hours = candles(view, native, "1h", day.opened, day.closed)
    assert (day.open, day.close, len(hours)) == (hours[0].open, hours[-1].close, 24)
    assert (day.high, day.low) == (max(one.high for one in hours), min(one.low for one in hours))
    assert (day.volume, day.trades) == (sum(one.volume for one in hours), sum(one.trades for one in hours))


def test_what_was_not_recorded_is_a_miss(view: CallView, native: str) -> None:
    """Minutes were not recorded; a market that is none is the caller's mistake or a miss, never an empty list."""
    with pytest.raises(Miss):
        newest_candles(view, native, "1m", 5, view.now)
    with pytest.raises((Miss, ToolError)):
        newest_candles(view, "NOSUCH", "1h", 5, view.now)


@pytest.mark.parametrize(
    "reply",
    [
        {"code": 0},
        [[]],
        [_row(NOON, i1="free")],
        [_row(NOON, i4="NaN")],
        [_row(NOON, i8=None)],
        [_row(NOON + 1)],
        [_row(NOON - HOUR_S)],
        [_row(NOON + 9 * HOUR_S)],
        [_row(NOON), _row(NOON)],
        [_row(NOON + HOUR_S), _row(NOON)],
        [None],
    ],
)
def test_rows_that_no_venue_sends_are_a_miss(reply: Any) -> None:
    """Of another shape, off the grid, outside what was asked for or out of order: nothing is made of them."""
    with pytest.raises(Miss):
        candles(told(reply), "AB", "1h", NOON, NOON + 3 * HOUR_S)


def test_pages_are_asked_for_as_the_venue_has_them() -> None:
    """A full page is followed by one from its end on; one that is not full is the last."""
    first = [_row(NOON + at * HOUR_S) for at in range(PAGE)]
    last = NOON + 3 * PAGE * HOUR_S
    world = Told(first, [_row(NOON + PAGE * HOUR_S)], now=last)
    found = candles(world, "AB", "1h", NOON - 5, last)  # type: ignore[arg-type]
    assert len(found) == PAGE + 1
    assert [asked["startTime"] for _, asked in world.asked] == [NOON * 1000, (NOON + PAGE * HOUR_S) * 1000]
    assert all(asked["endTime"] == (last - HOUR_S) * 1000 for _, asked in world.asked)


def test_a_window_beyond_measure_is_refused() -> None:
    """Ten thousand candles are the most; nothing is asked for more."""
    with pytest.raises(ToolError, match="10,000"):
        candles(told(), "AB", "1m", NOON - 8 * DAY_S, NOON)


@given(st.sampled_from(INTERVALS), st.integers(1, 300), st.integers(10**9, NOON))
def test_a_count_of_candles_is_a_window(interval: str, count: int, until: int) -> None:
    """The window of the last candles begins where the first opens, so that exactly so many are over at its end."""
    first = window_start(interval, count, until)
    assert window_start(interval, count + 1, until) < first <= until
    assert window_start(interval, 1, window_start(interval, 1, until)) == window_start(interval, 2, until)


def test_intervals_are_read_as_people_write_them() -> None:
    """Words and other units name the venue's own intervals; a month is a capital M, and no other month is guessed."""
    read = {"1h": "1h", "60m": "1h", "Hourly": "1h", "1 day": "1d", "daily": "1d", "7d": "1w", "week": "1w",
            "1m": "1m", "1M": "1M", "monthly": "1M", "1H": "1h", "'4h'": "4h"}  # fmt: skip
    assert {text: interval_argument(text) for text in read} == read
    for text in ("3M", "3d", "7h", "1s", "", "often"):
        with pytest.raises(ToolError, match="one of"):
            interval_argument(text)


def test_a_candle_is_what_the_row_says() -> None:
    """Every figure stands where the venue puts it."""
    one = candles(told([_row(NOON)]), "AB", "1h", NOON, NOON + HOUR_S)[0]
    figures = [Decimal(text) for text in ("1.5", "2", "1", "1.75", "10", "16")]
    assert one == Candle(NOON, NOON + HOUR_S, *figures, 7)  # type: ignore[arg-type]
