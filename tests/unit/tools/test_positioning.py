from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from caia_replay.core.tool import Served
from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import DAY_S, HOUR_S
from caia_replay.tools.positioning import positioning_analysis
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.short_economy import ShortEconomy
from tests.told import Told, told
from tests.tool_draw.market import DRAWS, INSIDE
from tests.tool_law import check_law
from tests.unit.tools.conftest import Bench

NOW = 1_725_203_188
"""2024-09-01T15:06:28Z."""
LISTED = [{"id": "a-coin", "symbol": "ac", "name": "A Coin", "platforms": {}}]
MARKETS = {"symbols": [{"symbol": "ACUSD", "baseAsset": "AC", "quoteAsset": "USD"}]}
HISTORIES = ("funding", "open_interest", "long_short_ratio", "taker_ratio")


def _result(bench: Bench, asset: str, metric: str, **arguments: Any) -> Any:
    reply = bench.call("positioning_analysis", asset=asset, metric=metric, **arguments)
    assert reply.error is None, reply.error
    return reply.result


def _paid(rate: str, time: int) -> dict[str, Any]:
    return {"fundingRate": rate, "fundingTime": time * 1000, "markPrice": "2"}


def _held(time: int) -> dict[str, Any]:
    return {"sumOpenInterest": "1", "sumOpenInterestValue": "2", "timestamp": time * 1000}


@pytest.mark.parametrize("draws", [INSIDE, DRAWS], ids=["inside", "all"])
def test_replay_says_what_the_origin_says(draws: Any, short_world: FrozenWorld, short_economy: ShortEconomy) -> None:
    """Every answer is the living origin's; inside what is recorded there is no miss, and most calls are answered."""
    check_law(
        "positioning_analysis", draws["positioning_analysis"], short_world, short_economy.origin, inside=draws is INSIDE
    )


def test_now_values_what_is_open(bench: Bench, native: str) -> None:
    """The value of what is open is its amount at the mark price; the premium is that of mark over index."""
    shown = _result(bench, native, "now")
    value = Decimal(shown["open_interest"]) * Decimal(shown["mark_price"])
    assert Decimal(shown["open_interest_value_at_mark"]) == value.quantize(Decimal("1e-8"))
    premium = Fraction(shown["mark_price"]) / Fraction(shown["index_price"]) - 1
    assert shown["mark_above_index_percent"] == pytest.approx(float(premium * 100), abs=1e-6)
    assert shown["next_funding_utc"] > shown["time_utc"] == utc_text(bench.world.clock.now)


def test_funding_sums_up_what_was_paid(bench: Bench, native: str) -> None:
    """Sum and mean are exact over all payments of the window, listed or not; the last one paid is the current rate."""
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


def test_open_interest_is_compared_end_to_end(bench: Bench, native: str) -> None:
    """The change of amount and value is that from the first row to the last, in their units and in percent."""
    shown = _result(bench, native, "OI", start=utc_text(bench.world.clock.now - 9 * DAY_S), limit=500)
    for name, field in (("open_interest", "open_interest"), ("value", "value")):
        first, last = (Decimal(shown["rows"][at][field]) for at in (0, -1))
        assert Decimal(shown["summary"][f"{name}_change"]) == last - first
        told = shown["summary"][f"{name}_change_percent"]
        assert told == pytest.approx(float((last / first - 1) * 100), abs=1e-6)


def test_ratios_have_mean_and_extremes(bench: Bench, native: str) -> None:
    """Accounts and takers are summed up by their rows; the takers' volumes are added before they are compared."""
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


@pytest.mark.parametrize("metric", HISTORIES)
def test_parts_make_up_the_whole(bench: Bench, native: str, metric: str) -> None:
    """The parts that next_start leads through are the window."""
    start, end = (utc_text(bench.world.clock.now - days * DAY_S) for days in (12, 1))
    whole = _result(bench, native, metric, start=start, end=end, limit=500)
    rows, at = [], start
    while at is not None:
        part = _result(bench, native, metric, start=at, end=end, limit=4)
        rows += part["rows"]
        at = part["next_start"]
    assert rows == whole["rows"]
    assert len(rows) > 8


def test_a_running_period_is_not_told(bench: Bench, native: str) -> None:
    """A day's figures are told when the day is over."""
    shown = _result(bench, native, "taker_ratio")
    today = bench.world.clock.now // DAY_S * DAY_S
    assert shown["rows"][-1]["time_utc"] == utc_text(today - DAY_S)


