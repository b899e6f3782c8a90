"""positioning_analysis and volatility_alerts over a recorded economy, and rows that no venue sends."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import DAY_S, HOUR_S
from caia_replay.tools.positioning import positioning_analysis
from caia_replay.tools.volatility import volatility_alerts
from caia_replay.world.clock import utc_text
from tests.told import Told, told
from tests.unit.tools.conftest import Desk

NOW = 1_725_203_188
"""2024-09-01T15:06:28Z."""
LISTED = [{"id": "a-coin", "symbol": "ac", "name": "A Coin", "platforms": {}}]
MARKETS = {"symbols": [{"symbol": "ACUSD", "baseAsset": "AC", "quoteAsset": "USD"}]}
HISTORIES = ("funding", "open_interest", "long_short_ratio", "taker_ratio")


def _result(bench: Desk, asset: str, metric: str, **arguments: Any) -> Any:
    return bench.result("positioning_analysis", asset=asset, metric=metric, **arguments)


def _paid(rate: str, time: int) -> dict[str, Any]:
    return {"fundingRate": rate, "fundingTime": time * 1000, "markPrice": "2"}


def _held(time: int) -> dict[str, Any]:
    return {"sumOpenInterest": "1", "sumOpenInterestValue": "2", "timestamp": time * 1000}


def test_now_and_funding(bench: Desk, native: str) -> None:
    """What is open is valued at the mark price; payments, changes and ratios are summed exactly, none is no sum."""
    shown = _result(bench, native, "now")
    value = Decimal(shown["open_interest"]) * Decimal(shown["mark_price"])
    assert Decimal(shown["open_interest_value_at_mark"]) == value.quantize(Decimal("1e-8"))
    premium = Fraction(shown["mark_price"]) / Fraction(shown["index_price"]) - 1
    assert shown["mark_above_index_percent"] == pytest.approx(float(premium * 100), abs=1e-6)
    assert shown["next_funding_utc"] > shown["time_utc"] == utc_text(bench.world.clock.now)
    now = bench.world.clock.now
    shown = _result(bench, native, "funding", start=utc_text(now - 20 * DAY_S), limit=500)
    rates = [Decimal(row["rate"]) for row in shown["rows"]]
    assert shown["count"] == len(rates) == 60
    assert Decimal(shown["summary"]["sum"]) == sum(rates)
    assert Decimal(shown["summary"]["mean"]) == (sum(rates) / 60).quantize(Decimal("1e-12"))
    assert Decimal(shown["summary"]["lowest"]["value"]) == min(rates)
    assert shown["summary"]["above_zero"] == sum(rate > 0 for rate in rates)
    assert shown["rows"][-1]["rate"] == _result(bench, native, "now")["last_funding_rate"]
    assert _result(bench, native, "funding", start=utc_text(now - 20 * DAY_S), limit=1)["summary"] == shown["summary"]
    at = bench.world.clock.now // (8 * HOUR_S) * (8 * HOUR_S)
    shown = _result(bench, native, "funding", start=utc_text(at - 7 * HOUR_S), end=utc_text(at - HOUR_S))
    assert (shown["count"], shown["summary"], shown["rows"]) == (0, None, [])
    shown = _result(bench, native, "OI", start=utc_text(bench.world.clock.now - 9 * DAY_S), limit=500)
    for name, field in (("open_interest", "open_interest"), ("value", "value")):
        first, last = (Decimal(shown["rows"][at][field]) for at in (0, -1))
        assert Decimal(shown["summary"][f"{name}_change"]) == last - first
        told_ = shown["summary"][f"{name}_change_percent"]
        assert told_ == pytest.approx(float((last / first - 1) * 100), abs=1e-6)
    start = utc_text(bench.world.clock.now - 9 * DAY_S)
    for metric in ("long_short", "taker"):
        shown = _result(bench, native, metric, start=start, period="4h", limit=500)
        ratios = [Decimal(row["ratio"]) for row in shown["rows"]]
        assert Decimal(shown["summary"]["mean"]) == (sum(ratios) / len(ratios)).quantize(Decimal("1e-6"))
        assert Decimal(shown["summary"]["highest"]["value"]) == max(ratios)
    bought = sum(Decimal(row["buy_volume"]) for row in shown["rows"])
    sold = sum(Decimal(row["sell_volume"]) for row in shown["rows"])
    assert Decimal(shown["summary"]["buy_volume"]) == bought
    assert Decimal(shown["summary"]["ratio_of_sums"]) == (bought / sold).quantize(Decimal("1e-6"))
    shown = _result(bench, native, "taker_ratio")
    today = bench.world.clock.now // DAY_S * DAY_S
    assert shown["rows"][-1]["time_utc"] == utc_text(today - DAY_S)


def test_parts_make_up_the_whole(bench: Desk, native: str) -> None:
    """Those that next_start leads through; long windows are asked for in parts; a month of hours is the default."""
    for metric in HISTORIES:
        start, end = (utc_text(bench.world.clock.now - days * DAY_S) for days in (12, 1))
        whole = _result(bench, native, metric, start=start, end=end, limit=500)
        rows, at = [], start
        while at is not None:
            part = _result(bench, native, metric, start=at, end=end, limit=4)
            rows += part["rows"]
            at = part["next_start"]
        assert rows == whole["rows"]
        assert len(rows) > 8
    step = 5 * 60
    first = NOW // step * step - 700 * step
    parts = [[_held(first + at * step) for at in range(499)], [_held(first + at * step) for at in range(499, 700)]]
    world = Told(LISTED, MARKETS, *parts, now=NOW)
    asked = {"start": first, "period": "5m", "limit": 500}
    assert positioning_analysis(world, "AC", "open_interest", **asked)["count"] == 700
    pages = [[_paid("1", at) for at in range(NOW - 2_000, NOW - 1_000)], [_paid("-1", NOW - 1_000)]]
    world = Told(LISTED, MARKETS, *pages, now=NOW)
    shown = positioning_analysis(world, "AC", "funding", start=NOW - 2_000)
    assert (shown["count"], shown["summary"]["sum"]) == (1_001, "999.000000000000")
    assert world.asked[-1][1]["startTime"] == (NOW - 1_001) * 1000 + 1
    shown = bench.call("volatility_alerts", asset=native).result
    assert shown["candles"] == 719
    assert shown["end_utc"] == utc_text(bench.world.clock.now)
    assert shown["largest_up"]["end_utc"] <= shown["end_utc"]


def test_rows_that_no_venue_sends_are_a_miss() -> None:
    """Of another shape or outside the window; a ratio to nothing is null, a coin without a future refused."""
    for reply in [{"a": 1}, [None], [{}], [_paid("1", 5)], [_paid("x", NOW - 90_000)], [{"fundingTime": NOW * 1000}],
        [{"timestamp": (NOW // DAY_S - 1) * DAY_S * 1000}]]:  # fmt: skip
        for metric in HISTORIES:
            with pytest.raises(Miss):
                positioning_analysis(told(LISTED, MARKETS, reply, now=NOW), "AC", metric)
    for replies in [([], {}), ({"markPrice": "x"}, {"openInterest": "1"}), ({"markPrice": "1"}, {})]:
        with pytest.raises(Miss):
            positioning_analysis(told(LISTED, MARKETS, *replies, now=NOW), "AC")
    day = NOW // DAY_S * DAY_S - DAY_S
    row = {"buySellRatio": "1", "buyVol": "5", "sellVol": "0", "timestamp": day * 1000}
    shown = positioning_analysis(told(LISTED, MARKETS, [row], now=NOW), "AC", "taker_ratio")
    assert shown["summary"]["ratio_of_sums"] is None
    rows = [{**_held(day - DAY_S), "sumOpenInterest": "0"}, _held(day)]
    shown = positioning_analysis(told(LISTED, MARKETS, rows, now=NOW), "AC", "open_interest")
    assert shown["summary"]["open_interest_change_percent"] is None
    with pytest.raises(ToolError, match="no market"):
        positioning_analysis(told(LISTED, {"symbols": []}, now=NOW), "AC")


NOON = 1_725_192_000
"""2024-09-01T12:00:00Z."""
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


@given(st.lists(st.tuples(PRICES, PRICES), min_size=1, max_size=40), st.integers(1, 6), st.integers(1, 400))
def test_every_move_that_reaches_the_threshold_is_told(prices, length, threshold) -> None:
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


def test_alerts() -> None:
    """By direction and order, going on where they were cut, never over a gap; no candles are no calm."""
    rows = _hours([(100, 110), (110, 99), (99, 150), (150, 60)])
    both, up, down = (_measured(rows, direction=one) for one in ("both", "up", "down"))
    assert [one["change_percent"] for one in both["alerts"]] == [10.0, -10.0, 51.515152, -60.0]
    assert (up["alert_count"], down["alert_count"]) == (2, 2)
    largest = _measured(rows, order="size", limit=1)
    assert [one["change_percent"] for one in largest["alerts"]] == [-60.0]
    assert (largest["alert_count"], largest["next_start"]) == (4, None)
    shown = _measured(_hours([(100, 110), (100, 100), (100, 110), (100, 110)]), limit=1)
    assert (shown["alert_count"], shown["next_start"]) == (3, utc_text(NOON - 2 * HOUR_S))
    shown = _measured(_hours([(100, 100)] * 4 + [(500, 500)] + [(900, 900)] * 3, without=[4]), window="2h")
    assert (shown["candles"], shown["missing_candles"], shown["returns"]) == (7, 1, 5)
    assert (shown["windows"], shown["alert_count"], shown["volatility_percent"]) == (5, 0, 0.0)
    shown = _measured([])
    wanted = (0, *[None] * 3)
    assert (shown["candles"], shown["volatility_percent"], shown["largest_up"], shown["widest_candle"]) == wanted
    rows = _hours([(100, 105), (100, 104)])
    for text in (5, 5.0, "5", "5%", "5 percent"):
        shown = _measured(rows, threshold_percent=text)
        assert (shown["threshold_percent"], shown["alert_count"]) == (5.0, 1)
