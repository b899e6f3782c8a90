"""Technical indicators over closed candles, in decimals of forty digits; the conventions are TA-Lib's.

Every line of values ends with the last candle and begins with the first one that has enough candles before it. None
stands where an indicator has no value, as where no price moved; TA-Lib says 0 there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from itertools import pairwise
from types import MappingProxyType
from typing import Final, TypeVar

from caia_replay.errors import ToolError
from caia_replay.tools.argument import within
from caia_replay.tools.candle import Candle

Line = Sequence[Decimal | None]
Periods = Mapping[str, int]

LONGEST: Final = 500
"""The longest period that is taken."""

_T = TypeVar("_T")
_EXACT: Final = Context(prec=40)
_HUNDRED: Final = Decimal(100)
_OF_AVERAGES: Final = ("smoothing", "signal")


@dataclass(frozen=True, slots=True)
class Indicator:
    """One indicator: its periods by name with their usual values, and how its lines come from candles.

    ``lookback`` says how many candles the first value needs before its own, ``settling`` how many more it takes until
    the seed of an average that never forgets weighs less than 1 in 20,000. Lines are in the quote asset where
    ``of_price``, and per cent elsewhere.
    """

    usual: Periods
    of_price: bool
    lookback: Callable[[Periods], int]
    settling: Callable[[Periods], int]
    lines: Callable[[Sequence[Candle], Periods, Decimal], Mapping[str, Line]]

    def periods(self, given: Sequence[int]) -> Periods:
        """The given periods by name, or the usual ones for none. Raises ``ToolError``."""
        names = list(self.usual)
        if given and len(given) != len(names):
            raise ToolError(f"period has {len(given)} numbers; it takes {len(names)} here: {', '.join(names)}")
        periods = dict(zip(names, given, strict=True)) if given else dict(self.usual)
        for name, period in periods.items():
            within(period, 1 if name in _OF_AVERAGES else 2, LONGEST, name)
        if "fast" in periods and periods["fast"] >= periods["slow"]:
            raise ToolError(f"fast is {periods['fast']} and slow {periods['slow']}; fast has to be the shorter one")
        return periods


def sma(values: Sequence[Decimal], period: int) -> list[Decimal]:
    """Means of the last ``period`` values."""
    with localcontext(_EXACT):
        return [sum(window, Decimal(0)) / period for window in _windows(values, period)]


def ema(values: Sequence[Decimal], period: int) -> list[Decimal]:
    """Exponential averages with weight 2 / (period + 1), seeded with the mean of the first ``period`` values."""
    with localcontext(_EXACT):
        return _smoothed(values, period, Decimal(2) / (period + 1))


def rsi(closes: Sequence[Decimal], period: int) -> list[Decimal | None]:
    """Wilder's relative strength index, 0 to 100."""
    with localcontext(_EXACT):
        moves = [now - before for before, now in pairwise(closes)]
        gains = _smoothed([max(move, Decimal(0)) for move in moves], period, Decimal(1) / period)
        losses = _smoothed([max(-move, Decimal(0)) for move in moves], period, Decimal(1) / period)
        return [_share(up, up + down) for up, down in zip(gains, losses, strict=True)]


def macd(closes: Sequence[Decimal], fast: int, slow: int, signal: int) -> tuple[list[Decimal], ...]:
    """The difference of two exponential averages, its own exponential average, and the difference of those two.

    Both averages are seeded at the same close, as TA-Lib does it: the fast one of the ``fast`` closes up to there.
    """
    with localcontext(_EXACT):
        averages = zip(ema(closes[slow - fast :], fast), ema(closes, slow), strict=True)
        line = [quick - lazy for quick, lazy in averages]
        average = ema(line, signal)
        line = line[signal - 1 :]
        return line, average, [value - mean for value, mean in zip(line, average, strict=True)]


def bollinger(closes: Sequence[Decimal], period: int, deviations: Decimal) -> tuple[list[Decimal], ...]:
    """Upper, middle and lower band: the mean, and ``deviations`` standard deviations (of the population) around it."""
    with localcontext(_EXACT):
        middle = sma(closes, period)
        widths = [
            deviations * (sum(((value - mean) ** 2 for value in window), Decimal(0)) / period).sqrt()
            for window, mean in zip(_windows(closes, period), middle, strict=True)
        ]
        bands = list(zip(middle, widths, strict=True))
        return [mean + width for mean, width in bands], middle, [mean - width for mean, width in bands]


def atr(candles: Sequence[Candle], period: int) -> list[Decimal]:
    """Wilder's average true range; the first candle gives only the close before the second."""
    with localcontext(_EXACT):
        ranges = [max(now.high, before.close) - min(now.low, before.close) for before, now in pairwise(candles)]
        return _smoothed(ranges, period, Decimal(1) / period)