def test_an_empty_window_has_no_summary(bench: Bench, native: str) -> None:
    """Between two payments nothing was paid: no rows, and no sum of nothing."""
    at = bench.world.clock.now // (8 * HOUR_S) * (8 * HOUR_S)
    shown = _result(bench, native, "funding", start=utc_text(at - 7 * HOUR_S), end=utc_text(at - HOUR_S))
    assert (shown["count"], shown["summary"], shown["rows"]) == (0, None, [])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"metric": "now", "start": "1 day ago"}, "takes no start"),
        ({"metric": "vibes"}, "it is one of"),
        ({"metric": "taker", "period": "3d"}, "one of 5m"),
        ({"metric": "taker", "start": "31 days ago"}, "30 days"),
        ({"metric": "funding", "start": "now", "end": "1 day ago"}, "after end"),
        ({"metric": "funding", "limit": 501}, "goes from 1 to 500"),
        ({"metric": "funding", "quote": "xyz"}, "no market"),
    ],
)
def test_what_cannot_be_meant_is_refused(bench: Bench, native: str, arguments: Any, words: str) -> None:
    """A call that contradicts itself, or asks for what the venue does not keep, is told what would do."""
    reply = bench.call("positioning_analysis", asset=native, **arguments)
    assert reply.served is Served.ERROR
    assert words in str(reply.error)


def test_long_windows_are_asked_for_in_parts() -> None:
    """Statistics by parts of fewer rows than the venue's limit, funding by full pages."""
    step = 5 * 60
    first = NOW // step * step - 700 * step
    parts = [[_held(first + at * step) for at in range(499)], [_held(first + at * step) for at in range(499, 700)]]
    world = Told(LISTED, MARKETS, *parts, now=NOW)
    asked = {"start": first, "period": "5m", "limit": 500}
    assert positioning_analysis(world, "AC", "open_interest", **asked)["count"] == 700  # type: ignore[arg-type]
    pages = [[_paid("1", at) for at in range(NOW - 2_000, NOW - 1_000)], [_paid("-1", NOW - 1_000)]]
    world = Told(LISTED, MARKETS, *pages, now=NOW)
    shown = positioning_analysis(world, "AC", "funding", start=NOW - 2_000)  # type: ignore[arg-type]
    assert (shown["count"], shown["summary"]["sum"]) == (1_001, "999.000000000000")
    assert world.asked[-1][1]["startTime"] == (NOW - 1_001) * 1000 + 1


def test_a_ratio_to_nothing_is_null() -> None:
    """When nothing was sold there is no ratio; where nothing was open at first there is no change in percent."""
    day = NOW // DAY_S * DAY_S - DAY_S
    row = {"buySellRatio": "1", "buyVol": "5", "sellVol": "0", "timestamp": day * 1000}
    shown = positioning_analysis(told(LISTED, MARKETS, [row], now=NOW), "AC", "taker_ratio")
    assert shown["summary"]["ratio_of_sums"] is None
    rows = [{**_held(day - DAY_S), "sumOpenInterest": "0"}, _held(day)]
    shown = positioning_analysis(told(LISTED, MARKETS, rows, now=NOW), "AC", "open_interest")
    assert shown["summary"]["open_interest_change_percent"] is None


@pytest.mark.parametrize("metric", HISTORIES)
@pytest.mark.parametrize(
    "reply", [{"a": 1}, [None], [{}], [_paid("1", 5)], [_paid("x", NOW - 90_000)], [{"fundingTime": NOW * 1000}],
              [{"timestamp": (NOW // DAY_S - 1) * DAY_S * 1000}]]
)  # fmt: skip
def test_rows_that_no_venue_sends_are_a_miss(metric: str, reply: Any) -> None:
    """Of another shape or outside the window: nothing is summed of them."""
    with pytest.raises(Miss):
        positioning_analysis(told(LISTED, MARKETS, reply, now=NOW), "AC", metric)


@pytest.mark.parametrize("replies", [([], {}), ({"markPrice": "x"}, {"openInterest": "1"}), ({"markPrice": "1"}, {})])
def test_a_moment_of_another_shape_is_a_miss(replies: Any) -> None:
    """Without mark price or open interest nothing is told of now."""
    with pytest.raises(Miss):
        positioning_analysis(told(LISTED, MARKETS, *replies, now=NOW), "AC")


def test_a_coin_without_a_future_is_refused() -> None:
    """What the futures venue does not list has no positions."""
    with pytest.raises(ToolError, match="no market"):
        positioning_analysis(told(LISTED, {"symbols": []}, now=NOW), "AC")
