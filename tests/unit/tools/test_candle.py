"""Candles and charts: pages, windows, intervals, and replies of another shape."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import DAY_S, HOUR_S
from caia_replay.tools.asset import Asset, resolve_asset, spot_symbol
from caia_replay.tools.call_view import CallView
from caia_replay.tools.candle import INTERVALS, PAGE, Candle, candles, interval_argument, newest_candles, window_start
from caia_replay.tools.chart import Point, point_at, points, step_argument
from tests.told import Told, told
from tests.unit.tools.conftest import Bench

NOON = 1_725_192_000
"""2024-09-01T12:00:00Z."""


@pytest.fixture(scope="module")
def view(bench: Bench) -> CallView:
    """The economy's last task: more hours than a page holds are past."""
    return CallView(bench.world)


@pytest.fixture(scope="module")
def coin(view: CallView, native: str) -> Asset:
    """The native coin."""
    return resolve_asset(view, native)


@pytest.fixture(scope="module")
def market(view: CallView, coin: Asset) -> str:
    """The native coin's market."""
    return spot_symbol(view, coin)


def _row(opened: int, **other: Any) -> list[Any]:
    row = [opened * 1000, "1.5", "2", "1", "1.75", "10", (opened + HOUR_S) * 1000 - 1, "16", 7, "5", "8", "0"]
    for place, value in other.items():
        row[int(place[1:])] = value
    return row


def test_candles_of_a_market(view: CallView, market: str) -> None:
    """More than a page is joined, the running one is not told, long ones are made of short ones, minutes missed."""
    noon = view.now // DAY_S * DAY_S - 12 * HOUR_S
    begun = int(view.chains[view.anchor.chain].header(0)["timestamp"], 16)
    found = candles(view, market, "1h", begun, view.now)
    assert len(found) == (view.now - begun) // HOUR_S > PAGE
    assert all(one.closed == other.opened for one, other in pairwise(found))
    assert all(one.low <= min(one.open, one.close) <= max(one.open, one.close) <= one.high for one in found)
    for interval in ("1h", "4h", "1d"):
        newest = newest_candles(view, market, interval, 1, view.now)[0]
        assert newest.closed <= view.now < newest.closed + (newest.closed - newest.opened)
    assert candles(view, market, "1h", noon, noon + HOUR_S - 1) == []
    assert [one.opened for one in candles(view, market, "1h", noon, noon + HOUR_S)] == [noon]
    assert candles(view, market, "1h", noon, view.now + 9 * DAY_S) == candles(view, market, "1h", noon, view.now)
    day = candles(view, market, "1d", noon - 2 * DAY_S, noon)[0]
    hours = candles(view, market, "1h", day.opened, day.closed)
    assert (day.open, day.close, len(hours)) == (hours[0].open, hours[-1].close, 24)
    assert (day.high, day.low) == (max(one.high for one in hours), min(one.low for one in hours))
    assert (day.volume, day.trades) == (sum(one.volume for one in hours), sum(one.trades for one in hours))
    with pytest.raises(Miss):
        newest_candles(view, market, "1m", 5, view.now)
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
    """A full page is followed by one from its end on; ten thousand candles are the most; every figure has its place."""
    first = [_row(NOON + at * HOUR_S) for at in range(PAGE)]
    last = NOON + 3 * PAGE * HOUR_S
    world = Told(first, [_row(NOON + PAGE * HOUR_S)], now=last)
    found = candles(world, "AB", "1h", NOON - 5, last)
    assert len(found) == PAGE + 1
    assert [asked["startTime"] for _, asked in world.asked] == [NOON * 1000, (NOON + PAGE * HOUR_S) * 1000]
    assert all(asked["endTime"] == (last - HOUR_S) * 1000 for _, asked in world.asked)
    with pytest.raises(ToolError, match="10,000"):
        candles(told(), "AB", "1m", NOON - 8 * DAY_S, NOON)
    one = candles(told([_row(NOON)]), "AB", "1h", NOON, NOON + HOUR_S)[0]
    figures = [Decimal(text) for text in ("1.5", "2", "1", "1.75", "10", "16")]
    assert one == Candle(NOON, NOON + HOUR_S, *figures, 7)


@given(st.sampled_from(INTERVALS), st.integers(1, 300), st.integers(10**9, NOON))
def test_a_count_of_candles_is_a_window(interval: str, count: int, until: int) -> None:
    """The window of the last candles begins where the first opens, so that exactly so many are over at its end."""
    first = window_start(interval, count, until)
    assert window_start(interval, count + 1, until) < first <= until
    assert window_start(interval, 1, window_start(interval, 1, until)) == window_start(interval, 2, until)


NOW = 1_725_203_188
"""2024-09-01T15:06:28Z."""
COIN = Asset("a-coin", "ac", "A Coin", {})


def _chart(*times: int) -> dict[str, Any]:
    return {name: [[time * 1000, 1.5] for time in times] for name in ("prices", "market_caps", "total_volumes")}


