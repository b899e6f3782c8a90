from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.tool import Served
from caia_replay.tools.argument import DAY_S, HOUR_S
from caia_replay.tools.volatility import volatility_alerts
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.short_economy import ShortEconomy
from tests.told import told
from tests.tool_draw.market import DRAWS, INSIDE
from tests.tool_law import check_law
from tests.unit.tools.conftest import Bench

NOON = 1_725_192_000
"""2024-09-01T12:00:00Z."""
LISTED = [{"id": "a-coin", "symbol": "ac", "name": "A Coin", "platforms": {}}]
MARKETS = {"symbols": [{"symbol": "ACUSD", "baseAsset": "AC", "quoteAsset": "USD"}]}
PRICES = st.integers(1, 10**6)


def _hours(prices: Sequence[tuple[int, int]], without: Sequence[int] = ()) -> list[list[Any]]:
    """Hourly rows up to noon of opening and closing prices in hundredths, some left out."""
    first = NOON - len(prices) * HOUR_S
    rows = []
    for at, (begin, end) in enumerate(prices):
        opened = (first + at * HOUR_S) * 1000
        low, high = (f"{price / 100:.2f}" for price in (min(begin, end), max(begin, end)))
        texts = [f"{begin / 100:.2f}", high, low, f"{end / 100:.2f}"]
        rows.append([opened, *texts, "1", opened + HOUR_S * 1000 - 1, "1", 1])
    return [row for at, row in enumerate(rows) if at not in without]


def _measured(rows: Any, **arguments: Any) -> dict[str, Any]:
    asked = {"start": NOON - 20 * DAY_S, "end": NOON, "limit": 200, **arguments}
    return volatility_alerts(told(LISTED, MARKETS, rows, now=NOON), "AC", **asked)


@pytest.mark.parametrize("draws", [INSIDE, DRAWS], ids=["inside", "all"])
def test_replay_says_what_the_origin_says(draws: Any, short_world: FrozenWorld, short_economy: ShortEconomy) -> None:
    """Every answer is the living origin's; inside what is recorded there is no miss, and most calls are answered."""
    check_law(
        "volatility_alerts", draws["volatility_alerts"], short_world, short_economy.origin, inside=draws is INSIDE
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(PRICES, min_size=1, max_size=60))
def test_volatility_is_the_deviation_of_logarithms(closes: list[int]) -> None:
    """Realised volatility is what statistics makes of the closing prices' logarithms; under three there is none."""
    shown = _measured(_hours([(close, close) for close in closes]))
    returns = [math.log(after / before) for before, after in pairwise(closes)]
    assert shown["returns"] == len(returns)
    if len(returns) < 2:
        assert (shown["volatility_percent"], shown["volatility_annualised_percent"]) == (None, None)
    else:
        judge = statistics.stdev(returns) * 100
        assert shown["volatility_percent"] == pytest.approx(judge, rel=1e-9, abs=1e-6)
        assert shown["volatility_annualised_percent"] == pytest.approx(judge * math.sqrt(8_760), rel=1e-9, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(PRICES, PRICES), min_size=1, max_size=40), st.integers(1, 6), st.integers(1, 400))
def test_every_move_that_reaches_the_threshold_is_told(
    prices: list[tuple[int, int]], length: int, threshold: int
) -> None:
    """Windows begin at every candle; those that move as far as the threshold, exactly too, are the alerts."""
    shown = _measured(_hours(prices), window=f"{length}h", threshold_percent=threshold)
    pairs = [(prices[at][0], prices[at + length - 1][1]) for at in range(len(prices) - length + 1)]
    reached = [pair for pair in pairs if abs(pair[1] - pair[0]) * 100 >= threshold * pair[0]]
    assert (shown["windows"], shown["alert_count"]) == (len(pairs), len(reached))
    told_prices = [
        (round(float(one["first_price"]) * 100), round(float(one["last_price"]) * 100)) for one in shown["alerts"]
    ]
    assert told_prices == reached
    ups = [pair[1] / pair[0] - 1 for pair in pairs if pair[1] > pair[0]]
    assert (shown["largest_up"] is None) == (not ups)
    if ups:
        assert shown["largest_up"]["change_percent"] == pytest.approx(max(ups) * 100, rel=1e-9, abs=1e-6)


