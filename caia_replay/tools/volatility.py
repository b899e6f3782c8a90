"""How much an asset moves on the spot venue: realised volatility, the largest moves, and those above a threshold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any, Final

from pydantic import Field

from caia_replay.errors import ToolError
from caia_replay.tools.argument import (
    DAY_S,
    choice_argument,
    duration_argument,
    moment_argument,
    number_argument,
    within,
)
from caia_replay.tools.asset import resolve_asset, spot_symbol
from caia_replay.tools.candle import Candle, candles, interval_argument
from caia_replay.tools.figure import PERCENT_PLACES, decimal_text, percent
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text

_YEAR_S: Final = 365 * DAY_S
_USUAL_DAYS: Final = 30
_MOST_ROWS: Final = 200
_EXACT: Final = Context(prec=40, rounding=ROUND_HALF_EVEN)
"""Logarithms and roots in decimals: those of floats differ between machines in their last digit."""

Time = str | int | None


@dataclass(frozen=True, slots=True)
class Move:
    """From the opening price of a window's first candle to the closing price of its last, as a share of the former."""

    opened: int
    closed: int
    first: Decimal
    last: Decimal

    @property
    def share(self) -> Fraction:
        """0.05 is five percent up."""
        return Fraction(self.last) / Fraction(self.first) - 1


def volatility_alerts(
    world: ToolContext,
    asset: Annotated[str, Field(description="Ticker, name, CoinGecko id (id:NAME) or contract address.")],
    threshold_percent: Annotated[
        str | float, Field(description="An alert is a move of at least so many percent; 5 and 5% mean the same.")
    ] = 5,
    interval: Annotated[str, Field(description="The candles, 1m to 1w, such as 1h or 1d.")] = "1h",
    window: Annotated[
        str | None,
        Field(description="Length of a move, whole candles, such as 24h; windows begin at every candle. null: one."),
    ] = None,
    direction: Annotated[str, Field(description="up, down or both.")] = "both",
    start: Annotated[Time, Field(description="First moment; null: 30 days before end.")] = None,
    end: Annotated[Time, Field(description="Last moment; null: now.")] = None,
    order: Annotated[str, Field(description="time (oldest first) or size (largest first).")] = "time",
    limit: Annotated[int, Field(description="Alerts to list, 1 to 200; alert_count counts all.")] = 50,
    quote: Annotated[str | None, Field(description="Quote asset of the market; null: the only one.")] = None,
) -> dict[str, Any]:
    """Measure an asset's volatility on Binance spot and find the moves that reach a threshold.

    A move goes from the opening price of a window's first candle to the closing price of its last. Realised volatility
    is the sample standard deviation of the logarithms of closing prices' ratios, candle by candle; annualised, it is
    multiplied by the square root of the candles in 365 days. Closed candles only; prices are exact decimal texts in
    the quote asset, percentages are rounded to six places. Overlapping windows each count.
    Example: {"asset": "ETH", "threshold_percent": 5, "interval": "1h", "window": "24h", "direction": "down",
    "start": "2024-05-01", "end": "2024-05-31", "order": "size", "limit": 20, "quote": null}
    """
    least = _threshold(threshold_percent)
    name = interval_argument(interval)
    if name == "1M":
        raise ToolError("months have no fixed length; take 1m to 1w")
    step, sign = duration_argument(name, "interval"), choice_argument(direction, ("both", "up", "down"), "direction")
    by_size = choice_argument(order, ("time", "size"), "order") == "size"
    length = _candle_count(window, step, name)
    within(limit, 1, _MOST_ROWS, "limit")
    last = world.now if end is None else moment_argument(end, world.now, "end")
    first = last - _USUAL_DAYS * DAY_S if start is None else moment_argument(start, world.now, "start")
    if first > last:
        raise ToolError(f"start {utc_text(first)} is after end {utc_text(last)}")
    found = resolve_asset(world, asset)
    symbol = spot_symbol(world, found, quote)
    bars = candles(world, symbol, name, first, last)
    moves = list(_moves(bars, length))
    reached = [move for move in moves if _counts(move.share, sign) and abs(move.share) >= least]
    shown = sorted(reached, key=lambda move: -abs(move.share)) if by_size else reached
    ranged = max(bars, key=_range, default=None)
    return {
        "asset": found.symbol.upper(),
        "name": found.name,
        "source": "Binance spot",
        "market": symbol,
        "interval": name,
        "start_utc": utc_text(first),
        "end_utc": utc_text(last),
        "candles": len(bars),
        "missing_candles": _missing(bars, step),
        **_volatility(bars, step),
        "window_candles": length,
        "windows": len(moves),
        "largest_up": _told(max((move for move in moves if move.share > 0), key=lambda move: move.share, default=None)),
        "largest_down": _told(
            min((move for move in moves if move.share < 0), key=lambda move: move.share, default=None)
        ),
        "widest_candle": None if ranged is None else _wide(ranged),
        "threshold_percent": percent(least),
        "direction": sign,
        "alert_count": len(reached),
        "alerts": [_told(move) for move in shown[:limit]],
        "next_start": utc_text(shown[limit].opened) if len(shown) > limit and not by_size else None,
    }


