"""Indicators against TA-Lib, alone and over recorded candles; trends; and what every market tool refuses."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from random import Random
from typing import Any

import numpy
import pytest
import talib
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.tool import Served
from caia_replay.errors import ToolError
from caia_replay.tools.argument import DAY_S, HOUR_S
from caia_replay.tools.asset import SPOT
from caia_replay.tools.candle import Candle
from caia_replay.tools.indicator import INDICATORS, Line, atr, bollinger, ema, macd, rsi, sma, stochastic, vwap
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.anchored import anchored
from tests.tool_draw.technical import traded
from tests.unit.tools.conftest import Desk


def _candle(at: int, prices: Sequence[int], volume: int = 1) -> Candle:
    """A candle of four prices in ticks of a hundredth; the first and the last drawn are its open and close."""
    tick = Decimal("0.01")
    begin, end = prices[0] * tick, prices[-1] * tick
    high, low = max(prices) * tick, min(prices) * tick
    return Candle(at, at + 1, begin, high, low, end, Decimal(volume), volume * (high + low) / 2, volume)


def _series(seed: int, length: int, most: int) -> list[Candle]:
    """Candles drawn from a seed: what matters is how many there are and how far their prices lie apart."""
    rng = Random(seed)
    return [_candle(at, [rng.randint(1, most) for _ in range(4)]) for at in range(length)]


CANDLES = st.builds(_series, st.integers(0, 10**9), st.integers(0, 80), st.sampled_from([1, 3, 100, 10**7]))


def _array(values: Sequence[Decimal]) -> Any:
    return numpy.array([float(value) for value in values])


def _closes(candles: Sequence[Candle]) -> list[Decimal]:
    return [candle.close for candle in candles]


def _agrees(ours: Line, theirs: Any, scale: float) -> None:
    """Equal to 1e-9 of what went in, at every candle where TA-Lib has a value and at no other."""
    known = [float(value) for value in theirs if not numpy.isnan(value)]
    assert len(ours) == len(known)
    for mine, judge in zip(ours, known, strict=True):
        if mine is None:
            assert judge == 0
        else:
            assert float(mine) == pytest.approx(judge, rel=1e-9, abs=1e-9 * scale)


def _scale(candles: Sequence[Candle]) -> float:
    return float(max((candle.high for candle in candles), default=Decimal(0)))


@given(CANDLES, st.integers(2, 40))
def test_averages_strength_and_true_range_are_talibs(candles: list[Candle], period: int) -> None:
    """Averages, seed included, relative strength and true range."""
    closes, theirs = _closes(candles), _array(_closes(candles))
    _agrees(sma(closes, period), talib.SMA(theirs, period), 0)
    _agrees(ema(closes, period), talib.EMA(theirs, period), 0)
    _agrees(rsi(closes, period), talib.RSI(theirs, period), 0)
    high, low = _array([candle.high for candle in candles]), _array([candle.low for candle in candles])
    _agrees(atr(candles, period), talib.ATR(high, low, theirs, period), _scale(candles))


@given(CANDLES, st.integers(2, 12), st.integers(1, 30), st.integers(1, 12))
def test_macd(candles: list[Candle], fast: int, more: int, signal: int) -> None:
    """All three lines are TA-Lib's, also right after the seed; differences of prices agree to 1e-9 of the price."""
    ours = macd(_closes(candles), fast, fast + more, signal)
    theirs = talib.MACD(_array(_closes(candles)), fast, fast + more, signal)
    for mine, judge in zip(ours, theirs, strict=True):
        _agrees(mine, judge, _scale(candles))


