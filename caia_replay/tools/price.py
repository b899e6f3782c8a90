"""What an asset costs: now, at a moment, or over a window, by CoinGecko or on the spot venue.

Of CoinGecko's charts one recorded point answers for a window or a moment, never one between two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import Field

from caia_replay.errors import ToolError
from caia_replay.tools.argument import DAY_S, HOUR_S, MINUTE_S, duration_argument, moment_argument, within
from caia_replay.tools.asset import COINGECKO, SPOT, Asset, resolve_asset, spot_symbol
from caia_replay.tools.candle import Candle, candles, interval_argument, newest_candles
from caia_replay.tools.figure import change_percent, decimal_text, exact, reading, significant, total
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

STEPS_S: Final = {"5m": 5 * MINUTE_S, "hourly": HOUR_S, "daily": DAY_S}
HOURLY_DAYS: Final = 90
"""The longest window that the vendor tells by hours."""
KEPT_DAYS: Final = 365
"""How far back the vendor's free tier tells."""

_TOLD_AFTER_S: Final = 35 * MINUTE_S
"""How long after 00:00 UTC the vendor tells a day's point."""
_LOOK_BACK_S: Final = {"5m": 30 * MINUTE_S, "hourly": 3 * HOUR_S, "daily": 2 * DAY_S}

_MOST_ROWS: Final = 500
_CURRENCIES: Final = {"$": "usd", "dollar": "usd", "us dollar": "usd", "€": "eur", "euro": "eur",
                      "rmb": "cny", "yuan": "cny", "renminbi": "cny"}  # fmt: skip

Time = str | int | None


@dataclass(frozen=True, slots=True)
class Point:
    """One recorded point, in the quote currency; a figure that the vendor did not tell is None."""

    time: int
    price: int | float
    market_cap: int | float | None
    volume_24h: int | float | None


def step_argument(value: str, what: str = "interval") -> str:
    """``5m``, ``hourly`` or ``daily``, however it is spelled."""
    text = value.strip().strip("'\"`").strip().lower()
    lengths = {length: name for name, length in STEPS_S.items()}
    try:
        return text if text in STEPS_S else lengths[duration_argument(text, what)]
    except (KeyError, ToolError):
        raise ToolError(f"{what} is {value[:80]!r}; CoinGecko has {', '.join(STEPS_S)}") from None