def _moves(bars: Sequence[Candle], length: int) -> Iterable[Move]:
    """The move of every window of candles without a gap, oldest first."""
    whole = 0
    for at, bar in enumerate(bars):
        whole = whole + 1 if at and bars[at - 1].closed == bar.opened else 1
        first = bars[at - length + 1] if whole >= length else None
        if first is not None and first.open > 0:
            yield Move(first.opened, bar.closed, first.open, bar.close)


def _volatility(bars: Sequence[Candle], step: int) -> dict[str, Any]:
    """Null where fewer than two closing prices follow one another: then there is no deviation."""
    returns = [
        _EXACT.ln(_EXACT.divide(bar.close, before.close))
        for before, bar in pairwise(bars)
        if before.closed == bar.opened and before.close > 0 and bar.close > 0
    ]
    deviation = _deviation([Fraction(one) for one in returns])
    annual = None if deviation is None else deviation * _root(Fraction(_YEAR_S, step))
    return {
        "returns": len(returns),
        "volatility_percent": None if deviation is None else percent(deviation),
        "volatility_annualised_percent": None if annual is None else percent(annual),
        "periods_per_year": decimal_text(Fraction(_YEAR_S, step), PERCENT_PLACES),
    }


def _deviation(values: Sequence[Fraction]) -> Fraction | None:
    """The sample standard deviation, with one less than their count below the sum of squares; None for under two."""
    if len(values) < 2:
        return None
    mean = sum(values, Fraction(0)) / len(values)
    return _root(sum(((value - mean) ** 2 for value in values), Fraction(0)) / (len(values) - 1))


def _root(value: Fraction) -> Fraction:
    """A square root to forty digits."""
    return Fraction(_EXACT.sqrt(_EXACT.divide(Decimal(value.numerator), Decimal(value.denominator))))


def _threshold(value: str | float) -> Fraction:
    """A share; a number is percent, with or without its sign."""
    text = str(value).strip()
    number = Fraction(number_argument(text, "threshold_percent"))
    share = number if text.lower().endswith(("%", "percent")) else number / 100
    if not 0 < share <= 100:
        raise ToolError(f"threshold_percent is {text[:40]}; it lies above 0 and goes to 10,000")
    return share


def _candle_count(window: str | None, step: int, interval: str) -> int:
    if window is None:
        return 1
    count, rest = divmod(duration_argument(window, "window"), step)
    if rest or not count:
        raise ToolError(f"window is {window[:40]!r}; it takes whole candles of {interval}")
    return count


def _counts(share: Fraction, direction: str) -> bool:
    return direction == "both" or (share > 0) == (direction == "up")


def _missing(bars: Sequence[Candle], step: int) -> int:
    """How many candles the venue left out between the first and the last."""
    return (bars[-1].opened - bars[0].opened) // step + 1 - len(bars) if bars else 0


def _range(bar: Candle) -> Fraction:
    return Fraction(bar.high - bar.low) / Fraction(bar.low) if bar.low > 0 else Fraction(0)


def _wide(bar: Candle) -> dict[str, Any]:
    """The candle whose highest price lies furthest above its lowest, in percent of the lowest."""
    return {
        "opened_utc": utc_text(bar.opened),
        "low": decimal_text(bar.low),
        "high": decimal_text(bar.high),
        "range_percent": percent(_range(bar)),
    }


def _told(move: Move | None) -> dict[str, Any] | None:
    if move is None:
        return None
    return {
        "start_utc": utc_text(move.opened),
        "end_utc": utc_text(move.closed),
        "first_price": decimal_text(move.first),
        "last_price": decimal_text(move.last),
        "change_percent": percent(move.share),
    }