def test_a_direction_and_an_order_can_be_chosen() -> None:
    """Up and down together are both; by size the largest comes first and the rest is counted."""
    rows = _hours([(100, 110), (110, 99), (99, 150), (150, 60)])
    both, up, down = (_measured(rows, direction=one) for one in ("both", "up", "down"))
    assert [one["change_percent"] for one in both["alerts"]] == [10.0, -10.0, 51.515152, -60.0]
    assert (up["alert_count"], down["alert_count"]) == (2, 2)
    largest = _measured(rows, order="size", limit=1)
    assert [one["change_percent"] for one in largest["alerts"]] == [-60.0]
    assert (largest["alert_count"], largest["next_start"]) == (4, None)


def test_alerts_go_on_where_they_were_cut() -> None:
    """The first alert that was not listed begins at next_start."""
    shown = _measured(_hours([(100, 110), (100, 100), (100, 110), (100, 110)]), limit=1)
    assert (shown["alert_count"], shown["next_start"]) == (3, utc_text(NOON - 2 * HOUR_S))


def test_no_move_leads_over_a_gap() -> None:
    """A candle that the venue left out is counted, and no window and no return goes over it."""
    shown = _measured(_hours([(100, 100)] * 4 + [(500, 500)] + [(900, 900)] * 3, without=[4]), window="2h")
    assert (shown["candles"], shown["missing_candles"], shown["returns"]) == (7, 1, 5)
    assert (shown["windows"], shown["alert_count"], shown["volatility_percent"]) == (5, 0, 0.0)


def test_no_candles_are_no_calm() -> None:
    """Where there was no market the measures are null, not zero."""
    shown = _measured([])
    assert (shown["candles"], shown["volatility_percent"], shown["largest_up"], shown["widest_candle"]) == (
        0,
        *[None] * 3,
    )


def test_thresholds_are_read_as_people_write_them() -> None:
    """A number is percent, with its sign or without."""
    rows = _hours([(100, 105), (100, 104)])
    for text in (5, 5.0, "5", "5%", "5 percent"):
        shown = _measured(rows, threshold_percent=text)
        assert (shown["threshold_percent"], shown["alert_count"]) == (5.0, 1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"threshold_percent": 0}, "lies above 0"),
        ({"threshold_percent": "much"}, "takes a number"),
        ({"interval": "1M"}, "no fixed length"),
        ({"interval": "1d", "window": "30h"}, "whole candles of 1d"),
        ({"direction": "sideways"}, "both, up, down"),
        ({"order": "random"}, "time, size"),
        ({"start": "now", "end": "1 day ago"}, "after end"),
        ({"limit": 201}, "goes from 1 to 200"),
        ({"interval": "1m", "start": "30 days ago"}, "10,000"),
    ],
)
def test_what_cannot_be_meant_is_refused(bench: Bench, native: str, arguments: Any, words: str) -> None:
    """A call that has no meaning, or is beyond measure, is told what would do."""
    reply = bench.call("volatility_alerts", asset=native, **arguments)
    assert reply.served is Served.ERROR
    assert words in str(reply.error)


def test_a_month_of_hours_by_default(bench: Bench, native: str) -> None:
    """Without a window of time the last thirty days are measured, closed candles only."""
    shown = bench.call("volatility_alerts", asset=native).result
    assert shown["candles"] == 719
    assert shown["end_utc"] == utc_text(bench.world.clock.now)
    assert shown["largest_up"]["end_utc"] <= shown["end_utc"]
