"""Technical analysis: one indicator over an asset's candles on the spot venue."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Final

from pydantic import Field

from caia_replay.errors import ToolError
from caia_replay.tools.argument import choice_argument, moment_argument, number_argument, within
from caia_replay.tools.asset import resolve_asset, spot_symbol
from caia_replay.tools.candle import Candle, interval_argument, newest_candles
from caia_replay.tools.figure import decimal_text, significant
from caia_replay.tools.indicator import INDICATORS, Indicator
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text

MOST_VALUES: Final = 100


def indicator_analysis(
    world: ToolContext,
    asset: Annotated[str, Field(description="Ticker, name, CoinGecko id (id:NAME) or contract address.")],
    indicator: Annotated[str, Field(description="sma, ema, rsi, macd, bollinger, atr, stochastic or vwap.")],
    interval: Annotated[str, Field(description="Length of a candle: 1h, 4h, 1d, 1w and the venue's others.")] = "1d",
    period: Annotated[
        int | list[int] | None,
        Field(
            description="In candles; 20 by default, 14 for rsi and atr. macd takes [fast, slow, signal], "
            "by default [12, 26, 9]; stochastic takes [period, smoothing, signal], by default [14, 3, 3]."
        ),
    ] = None,
    count: Annotated[int, Field(description="How many of the newest values, 1 to 100.")] = 1,
    at: Annotated[
        str | int | None,
        Field(description="An earlier moment to look from, UTC; now by default. Its open candle is out."),
    ] = None,
    deviations: Annotated[
        float | None, Field(description="Of bollinger: how many standard deviations wide; 2 by default.")
    ] = None,
    quote: Annotated[str | None, Field(description="The asset of the market's prices, if it has several.")] = None,
) -> dict[str, Any]:
    """A technical indicator of an asset, from the closed candles of the spot venue (Binance), oldest value first.

    Conventions are TA-Lib's: ema is seeded with an sma, rsi and atr are Wilder's, bands use the population's deviation,
    the stochastic is the slow one. vwap is the turnover of the last candles over their volume. Enough candles before
    the first value are used that the seed of an average no longer shows; is_settled is false where the market is too
    young for that, and then all its candles are used. sma, ema, macd, bollinger, atr and vwap are in the quote asset,
    rsi and the stochastic go from 0 to 100; null where there is none, as where no price moved. Values have 12 digits.
    Example: {"asset": "ETH", "indicator": "macd", "interval": "4h", "period": [12, 26, 9], "count": 5}
    """
    name = choice_argument(indicator, INDICATORS, "indicator")
    found = INDICATORS[name]
    periods = found.periods([period] if isinstance(period, int) else period or [])
    width = Decimal(2) if deviations is None else number_argument(deviations, "deviations")
    if not 0 < width <= 10:
        raise ToolError(f"deviations is {deviations}; it goes from above 0 to 10")
    within(count, 1, MOST_VALUES, "count")
    length = interval_argument(interval)
    until = world.now if at is None else moment_argument(at, world.now, "at")
    listed = resolve_asset(world, asset)
    symbol = spot_symbol(world, listed, quote)
    needed = found.lookback(periods)
    wanted = needed + found.settling(periods) + count
    candles = newest_candles(world, symbol, length, wanted, until)
    if len(candles) <= needed:
        raise ToolError(
            f"{name} with {', '.join(f'{what} {value}' for what, value in periods.items())} takes {needed + 1} "
            f"closed candles of {length}; {symbol} had {len(candles)} by {utc_text(until)}"
        )
    lines = found.lines(candles, periods, width)
    first = max(needed, len(candles) - count)
    return {
        "asset": {"id": listed.id, "symbol": listed.symbol.upper(), "name": listed.name},
        "market": symbol,
        "source": "Binance spot candles",
        "interval": length,
        "indicator": name,
        "period": dict(periods),
        **({"deviations": str(width)} if name == "bollinger" else {}),
        "unit": _unit(found, symbol, listed.symbol),
        "at_utc": utc_text(until),
        "first_candle_utc": utc_text(candles[0].opened),
        "candles_used": len(candles),
        "is_settled": len(candles) == wanted,
        "values": [
            _row(candles[place], {line: values[place - needed] for line, values in lines.items()})
            for place in range(first, len(candles))
        ],
    }


def _unit(found: Indicator, symbol: str, base: str) -> str:
    return symbol.removeprefix(base.upper()) if found.of_price else "0 to 100"


def _row(candle: Candle, values: Mapping[str, Decimal | None]) -> dict[str, Any]:
    return {
        "candle_utc": utc_text(candle.opened),
        "closed_utc": utc_text(candle.closed),
        "close": decimal_text(candle.close),
        **{name: None if value is None else significant(Fraction(value)) for name, value in values.items()},
    }