def test_intervals_and_steps_are_read_as_people_write_them() -> None:
    """Words and other units name the venue's own; a month is a capital M, and no other length is guessed."""
    read = {"1h": "1h", "60m": "1h", "Hourly": "1h", "1 day": "1d", "daily": "1d", "7d": "1w", "week": "1w",
            "1m": "1m", "1M": "1M", "monthly": "1M", "1H": "1h", "'4h'": "4h"}  # fmt: skip
    assert {text: interval_argument(text) for text in read} == read
    steps = {"hourly": "hourly", "1h": "hourly", "60 minutes": "hourly", "Daily": "daily", "1d": "daily",
             "24h": "daily", "5m": "5m", "5 min": "5m"}  # fmt: skip
    assert {text: step_argument(text) for text in steps} == steps
    for text in ("3M", "3d", "7h", "1s", "", "often"):
        with pytest.raises(ToolError, match="one of"):
            interval_argument(text)
    for text in ("4h", "weekly", ""):
        with pytest.raises(ToolError, match="hourly"):
            step_argument(text)


def test_points_of_a_chart(view: CallView, coin: Asset) -> None:
    """Hours are hours near now too, days midnights; a moment has the point at or before it, none before the listing."""
    for back in (2 * HOUR_S, DAY_S - 1, DAY_S, DAY_S + 5, 3 * DAY_S):
        found = points(view, coin, "usd", "hourly", view.now - back, view.now)
        assert [point.time % HOUR_S for point in found] == [0] * len(found)
        assert len(found) == view.now // HOUR_S - (view.now - back - 1) // HOUR_S
    hour = (view.now - 3 * DAY_S) // HOUR_S * HOUR_S
    here, next_one = points(view, coin, "usd", "hourly", hour, hour + HOUR_S)
    assert here.price != next_one.price
    for moment in (hour, hour + 1, hour + HOUR_S - 1):
        assert point_at(view, coin, "usd", "hourly", moment) == here
    assert point_at(view, coin, "usd", "hourly", hour + HOUR_S) == next_one
    found = points(view, coin, "eur", "daily", view.now - 5 * DAY_S, view.now)
    assert [point.time % DAY_S for point in found] == [0] * 5
    assert point_at(view, coin, "eur", "daily", view.now - DAY_S).time == (view.now - DAY_S) // DAY_S * DAY_S
    begun = int(view.chains[view.anchor.chain].header(0)["timestamp"], 16)
    assert points(view, coin, "usd", "hourly", begun - 3 * DAY_S, begun)[0].time >= begun
    with pytest.raises(ToolError, match="may not have been listed"):
        point_at(view, coin, "usd", "hourly", begun - DAY_S)


@pytest.mark.parametrize(
    ("step", "first", "now", "words"),
    [
        ("daily", NOW // DAY_S * DAY_S, NOW // DAY_S * DAY_S + 60, "00:35"),
        ("daily", NOW - HOUR_S, NOW, "00:35"),
        ("hourly", NOW - 91 * DAY_S, NOW, "days"),
        ("daily", NOW - 366 * DAY_S, NOW, "days"),
        ("5m", NOW - 2 * DAY_S, NOW, "24 hours"),
    ],
)
def test_what_the_vendor_does_not_tell_is_refused(step: str, first: int, now: int, words: str) -> None:
    """A day before its 35th minute, more than 90 days of hours, a year of days or a day of five minutes."""
    with pytest.raises(ToolError, match=words):
        points(told(now=now), COIN, "usd", step, first, now)


def test_points_outside_the_window_are_left_out() -> None:
    """What was asked for to get hours is not told; an unknown figure is null, a point without a price none."""
    world = Told(_chart(NOW - 25 * HOUR_S, NOW - HOUR_S, NOW), now=NOW)
    found = points(world, COIN, "usd", "hourly", NOW - HOUR_S, NOW)
    assert [point.time for point in found] == [NOW - HOUR_S, NOW]
    assert world.asked[0][1]["from"] == NOW - 25 * HOUR_S
    chart = {**_chart(NOW - 60, NOW), "market_caps": [[NOW * 1000, None]], "total_volumes": []}
    chart["prices"] = [[(NOW - 60) * 1000, None], [NOW * 1000, 2]]
    assert points(told(chart, now=NOW), COIN, "usd", "hourly", NOW - DAY_S, NOW) == [Point(NOW, 2, None, None)]


@pytest.mark.parametrize(
    "reply",
    [[], {}, {"prices": []}, {**_chart(NOW), "prices": [[1]]}, {**_chart(NOW), "prices": [["x", 1.5]]},
     {**_chart(NOW), "prices": [[1, "1.5"]]}, {**_chart(NOW), "market_caps": None}],
)  # fmt: skip
def test_a_chart_of_another_shape_is_a_miss(reply: Any) -> None:
    """Nothing is made of what is no series of moments and numbers."""
    with pytest.raises(Miss):
        points(told(reply, now=NOW), COIN, "usd", "hourly", NOW - DAY_S, NOW)
