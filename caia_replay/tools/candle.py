"""Closed candles of the spot venue, exact and page by page."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from caia_replay.errors import ToolError
from caia_replay.providers.binance.interval import STEPS_MS, Interval
from caia_replay.tools.argument import duration_argument
from caia_replay.tools.asset import SPOT
from caia_replay.tools.figure import reading
from caia_replay.world.clock import utc_text

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

INTERVALS: Final = tuple(name for name in STEPS_MS if name not in ("1s", "3d"))
"""The venue's candles that tools ask for: where those of three days open is not documented."""
PAGE: Final = 1_000
"""What the venue tells at most at once."""
MOST: Final = 10_000
"""The most candles one question may span."""

_MONTHS: Final = ("month", "monthly", "1month", "1 month", "1mo", "30d")
_BY_SECONDS: Final = {STEPS_MS[name] // 1000: name for name in INTERVALS if STEPS_MS[name]}


@dataclass(frozen=True, slots=True)
class Candle:
    """One closed candle. ``opened`` is its first second and ``closed`` the first one after it, since 1970 UTC.

    Prices are in the quote asset. ``volume`` counts the base asset, ``quote_volume`` the quote asset.
    """

    opened: int
    closed: int
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    volume: Decimal
    quote_volume: Decimal
    trades: int


def interval_argument(value: str, what: str = "interval") -> str:
    """The venue's name of an interval, ``1h`` for ``60m`` and ``hourly``; ``1m`` is a minute and ``1M`` a month."""
    text = value.strip().strip("'\"`").strip()
    if text in INTERVALS:
        return text
    if text.lower() in _MONTHS:
        return "1M"
    try:
        return _BY_SECONDS[duration_argument(text, what)]
    except (KeyError, ToolError):
        raise ToolError(f"{what} is {value[:80]!r}; it is one of {', '.join(INTERVALS)}") from None


def candles(world: ToolContext, symbol: str, interval: str, first: int, last: int) -> list[Candle]:
    """The market's candles that opened at ``first`` or later and were over at ``last``, or now; oldest first.

    ``interval`` is one of ``INTERVALS``; times are seconds. Fewer where the market began later: none is filled in.
    Raises ``Miss``, and ``ToolError`` for more than ``MOST``.
    """
    grid = Interval(interval)
    start, end = grid.ceil(first * 1000), _last_opening(grid, min(last, world.now))
    if end - start > MOST * grid.longest_ms:
        raise ToolError(
            f"{utc_text(first)} to {utc_text(last)} has over {MOST:,} candles of {interval}; take longer ones"
        )
    found: list[Candle] = []
    while start <= end:
        page = _page(world, symbol, grid, start, end)
        found += page
        if len(page) < PAGE:
            break
        start = page[-1].closed * 1000
    return found


def newest_candles(world: ToolContext, symbol: str, interval: str, count: int, until: int) -> list[Candle]:
    """The last ``count`` candles that were over at ``until``, oldest first; fewer where the market is younger."""
    return candles(world, symbol, interval, window_start(interval, count, until), until)


def window_start(interval: str, count: int, until: int) -> int:
    """When the first of the last ``count`` candles opened that were over at ``until``; never before 1970."""
    grid = Interval(interval)
    opening = _last_opening(grid, until)
    for _ in range(count - 1):
        opening = grid.floor(opening - 1)
    return max(0, opening // 1000)


def _last_opening(grid: Interval, until: int) -> int:
    """The opening of the newest candle that was over, in milliseconds."""
    return grid.floor(grid.floor(until * 1000) - 1)


def _page(world: ToolContext, symbol: str, grid: Interval, start: int, end: int) -> list[Candle]:
    value = world.ask(
        f"{SPOT}/klines", symbol=symbol, interval=grid.name, startTime=start, endTime=end, limit=PAGE
    )  # fmt: skip
    with reading(f"candles of {symbol}"):
        if not isinstance(value, list):
            raise TypeError("no list")
        found = [_read(row, grid) for row in value]
        opened = [candle.opened * 1000 for candle in found]
        if opened != sorted(set(opened)) or not all(start <= time <= end for time in opened):
            raise ValueError("candles of the window that was asked for, in their order")
        return found


def _read(row: Any, grid: Interval) -> Candle:
    opened = int(row[0])
    begin, high, low, end, volume, quoted = figures = [Decimal(row[at]) for at in (1, 2, 3, 4, 5, 7)]
    if grid.floor(opened) != opened or not all(figure.is_finite() for figure in figures):
        raise ValueError("a candle opens on its grid and has finite figures")
    closed = grid.next(opened) // 1000
    return Candle(opened // 1000, closed, begin, high, low, end, volume, quoted, int(row[8]))