@given(CANDLES, st.integers(2, 40), st.sampled_from(["1", "2", "2.5", "3"]))
def test_bollinger(candles: list[Candle], period: int, deviations: str) -> None:
    """The bands' distance, squared, is TA-Lib's to 1e-9 of the price squared: it takes a root of a difference."""
    upper, middle, lower = bollinger(_closes(candles), period, Decimal(deviations))
    closes, wide = _array(_closes(candles)), float(deviations)
    high, mean, low = talib.BBANDS(closes, period, wide, wide, 0)
    _agrees(middle, mean, 0)
    ours = [(float(above - below) / 2) ** 2 for above, below in zip(upper, lower, strict=True)]
    theirs = [((above - below) / 2) ** 2 for above, below in zip(high, low, strict=True) if not numpy.isnan(above)]
    assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9 * _scale(candles) ** 2)
    assert all(above + below == 2 * value or abs(above + below - 2 * value) < Decimal("1e-30")
               for above, value, below in zip(upper, middle, lower, strict=True))  # fmt: skip


@given(CANDLES, st.integers(2, 20), st.integers(1, 5), st.integers(1, 5))
def test_stochastic(candles: list[Candle], period: int, smoothing: int, signal: int) -> None:
    """Both lines of the slow stochastic are TA-Lib's."""
    high, low = [candle.high for candle in candles], [candle.low for candle in candles]
    theirs = talib.STOCH(_array(high), _array(low), _array(_closes(candles)), fastk_period=period,
                         slowk_period=smoothing, slowd_period=signal)  # fmt: skip
    if all(candle.high != candle.low for candle in candles):
        for mine, judge in zip(stochastic(candles, period, smoothing, signal), theirs, strict=True):
            _agrees(mine, judge, 100)


def test_what_an_indicator_says_it_needs() -> None:
    """Its lookback is what a first value takes; wrong periods are told; where nothing moved there is no value."""
    for more in [-1, 0, 1, 7]:
        for name in INDICATORS:
            found = INDICATORS[name]
            candles = [_candle(at, [100 + at % 7, 90 + at % 5]) for at in range(found.lookback(found.usual) + more)]
            for line in found.lines(candles, found.usual, Decimal(2)).values():
                assert len(line) == max(0, more)
    still = [_candle(at, [500, 500, 500, 500], volume=0) for at in range(30)]
    assert rsi(_closes(still), 14) == [None] * 16
    assert stochastic(still, 14, 3, 3) == ([None] * 13, [None] * 13)
    assert vwap(still, 20) == [None] * 11
    candles = [_candle(0, [100, 300, 100, 200], 3), _candle(1, [500, 700, 500, 600], 1)]
    assert vwap(candles, 2) == [Decimal(3 * 2 + 1 * 6) / 4]
    assert INDICATORS["macd"].periods([]) == {"fast": 12, "slow": 26, "signal": 9}
    assert INDICATORS["stochastic"].periods([5, 1, 3]) == {"period": 5, "smoothing": 1, "signal": 3}
    for name, given_, word in [("macd", [12, 26], "fast, slow, signal"), ("macd", [26, 12, 9], "shorter"),
                               ("rsi", [1], "from 2 to 500"), ("sma", [501], "from 2 to 500")]:  # fmt: skip
        with pytest.raises(ToolError, match=word):
            INDICATORS[name].periods(given_)