def stochastic(candles: Sequence[Candle], period: int, smoothing: int, signal: int) -> tuple[Line, Line]:
    """Where the close lies between the lowest low and the highest high, 0 to 100, smoothed (%K), and its mean (%D)."""
    with localcontext(_EXACT):
        places: list[Decimal | None] = []
        for window in _windows(candles, period):
            low, high = min(candle.low for candle in window), max(candle.high for candle in window)
            places.append(_share(window[-1].close - low, high - low))
        percent_k = _means(places, smoothing)
        return percent_k[signal - 1 :], _means(percent_k, signal)


def vwap(candles: Sequence[Candle], period: int) -> Line:
    """What was paid in the last ``period`` candles over what was bought for it; None where nothing was."""
    with localcontext(_EXACT):
        found: list[Decimal | None] = []
        for window in _windows(candles, period):
            bought = sum((candle.volume for candle in window), Decimal(0))
            paid = sum((candle.quote_volume for candle in window), Decimal(0))
            found.append(paid / bought if bought else None)
        return found


def _smoothed(values: Sequence[Decimal], period: int, weight: Decimal) -> list[Decimal]:
    if len(values) < period:
        return []
    found = [sum(values[:period], Decimal(0)) / period]
    for value in values[period:]:
        found.append(found[-1] + weight * (value - found[-1]))
    return found


def _means(values: Line, period: int) -> Line:
    found: list[Decimal | None] = []
    for window in _windows(values, period):
        known = [value for value in window if value is not None]
        found.append(sum(known, Decimal(0)) / period if len(known) == period else None)
    return found


def _share(part: Decimal, whole: Decimal) -> Decimal | None:
    return _HUNDRED * part / whole if whole else None


def _windows(values: Sequence[_T], period: int) -> list[Sequence[_T]]:
    return [values[end - period : end] for end in range(period, len(values) + 1)]


def _closes(candles: Sequence[Candle]) -> list[Decimal]:
    return [candle.close for candle in candles]


def _one(function: Callable[[Sequence[Decimal], int], Line], name: str) -> Callable[..., Mapping[str, Line]]:
    return lambda candles, periods, _: {name: function(_closes(candles), periods["period"])}


def _macd(candles: Sequence[Candle], periods: Periods, _: Decimal) -> Mapping[str, Line]:
    lines = macd(_closes(candles), periods["fast"], periods["slow"], periods["signal"])
    return dict(zip(("macd", "signal", "histogram"), lines, strict=True))


def _bollinger(candles: Sequence[Candle], periods: Periods, deviations: Decimal) -> Mapping[str, Line]:
    bands = bollinger(_closes(candles), periods["period"], deviations)
    return dict(zip(("upper", "middle", "lower"), bands, strict=True))


def _stochastic(candles: Sequence[Candle], periods: Periods, _: Decimal) -> Mapping[str, Line]:
    lines = stochastic(candles, periods["period"], periods["smoothing"], periods["signal"])
    return dict(zip(("percent_k", "percent_d"), lines, strict=True))


def _before(periods: Periods) -> int:
    return periods["period"] - 1


def _nothing(_: Periods) -> int:
    return 0


INDICATORS: Final[Mapping[str, Indicator]] = MappingProxyType(
    {
        "sma": Indicator({"period": 20}, True, _before, _nothing, _one(sma, "sma")),
        "ema": Indicator({"period": 20}, True, _before, lambda p: 5 * (p["period"] + 1), _one(ema, "ema")),
        "rsi": Indicator({"period": 14}, False, lambda p: p["period"], lambda p: 10 * p["period"], _one(rsi, "rsi")),
        "macd": Indicator(
            {"fast": 12, "slow": 26, "signal": 9},
            True,
            lambda p: p["slow"] + p["signal"] - 2,
            lambda p: 5 * (p["slow"] + 1) + 5 * (p["signal"] + 1),
            _macd,
        ),
        "bollinger": Indicator({"period": 20}, True, _before, _nothing, _bollinger),
        "atr": Indicator(
            {"period": 14},
            True,
            lambda p: p["period"],
            lambda p: 10 * p["period"],
            lambda candles, p, _: {"atr": atr(candles, p["period"])},
        ),
        "stochastic": Indicator(
            {"period": 14, "smoothing": 3, "signal": 3},
            False,
            lambda p: p["period"] + p["smoothing"] + p["signal"] - 3,
            _nothing,
            _stochastic,
        ),
        "vwap": Indicator(
            {"period": 20}, True, _before, _nothing, lambda candles, p, _: {"vwap": vwap(candles, p["period"])}
        ),
    }
)
"""Every indicator by name."""
