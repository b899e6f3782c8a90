"""How traders of perpetual futures are positioned: funding, open interest, accounts and takers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Final

from pydantic import Field

from caia_replay.errors import ToolError
from caia_replay.tools.argument import (
    DAY_S,
    HOUR_S,
    MINUTE_S,
    choice_argument,
    duration_argument,
    moment_argument,
    within,
)
from caia_replay.tools.asset import FUTURES, futures_symbol, resolve_asset
from caia_replay.tools.figure import change_percent, decimal_text, exact, percent, reading
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text

KEPT_DAYS: Final = 30
"""How far back the venue tells statistics; funding it tells for ever."""

_PERIODS_S: Final = {
    **{f"{count}m": count * MINUTE_S for count in (5, 15, 30)},
    **{f"{count}h": count * HOUR_S for count in (1, 2, 4, 6, 12)},
    "1d": DAY_S,
}
_MOST_FUNDING: Final = 1_000
_MOST_STATISTICS: Final = 499
"""The venue tells 500; which end of a fuller window it keeps is not documented."""
_MOST_PAGES: Final = 25
_MOST_ROWS: Final = 500
_USUAL_DAYS: Final = 7
_RATIO_PLACES: Final = 6
_RATE_PLACES: Final = 12

Time = str | int | None
Rows = Sequence[Mapping[str, Any]]


def positioning_analysis(
    world: ToolContext,
    asset: Annotated[str, Field(description="Ticker, name, CoinGecko id (id:NAME) or contract address.")],
    metric: Annotated[
        str,
        Field(
            description="now (mark price, funding, open interest), funding, open_interest, long_short_ratio "
            "(accounts) or taker_ratio (aggressive buying against selling)."
        ),
    ] = "now",
    start: Annotated[Time, Field(description="First moment; null: 7 days before end. Not for now.")] = None,
    end: Annotated[Time, Field(description="Last moment; null: now. Not for now.")] = None,
    period: Annotated[
        str, Field(description="Step of the statistics: 5m, 15m, 30m, 1h, 2h, 4h, 6h, 12h or 1d. Not for funding.")
    ] = "1d",
    quote: Annotated[str | None, Field(description="Quote asset of the market; null: the only one.")] = None,
    limit: Annotated[int, Field(description="Rows to list, 1 to 500; next_start leads on.")] = 100,
) -> dict[str, Any]:
    """Read how an asset's perpetual future is positioned on Binance, with rows and a summary of the whole window.

    Rates are fractions as exact decimal texts: 0.0001 is 0.01 %, and above zero longs pay shorts. funding sums and
    averages the rates that were paid; open_interest gives contracts in the base asset, their value in the quote asset
    and the change from the first to the last row; the two ratios give first, last, extremes and mean, taker_ratio also
    bought and sold volume and their ratio over all. Means are rounded to 12 places, ratios to 6. All but funding goes
    back 30 days, and a period is told once it is over.
    Example: {"asset": "ETH", "metric": "funding", "start": "2024-05-01", "end": "2024-05-08", "period": "1d",
    "quote": null, "limit": 100}
    """
    chosen = choice_argument(_OTHER_WORDS.get(metric.strip().lower(), metric), ("now", *_METRICS), "metric")
    within(limit, 1, _MOST_ROWS, "limit")
    last = world.now if end is None else moment_argument(end, world.now, "end")
    first = last - _USUAL_DAYS * DAY_S if start is None else moment_argument(start, world.now, "start")
    if first > last:
        raise ToolError(f"start {utc_text(first)} is after end {utc_text(last)}")
    if chosen == "now" and (start is not None or end is not None):
        raise ToolError("metric now takes no start and no end; for a history take another metric")
    step = _period(period)
    found = resolve_asset(world, asset)
    symbol = futures_symbol(world, found, quote)
    head = {"asset": found.symbol.upper(), "name": found.name, "source": "Binance futures", "market": symbol}
    if chosen == "now":
        return {**head, "metric": chosen, **_now(world, symbol)}
    if chosen == "funding":
        rows, timed = _funding(world, symbol, first, last), "fundingTime"
        over = {}
    else:
        rows, timed = _statistics(world, symbol, _METRICS[chosen][0], step, first, last), "timestamp"
        over = {"period": step}
    _, shown, summarise = _METRICS[chosen]
    with reading(f"positions in {symbol}"):
        listed = [
            {"time_utc": utc_text(row[timed] // 1000), **{name: row[field] for name, field in shown.items()}}
            for row in rows
        ]
        summary = summarise(rows) if rows else None
    return {
        **head,
        "metric": chosen,
        **over,
        "start_utc": utc_text(first),
        "end_utc": utc_text(last),
        "count": len(rows),
        "summary": summary,
        "rows": listed[:limit],
        "next_start": listed[limit]["time_utc"] if len(listed) > limit else None,
    }


def _now(world: ToolContext, symbol: str) -> dict[str, Any]:
    value = world.ask(f"{FUTURES}/fapi/v1/premiumIndex", symbol=symbol)
    held = world.ask(f"{FUTURES}/fapi/v1/openInterest", symbol=symbol)
    with reading(f"positions in {symbol}"):
        mark, amount = Decimal(value["markPrice"]), Decimal(held["openInterest"])
        return {
            "time_utc": utc_text(value["time"] // 1000),
            "mark_price": value["markPrice"],
            "index_price": value["indexPrice"],
            "mark_above_index_percent": change_percent(exact(value["indexPrice"], symbol), Fraction(mark)),
            "last_funding_rate": value["lastFundingRate"] or None,  # as of contracts that are being settled
            "next_funding_utc": utc_text(value["nextFundingTime"] // 1000) if value["nextFundingTime"] else None,
            "open_interest": held["openInterest"],
            "open_interest_time_utc": utc_text(held["time"] // 1000),
            "open_interest_value_at_mark": decimal_text(Fraction(amount) * Fraction(mark), 8),
        }


def _funding(world: ToolContext, symbol: str, first: int, last: int) -> Rows:
    """The rates that were paid from ``first`` to ``last``, both included, oldest first."""
    found: list[Mapping[str, Any]] = []
    start = first * 1000
    for _ in range(_MOST_PAGES):
        page = _asked(world, symbol, "fapi/v1/fundingRate", "fundingTime", start, last * 1000, limit=_MOST_FUNDING)
        found += page
        if len(page) < _MOST_FUNDING:
            return found
        start = page[-1]["fundingTime"] + 1
    raise ToolError(f"the window has over {_MOST_PAGES * _MOST_FUNDING:,} payments; take a shorter one")


def _statistics(world: ToolContext, symbol: str, kind: str, period: str, first: int, last: int) -> Rows:
    """The rows of the periods that began at ``first`` or later and were over at ``last``, oldest first."""
    step = _PERIODS_S[period]
    if first < world.now - KEPT_DAYS * DAY_S:
        since = utc_text(world.now - KEPT_DAYS * DAY_S)
        raise ToolError(
            f"the venue tells these statistics for {KEPT_DAYS} days, since {since}; funding goes further back"
        )
    begin, end = -(-first // step) * step, last // step * step - step
    found: list[Mapping[str, Any]] = []
    while begin <= end:
        until = min(end, begin + (_MOST_STATISTICS - 1) * step)
        found += _asked(world, symbol, f"futures/data/{kind}", "timestamp", begin * 1000, until * 1000, period=period,
                        limit=_MOST_STATISTICS + 1)  # fmt: skip
        begin = until + step
    return found


def _asked(
    world: ToolContext, symbol: str, path: str, timed: str, start: int, end: int, **more: str | int
) -> list[Mapping[str, Any]]:
    value = world.ask(f"{FUTURES}/{path}", symbol=symbol, startTime=start, endTime=end, **more)
    with reading(f"positions in {symbol}"):
        times = [row[timed] for row in value]
        if times != sorted(set(times)) or not all(start <= time <= end for time in times):
            raise ValueError("rows of the window that was asked for, in their order")
        return list(value)


def _funding_summary(rows: Rows) -> dict[str, Any]:
    """Sum, mean and extremes of the rates, and how many were above and below zero."""
    rates = [(exact(row["fundingRate"], "funding"), row) for row in rows]
    added = sum((rate for rate, _ in rates), Fraction(0))
    return {
        "sum": decimal_text(added, _RATE_PLACES),
        "sum_percent": percent(added),
        "mean": decimal_text(added / len(rates), _RATE_PLACES),
        "mean_percent": percent(added / len(rates)),
        **_extremes(rates, "fundingRate", "fundingTime"),
        "above_zero": sum(rate > 0 for rate, _ in rates),
        "below_zero": sum(rate < 0 for rate, _ in rates),
    }


def _interest_summary(rows: Rows) -> dict[str, Any]:
    """First and last, and the change between them, of amount and value; extremes of the amount."""
    summary: dict[str, Any] = {}
    for name, field in (("open_interest", "sumOpenInterest"), ("value", "sumOpenInterestValue")):
        begin, end = (exact(row[field], "open interest") for row in (rows[0], rows[-1]))
        summary |= {
            f"{name}_first": rows[0][field],
            f"{name}_last": rows[-1][field],
            f"{name}_change": decimal_text(end - begin, 8),
            f"{name}_change_percent": change_percent(begin, end),
        }
    amounts = [(exact(row["sumOpenInterest"], "open interest"), row) for row in rows]
    return {**summary, **_extremes(amounts, "sumOpenInterest", "timestamp")}


def _taker_summary(rows: Rows) -> dict[str, Any]:
    """The takers' ratio, and what all bought and sold together."""
    bought, sold = (sum((exact(row[field], "takers") for row in rows), Fraction(0)) for field in ("buyVol", "sellVol"))
    return {
        **_ratio_summary(rows, "buySellRatio"),
        "buy_volume": decimal_text(bought, 8),
        "sell_volume": decimal_text(sold, 8),
        "ratio_of_sums": decimal_text(bought / sold, _RATIO_PLACES) if sold else None,
    }