@pytest.mark.parametrize(
    ("name", "given_"), [("ema", [9]), ("ema", [200]), ("rsi", [2]), ("rsi", [50]), ("atr", [2]), ("macd", [])]
)
def test_settled(name: str, given_: list[int]) -> None:
    """After the settling time, what came first weighs less than 1 in 20,000; half as many candles are too few."""
    found = INDICATORS[name]
    periods = found.periods(given_)
    count = found.lookback(periods) + found.settling(periods) + 1
    plain = [_candle(at, [1000, 1000 + 10 * (at % 2)]) for at in range(count)]
    odd = [_candle(0, [1100, 1100]), *plain[1:]]

    def moved(start: int) -> Decimal:
        """How much another first candle changes the last value."""
        [first, last] = [
            found.lines([candles[0], *plain[start:]], periods, Decimal(2))[name][-1] for candles in (plain, odd)
        ]
        return abs(first - last)

    whole = moved(count - found.lookback(periods))
    assert 0 < moved(1) < whole / 20_000 < moved(count // 2)


def _rows(bench: Desk, symbol: str, first: int) -> list[list[Any]]:
    """The market's closed hours from a moment on, as the venue tells them."""
    end = bench.world.clock.now // HOUR_S * HOUR_S - 1
    asked = {"symbol": symbol, "interval": "1h", "startTime": first * 1000, "endTime": end * 1000, "limit": 1000}
    rows: list[list[Any]] = ToolContext(bench.world).ask(f"{SPOT}/klines", **asked)
    return rows


def test_values_are_talibs_over_the_same_candles(bench: Desk, native: str) -> None:
    """From the first candle named, one line or three; an earlier moment sees what was closed then."""
    told = bench.result("indicator_analysis", asset=native, indicator="RSI", interval="1h", count=3)
    used = _rows(bench, told["market"], _seconds(told["first_candle_utc"]))
    assert len(used) == told["candles_used"] == 14 + 140 + 3
    assert told["is_settled"] and told["unit"] == "0 to 100"
    theirs = talib.RSI(numpy.array([float(row[4]) for row in used]), 14)[-3:]
    assert [row["rsi"] for row in told["values"]] == pytest.approx(list(theirs), rel=1e-9)
    assert [row["close"] for row in told["values"]] == [row[4] for row in used[-3:]]
    told = bench.result(
        "indicator_analysis", asset=native, indicator="bollinger", interval="1h", period=10, deviations=2.5
    )
    assert told["market"].endswith(told["unit"]) and told["deviations"] == "2.5"
    [row] = told["values"]
    closes = numpy.array([float(row[4]) for row in _rows(bench, told["market"], bench.world.clock.now - 20 * HOUR_S)])
    bands = talib.BBANDS(closes, 10, 2.5, 2.5, 0)
    assert [row["upper"], row["middle"], row["lower"]] == pytest.approx([band[-1] for band in bands], rel=1e-9)
    assert row["closed_utc"] == utc_text(bench.world.clock.now // HOUR_S * HOUR_S)
    at = bench.world.clock.now - 3 * DAY_S
    told = bench.result("indicator_analysis", asset=native, indicator="sma", interval="1h", period=5, at=utc_text(at))
    [row] = told["values"]
    assert row["closed_utc"] == utc_text(at // HOUR_S * HOUR_S)
    later = bench.result("indicator_analysis", asset=native, indicator="sma", interval="1h", period=5, count=100)[
        "values"
    ]
    assert row in later


def test_periods_spellings_and_markets_without_candles(bench: Desk, native: str, large: FrozenWorld) -> None:
    """Each form means the same; too few candles are said or refused; hours that nobody recorded are a miss."""
    one = bench.result("indicator_analysis", asset=native, indicator="EMA", interval="hourly", period=9)
    assert one == bench.result("indicator_analysis", asset=native, indicator="ema", interval="1h", period=[9])
    macd = bench.result("indicator_analysis", asset=native, indicator="macd", interval="1h", period=[3, 6, 4], count=2)
    assert macd["period"] == {"fast": 3, "slow": 6, "signal": 4} and len(macd["values"]) == 2
    assert set(macd["values"][0]) == {"candle_utc", "closed_utc", "close", "macd", "signal", "histogram"}
    early = Desk(large, anchored(large.folder, 0).id)
    told = early.result("indicator_analysis", asset=native, indicator="rsi", interval="4h", count=5)
    assert not told["is_settled"] and told["candles_used"] < 14 + 140 + 5
    message = early.refusal("indicator_analysis", asset=native, indicator="sma", interval="4h", period=200)
    assert "takes 200 closed candles of 4h" in message and f"had {told['candles_used']} by" in message
    other = traded(bench.world)[1][-1]["id"]
    assert bench.call("indicator_analysis", asset=f"id:{other}", indicator="sma", interval="5m").served is Served.MISS
    assert bench.result("indicator_analysis", asset=f"id:{other}", indicator="sma", interval="1d", period=5)["values"]


def _seconds(text: str) -> int:
    return int(numpy.datetime64(text.removesuffix("Z"), "s").astype(int))
