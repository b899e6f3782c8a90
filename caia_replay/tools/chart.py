"""Recorded points of CoinGecko's charts: which one answers for a window or a moment, never one between two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import DAY_S, HOUR_S, MINUTE_S, duration_argument
from caia_replay.tools.asset import COINGECKO, Asset
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
    try:
        caps, volumes = (dict(_pair(row) for row in content[name]) for name in ("market_caps", "total_volumes"))
        rows = sorted(_pair(row) for row in content["prices"] if row[1] is not None)
    except (KeyError, TypeError, ValueError, IndexError) as fault:
        raise Miss("http", f"chart of {asset.id}", "what was recorded has another shape") from fault
    # CoinGecko says 0 where it knows no market cap.
    return [Point(ms // 1000, price, caps.get(ms) or None, volumes.get(ms)) for ms, price in rows]


def _pair(row: Any) -> tuple[int, Any]:
    at, value = row
    if isinstance(value, bool) or not isinstance(value, (int, float, type(None))):
        raise TypeError(value)
    return int(at), value