def _ratio_summary(rows: Rows, field: str = "longShortRatio") -> dict[str, Any]:
    """First, last, extremes and plain mean of a ratio."""
    ratios = [(exact(row[field], field), row) for row in rows]
    mean = sum((ratio for ratio, _ in ratios), Fraction(0)) / len(ratios)
    ends = {"first": rows[0][field], "last": rows[-1][field], "mean": decimal_text(mean, _RATIO_PLACES)}
    return {**ends, **_extremes(ratios, field, "timestamp")}


def _extremes(found: Sequence[tuple[Fraction, Mapping[str, Any]]], field: str, timed: str) -> dict[str, Any]:
    """The first of the lowest and the first of the highest."""
    ends = {"lowest": min(found, key=lambda one: one[0])[1], "highest": max(found, key=lambda one: one[0])[1]}
    return {name: {"value": row[field], "time_utc": utc_text(row[timed] // 1000)} for name, row in ends.items()}


def _period(text: str) -> str:
    lengths = {length: name for name, length in _PERIODS_S.items()}
    try:
        return lengths[duration_argument(text, "period")]
    except (KeyError, ToolError):
        raise ToolError(f"period is {text[:80]!r}; it is one of {', '.join(_PERIODS_S)}") from None


_METRICS: Final[Mapping[str, tuple[str, Mapping[str, str], Callable[[Rows], dict[str, Any]]]]] = {
    "funding": ("", {"rate": "fundingRate", "mark_price": "markPrice"}, _funding_summary),
    "open_interest": (
        "openInterestHist",
        {"open_interest": "sumOpenInterest", "value": "sumOpenInterestValue"},
        _interest_summary,
    ),
    "long_short_ratio": (
        "globalLongShortAccountRatio",
        {"ratio": "longShortRatio", "long_share": "longAccount", "short_share": "shortAccount"},
        _ratio_summary,
    ),
    "taker_ratio": (
        "takerlongshortRatio",
        {"ratio": "buySellRatio", "buy_volume": "buyVol", "sell_volume": "sellVol"},
        _taker_summary,
    ),
}
_OTHER_WORDS: Final[Mapping[str, str]] = {
    **{"current": "now", "overview": "now", "funding_rate": "funding", "funding rate": "funding"},
    **{"oi": "open_interest", "long_short": "long_short_ratio", "long/short": "long_short_ratio"},
    **{"taker": "taker_ratio", "taker_buy_sell_ratio": "taker_ratio", "buy_sell_ratio": "taker_ratio"},
}