def points(world: ToolContext, asset: Asset, quote: str, step: str, first: int, last: int) -> list[Point]:
    """All points from ``first`` to ``last``, both included, oldest first; none before the coin was listed.

    Raises ``Miss``, and ``ToolError`` for a window that the vendor does not tell at this step.
    """
    begin, end, now = first, min(last, world.now), world.now
    if begin < now - KEPT_DAYS * DAY_S:
        raise ToolError(f"CoinGecko goes back {KEPT_DAYS} days, to {utc_text(now - KEPT_DAYS * DAY_S)}")
    if step == "5m" and begin < now - DAY_S:
        raise ToolError(f"CoinGecko tells steps of 5m of the last 24 hours alone, from {utc_text(now - DAY_S)}")
    if step == "hourly" and end - begin > HOURLY_DAYS * DAY_S:
        raise ToolError(f"CoinGecko tells hours for {HOURLY_DAYS} days at once; give a shorter window or daily")
    if step == "hourly" and end - begin <= DAY_S and begin >= now - DAY_S - HOUR_S:
        # A window of up to a day within the last one is told every five minutes; a longer one by hours.
        begin = end - DAY_S - HOUR_S
    if step == "daily":
        begin = -(-begin // DAY_S) * DAY_S
        if begin > min(end, now - _TOLD_AFTER_S):
            raise ToolError("days are told at 00:00 UTC, from 00:35 on; none lies in this window, take hourly")
    value = world.ask(
        f"{COINGECKO}/coins/{asset.id}/market_chart/range", vs_currency=quote, **{"from": begin}, to=end,
        interval="daily" if step == "daily" else None,
    )  # fmt: skip
    return [point for point in _read(value, asset) if first <= point.time <= end]


def point_at(world: ToolContext, asset: Asset, quote: str, step: str, moment: int) -> Point:
    """The newest point at ``moment`` or shortly before it. Raises as ``points``, and ``ToolError`` where none is."""
    first = moment - _LOOK_BACK_S[step]
    if step == "5m":
        first = max(first, min(moment, world.now - DAY_S))
    found = points(world, asset, quote, step, first, moment)
    if not found:
        since = f"{utc_text(first)} to {utc_text(moment)}"
        raise ToolError(f"CoinGecko tells no price of {asset.name} from {since}: it may not have been listed then")
    return found[-1]


def _read(content: Any, asset: Asset) -> list[Point]:
    with reading(f"chart of {asset.id}"):
        caps, volumes = (dict(_pair(row) for row in content[name]) for name in ("market_caps", "total_volumes"))
        rows = sorted(_pair(row) for row in content["prices"] if row[1] is not None)
    # CoinGecko says 0 where it knows no market cap.
    return [Point(ms // 1000, price, caps.get(ms) or None, volumes.get(ms)) for ms, price in rows]


def _pair(row: Any) -> tuple[int, Any]:
    at, value = row
    if isinstance(value, bool) or not isinstance(value, (int, float, type(None))):
        raise TypeError(value)
    return int(at), value


def price_feed(
    world: ToolContext,
    asset: Annotated[str, Field(description="Ticker, name, CoinGecko id (id:NAME) or contract address.")],
    quote: Annotated[
        str | None,
        Field(
            description="Currency of the prices, such as usd, eur, cny or a coin's ticker; null: usd, or on binance "
            "the market's own quote asset."
        ),
    ] = None,
    at: Annotated[Time, Field(description="A moment to price; null: now, or start is given.")] = None,
    start: Annotated[Time, Field(description="First moment of a history; null: no history.")] = None,
    end: Annotated[Time, Field(description="Last moment of the history; null: now.")] = None,
    interval: Annotated[
        str | None,
        Field(
            description="coingecko: hourly (up to 90 days), daily (at 00:00 UTC) or 5m (last 24 hours); null: hourly "
            "in usd, but daily in others, beyond 90 days and at a date. binance: 1m to 1M, such as 1h or 1d; null: 1h, "
            "beyond 14 days 1d."
        ),
    ] = None,
    source: Annotated[
        Literal["coingecko", "binance"], Field(description="coingecko: average of markets; binance: the spot venue.")
    ] = "coingecko",
    limit: Annotated[int, Field(description="Rows of a history, 1 to 500; next_start leads on.")] = 100,
) -> dict[str, Any]:
    """Read an asset's price: now, at one moment (at), or as a history (start, end) with a summary of all of it.

    at is answered with the nearest recorded point at or before it and that point's own time, never in between; a date
    is its 00:00 UTC. coingecko gives price, market cap and volume of the last 24 hours in the quote currency, as
    JSON numbers; binance gives closed candles as exact decimal texts, and at the close of the last one. The two
    sources differ a little. Percentages are rounded to six places, the mean to twelve digits.
    Example: {"asset": "ETH", "quote": "usd", "at": "2024-05-31T14:00:00Z", "start": null, "end": null,
    "interval": null, "source": "coingecko", "limit": 100}
    """
    within(limit, 1, _MOST_ROWS, "limit")
    if at is not None and (start is not None or end is not None):
        raise ToolError("give at for one moment, or start and end for a history, not both")
    if end is not None and start is None:
        raise ToolError("end needs a start; for one moment give at")
    moment = None if at is None else moment_argument(at, world.now, "at")
    window = None
    if start is not None:
        first = moment_argument(start, world.now, "start")
        last = world.now if end is None else moment_argument(end, world.now, "end")
        if first > last:
            raise ToolError(f"start {utc_text(first)} is after end {utc_text(last)}")
        window = first, last
    found = resolve_asset(world, asset)
    tell = _on_venue if source == "binance" else _by_index
    head = {"asset": found.symbol.upper(), "name": found.name, "coingecko_id": found.id}
    return {**head, **tell(world, found, quote, moment, window, interval, limit)}


def _by_index(
    world: ToolContext, asset: Asset, quote: str | None, moment: int | None, window: tuple[int, int] | None,
    interval: str | None, limit: int,
) -> dict[str, Any]:  # fmt: skip
    currency = _currency(quote)
    long = window is not None and window[1] - window[0] > HOURLY_DAYS * DAY_S
    midnight = moment is not None and moment % DAY_S == 0
    usual = "daily" if long or midnight or currency != "usd" else "hourly"
    step = usual if interval is None else step_argument(interval)
    head = {"source": "CoinGecko", "quote": currency}
    if moment is not None:
        point = point_at(world, asset, currency, step, moment)
        return {**head, "interval": step, "asked_utc": utc_text(moment), **_row(point)}
    if window is None:
        return {**head, **_now(world, asset, currency)}
    found = points(world, asset, currency, step, *window)
    rows = [_row(point) for point in found]
    prices = [(point.time, exact(point.price, asset.id), point.price) for point in found]
    return {**head, "interval": step, **_history(window, rows, "time_utc", _summary(prices), limit)}


def _now(world: ToolContext, asset: Asset, currency: str) -> dict[str, Any]:
    value = world.ask(
        f"{COINGECKO}/simple/price", ids=asset.id, vs_currencies=currency, include_market_cap="true",
        include_24hr_vol="true", include_24hr_change="true", include_last_updated_at="true",
    )  # fmt: skip
    with reading(f"price of {asset.id}"):
        found = dict(value[asset.id])
        if not isinstance(found["last_updated_at"], int):
            raise TypeError("a moment is a whole number of seconds")
    if currency not in found:
        raise ToolError(f"CoinGecko tells no price of {asset.name} in {currency!r} at this moment")
    return {
        "time_utc": utc_text(found["last_updated_at"]),
        "price": found[currency],
        "market_cap": found.get(f"{currency}_market_cap") or None,  # 0 where CoinGecko knows none
        "volume_24h": found.get(f"{currency}_24h_vol"),
        "change_24h_percent": found.get(f"{currency}_24h_change"),
    }


def _on_venue(
    world: ToolContext, asset: Asset, quote: str | None, moment: int | None, window: tuple[int, int] | None,
    interval: str | None, limit: int,
) -> dict[str, Any]:  # fmt: skip
    symbol = spot_symbol(world, asset, quote)
    head = {"source": "Binance spot", "market": symbol, "quote": symbol.removeprefix(asset.symbol.upper())}
    usual = "1d" if window is not None and window[1] - window[0] > 14 * DAY_S else "1h"
    name = usual if interval is None else interval_argument(interval)
    if moment is not None:
        found = newest_candles(world, symbol, name, 1, moment)
        if not found:
            raise ToolError(f"{symbol} had no candle of {name} that was over by {utc_text(moment)}")
        times = {"asked_utc": utc_text(moment), "time_utc": utc_text(found[0].closed)}
        return {**head, "interval": name, **times, "price": decimal_text(found[0].close), "candle": _bar(found[0])}
    if window is None:
        return {**head, **_ticker(world, symbol)}
    bars = candles(world, symbol, name, *window)
    closes = [(bar.closed, Fraction(bar.close), decimal_text(bar.close)) for bar in bars]
    summary = _summary(closes)
    if summary is not None:
        high, low = max(bars, key=lambda bar: bar.high), min(bars, key=lambda bar: bar.low)
        summary["highest"] = {"price": decimal_text(high.high), "candle_utc": utc_text(high.opened)}
        summary["lowest"] = {"price": decimal_text(low.low), "candle_utc": utc_text(low.opened)}
        summary["volume_base"] = decimal_text(total(bar.volume for bar in bars))
    return {**head, "interval": name, **_history(window, [_bar(bar) for bar in bars], "opened_utc", summary, limit)}


def _ticker(world: ToolContext, symbol: str) -> dict[str, Any]:
    value = world.ask(f"{SPOT}/ticker/24hr", symbol=symbol)
    with reading(f"ticker of {symbol}"):
        return {
            "time_utc": utc_text(value["closeTime"] // 1000),
            "price": value["lastPrice"],
            "open_24h": value["openPrice"],
            "high_24h": value["highPrice"],
            "low_24h": value["lowPrice"],
            "volume_24h_base": value["volume"],
            "volume_24h_quote": value["quoteVolume"],
            "change_24h_percent": value["priceChangePercent"],
        }


def _currency(quote: str | None) -> str:
    text = "usd" if quote is None else " ".join(quote.strip().strip("'\"`").lower().split())
    if text in ("¥", ""):
        raise ToolError(f"quote is {text!r}, which could be several currencies; give its code, such as cny or jpy")
    return _CURRENCIES.get(text, text)


def _history(
    window: tuple[int, int], rows: Sequence[dict[str, Any]], key: str, summary: Any, limit: int
) -> dict[str, Any]:
    return {
        "start_utc": utc_text(window[0]),
        "end_utc": utc_text(window[1]),
        "count": len(rows),
        "summary": summary,
        "rows": rows[:limit],
        "next_start": rows[limit][key] if len(rows) > limit else None,
    }


def _summary(prices: Sequence[tuple[int, Fraction, Any]]) -> dict[str, Any] | None:
    """First, last, lowest and highest price, how far the last is above the first, and the plain mean."""
    if not prices:
        return None
    low, high = min(prices, key=lambda found: found[1]), max(prices, key=lambda found: found[1])
    total = sum((value for _, value, _ in prices), Fraction(0))
    ends = {"first": prices[0], "last": prices[-1], "lowest": low, "highest": high}
    return {
        **{name: {"price": one, "time_utc": utc_text(time)} for name, (time, _, one) in ends.items()},
        "change_percent": change_percent(prices[0][1], prices[-1][1]),
        "mean": significant(total / len(prices)),
    }


def _row(point: Point) -> dict[str, Any]:
    figures = asdict(point)
    return {"time_utc": utc_text(figures.pop("time")), **figures}


def _bar(candle: Candle) -> dict[str, Any]:
    return {
        "opened_utc": utc_text(candle.opened),
        **{name: decimal_text(getattr(candle, name)) for name in ("open", "high", "low", "close")},
        "volume_base": decimal_text(candle.volume),
        "volume_quote": decimal_text(candle.quote_volume),
        "trades": candle.trades,
    }
