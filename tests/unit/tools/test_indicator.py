"""Every indicator against TA-Lib on random candles, and what TA-Lib does not say."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from random import Random
from typing import Any

import numpy
import pytest
import talib
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.errors import ToolError
from caia_replay.tools.candle import Candle
from caia_replay.tools.indicator import INDICATORS, Line, atr, bollinger, ema, macd, rsi, sma, stochastic, vwap

SETTINGS = settings(max_examples=80, deadline=None)


def _candle(at: int, prices: Sequence[int], volume: int = 1) -> Candle:
    """A candle of four prices in ticks of a hundredth; the first and the last drawn are its open and close."""
    tick = Decimal("0.01")
    begin, end = prices[0] * tick, prices[-1] * tick
    high, low = max(prices) * tick, min(prices) * tick
    return Candle(at, at + 1, begin, high, low, end, Decimal(volume), volume * (high + low) / 2, volume)


def _series(seed: int, length: int, most: int) -> list[Candle]:
    """Candles drawn from a seed: what matters is how many there are and how far their prices lie apart."""
    dice = Random(seed)
    return [_candle(at, [dice.randint(1, most) for _ in range(4)]) for at in range(length)]


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


@SETTINGS
@given(CANDLES, st.integers(2, 40))
def test_simple_average(candles: list[Candle], period: int) -> None:
    """Simple averages are TA-Lib's."""
    _agrees(sma(_closes(candles), period), talib.SMA(_array(_closes(candles)), period), 0)


@SETTINGS
@given(CANDLES, st.integers(2, 40))
def test_exponential_average(candles: list[Candle], period: int) -> None:
    """Exponential averages are TA-Lib's, seed included."""
    _agrees(ema(_closes(candles), period), talib.EMA(_array(_closes(candles)), period), 0)


@SETTINGS
@given(CANDLES, st.integers(2, 40))
def test_relative_strength(candles: list[Candle], period: int) -> None:
    """The relative strength index is TA-Lib's."""
    _agrees(rsi(_closes(candles), period), talib.RSI(_array(_closes(candles)), period), 0)


@SETTINGS
@given(CANDLES, st.integers(2, 12), st.integers(1, 30), st.integers(1, 12))
def test_macd(candles: list[Candle], fast: int, more: int, signal: int) -> None:
    """All three lines are TA-Lib's, also right after the seed; differences of prices agree to 1e-9 of the price."""
    ours = macd(_closes(candles), fast, fast + more, signal)
    theirs = talib.MACD(_array(_closes(candles)), fast, fast + more, signal)
    for mine, judge in zip(ours, theirs, strict=True):
        _agrees(mine, judge, _scale(candles))


@SETTINGS
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


@SETTINGS
@given(CANDLES, st.integers(2, 40))
def test_true_range(candles: list[Candle], period: int) -> None:
    """The average true range is TA-Lib's."""
    high, low = [candle.high for candle in candles], [candle.low for candle in candles]
    theirs = talib.ATR(_array(high), _array(low), _array(_closes(candles)), period)
    _agrees(atr(candles, period), theirs, _scale(candles))


@SETTINGS
@given(CANDLES, st.integers(2, 20), st.integers(1, 5), st.integers(1, 5))
def test_stochastic(candles: list[Candle], period: int, smoothing: int, signal: int) -> None:
    """Both lines of the slow stochastic are TA-Lib's."""
    high, low = [candle.high for candle in candles], [candle.low for candle in candles]
    theirs = talib.STOCH(_array(high), _array(low), _array(_closes(candles)), fastk_period=period,
                         slowk_period=smoothing, slowd_period=signal)  # fmt: skip
    if all(candle.high != candle.low for candle in candles):
        for mine, judge in zip(stochastic(candles, period, smoothing, signal), theirs, strict=True):
            _agrees(mine, judge, 100)


@pytest.mark.parametrize("name", INDICATORS)
@pytest.mark.parametrize("more", [-1, 0, 1, 7])
def test_lookback(name: str, more: int) -> None:
    """What an indicator says it looks back is exactly what its first value needs."""
    found = INDICATORS[name]
    candles = [_candle(at, [100 + at % 7, 90 + at % 5]) for at in range(found.lookback(found.usual) + more)]
    for line in found.lines(candles, found.usual, Decimal(2)).values():
        assert len(line) == max(0, more)


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
        assert first is not None and last is not None
        return abs(first - last)

    whole = moved(count - found.lookback(periods))
    assert 0 < moved(1) < whole / 20_000 < moved(count // 2)


def test_no_value_is_told_where_there_is_none() -> None:
    """Where no price moved or nothing was bought, the ratio is None and not 0."""
    still = [_candle(at, [500, 500, 500, 500], volume=0) for at in range(30)]
    assert rsi(_closes(still), 14) == [None] * 16
    assert stochastic(still, 14, 3, 3) == ([None] * 13, [None] * 13)
    assert vwap(still, 20) == [None] * 11


def test_volume_weighted_price() -> None:
    """What was paid over what was bought."""
    candles = [_candle(0, [100, 300, 100, 200], 3), _candle(1, [500, 700, 500, 600], 1)]
    assert vwap(candles, 2) == [Decimal(3 * 2 + 1 * 6) / 4]


def test_periods() -> None:
    """Periods are given by order or not at all; wrong ones are told with what is taken."""
    assert INDICATORS["macd"].periods([]) == {"fast": 12, "slow": 26, "signal": 9}
    assert INDICATORS["stochastic"].periods([5, 1, 3]) == {"period": 5, "smoothing": 1, "signal": 3}
    for name, given_, word in [("macd", [12, 26], "fast, slow, signal"), ("macd", [26, 12, 9], "shorter"),
                               ("rsi", [1], "from 2 to 500"), ("sma", [501], "from 2 to 500")]:  # fmt: skip
        with pytest.raises(ToolError, match=word):
            INDICATORS[name].periods(given_)
