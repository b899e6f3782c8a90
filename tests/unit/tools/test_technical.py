"""Indicators of an economy's recorded candles: TA-Lib's values, how far back is looked, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import talib

from caia_replay.core.tool import Served
from caia_replay.tools.argument import DAY_S, HOUR_S
from caia_replay.tools.asset import SPOT
from caia_replay.tools.call_view import CallView
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.anchored import anchored
from tests.short_economy import ShortEconomy
from tests.tool_draw.technical import DRAWS, INSIDE, traded
from tests.tool_law import check_law
from tests.unit.tools.conftest import Bench


def _rows(bench: Bench, symbol: str, first: int) -> list[list[Any]]:
    """The market's closed hours from a moment on, as the venue tells them."""
    end = bench.world.clock.now // HOUR_S * HOUR_S - 1
    asked = {"symbol": symbol, "interval": "1h", "startTime": first * 1000, "endTime": end * 1000, "limit": 1000}
    rows: list[list[Any]] = CallView(bench.world).ask(f"{SPOT}/klines", **asked)
    return rows


@pytest.mark.parametrize("draws", [INSIDE, DRAWS], ids=["inside", "all"])
def test_replay_says_what_the_origin_says(draws: Any, short_world: FrozenWorld, short_economy: ShortEconomy) -> None:
    """Every answer is the living origin's; inside what is recorded there is no miss, and most calls are answered."""
    check_law(
        "indicator_analysis", draws["indicator_analysis"], short_world, short_economy.origin, inside=draws is INSIDE
    )


def test_values_are_talibs_over_the_same_candles(bench: Bench, native: str) -> None:
    """From the first candle that the result names, TA-Lib comes to the same last values."""
    told = bench.result("indicator_analysis", asset=native, indicator="RSI", interval="1h", count=3)
    used = _rows(bench, told["market"], _seconds(told["first_candle_utc"]))
    assert len(used) == told["candles_used"] == 14 + 140 + 3
    assert told["is_settled"] and told["unit"] == "0 to 100"
    theirs = talib.RSI(numpy.array([float(row[4]) for row in used]), 14)[-3:]
    assert [row["rsi"] for row in told["values"]] == pytest.approx(list(theirs), rel=1e-9)
    assert [row["close"] for row in told["values"]] == [row[4] for row in used[-3:]]


def test_lines_of_several_values(bench: Bench, native: str) -> None:
    """Bands have three values a candle, in the quote asset; the open candle is left out."""
    told = bench.result(
        "indicator_analysis", asset=native, indicator="bollinger", interval="1h", period=10, deviations=2.5
    )
    assert told["market"].endswith(told["unit"]) and told["deviations"] == "2.5"
    [row] = told["values"]
    closes = numpy.array([float(row[4]) for row in _rows(bench, told["market"], bench.world.clock.now - 20 * HOUR_S)])
    bands = talib.BBANDS(closes, 10, 2.5, 2.5, 0)
    assert [row["upper"], row["middle"], row["lower"]] == pytest.approx([band[-1] for band in bands], rel=1e-9)
    assert row["closed_utc"] == utc_text(bench.world.clock.now // HOUR_S * HOUR_S)


def test_an_earlier_moment_sees_what_was_closed_then(bench: Bench, native: str) -> None:
    """At an earlier moment the last candle is the one that was over then, and later ones change nothing."""
    at = bench.world.clock.now - 3 * DAY_S
    told = bench.result("indicator_analysis", asset=native, indicator="sma", interval="1h", period=5, at=utc_text(at))
    [row] = told["values"]
    assert row["closed_utc"] == utc_text(at // HOUR_S * HOUR_S)
    later = bench.result("indicator_analysis", asset=native, indicator="sma", interval="1h", period=5, count=100)[
        "values"
    ]
    assert row in later


def test_periods_and_spelling(bench: Bench, native: str) -> None:
    """A period is a number or a list, a name is read in any case, and each form means the same."""
    one = bench.result("indicator_analysis", asset=native, indicator="EMA", interval="hourly", period=9)
    assert one == bench.result("indicator_analysis", asset=native, indicator="ema", interval="1h", period=[9])
    macd = bench.result("indicator_analysis", asset=native, indicator="macd", interval="1h", period=[3, 6, 4], count=2)
    assert macd["period"] == {"fast": 3, "slow": 6, "signal": 4} and len(macd["values"]) == 2
    assert set(macd["values"][0]) == {"candle_utc", "closed_utc", "close", "macd", "signal", "histogram"}


def test_too_young_a_market(short_world: FrozenWorld, native: str) -> None:
    """Fewer candles than settle an average are said to be so; fewer than one value takes are refused with both."""
    early = Bench(short_world, anchored(short_world.folder, 0).id)
    told = early.result("indicator_analysis", asset=native, indicator="rsi", interval="4h", count=5)
    assert not told["is_settled"] and told["candles_used"] < 14 + 140 + 5
    message = early.refusal("indicator_analysis", asset=native, indicator="sma", interval="4h", period=150)
    assert "takes 150 closed candles of 4h" in message and f"had {told['candles_used']} by" in message


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"indicator": "momentum"}, "it is one of sma, ema"),
        ({"indicator": "rsi", "period": 1}, "it goes from 2 to 500"),
        ({"indicator": "macd", "period": [12, 26]}, "fast, slow, signal"),
        ({"indicator": "sma", "count": 101}, "it goes from 1 to 100"),
        ({"indicator": "sma", "at": "2030-01-01"}, "has not come yet"),
        ({"indicator": "bollinger", "deviations": 0}, "from above 0 to 10"),
        ({"indicator": "sma", "interval": "1y"}, "it is one of 1m"),
        ({"indicator": "sma", "quote": "nosuch"}, "no market against"),
    ],
)
def test_what_is_refused(bench: Bench, native: str, arguments: dict[str, Any], word: str) -> None:
    """Each wrong argument is refused with what would be taken."""
    assert word in bench.refusal("indicator_analysis", **{"asset": native, "interval": "1h", **arguments})


def test_hours_that_nobody_recorded(bench: Bench) -> None:
    """Coins outside the story have days recorded: their hours are a miss, never made of days."""
    other = traded(bench.world)[1][0]["id"]
    assert bench.call("indicator_analysis", asset=f"id:{other}", indicator="sma", interval="1h").served is Served.MISS
    assert bench.result("indicator_analysis", asset=f"id:{other}", indicator="sma", interval="1d", period=5)["values"]


def _seconds(text: str) -> int:
    return int(numpy.datetime64(text.removesuffix("Z"), "s").astype(int))
