"""Times and blocks: what moment a block or a text means, and which blocks of which chain a moment lies between."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from fractions import Fraction
from typing import Annotated, Any, Final

from pydantic import Field

from caia_replay.errors import ToolError
from caia_replay.tools.argument import DAY_S, calendar_argument, chain_argument
from caia_replay.tools.chain_height import block_at, block_time, describe_block, height_argument
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text

_OFFSET: Final = re.compile(r"(?:utc|gmt)? ?([+-])([0-9]{1,2})(?::?([0-9]{2}))?")
_FARTHEST_MINUTES: Final = 14 * 60
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def time_conversion(
    world: ToolContext,
    time: Annotated[
        str | int | None, Field(description="A date or time, seconds or milliseconds since 1970, now, or 7 days ago.")
    ] = None,
    block: Annotated[int | str | None, Field(description="Instead of time: a block height, or latest.")] = None,
    end_time: Annotated[
        str | int | None, Field(description="A second moment, to count the seconds and blocks from the first to it.")
    ] = None,
    end_block: Annotated[int | str | None, Field(description="Instead of end_time: a block height, or latest.")] = None,
    chain: Annotated[
        str | None, Field(description="The chain's name or id; null: the task's own; \"all\": every chain.")
    ] = None,
    utc_offset: Annotated[str | None, Field(description="Show times also at this offset, such as +08:00.")] = None,
    include_blocks: Annotated[
        bool, Field(description="Whether to find the blocks at the moment; false for arithmetic on the calendar alone.")
    ] = True,
) -> dict[str, Any]:
    """Convert between block heights, Unix times and dates, and count what lies between two moments.

    A time without a zone is UTC, a date is its 00:00. For each chain last_block is the newest at or before the moment
    and next_block the first after it, null where there is none yet; a moment to come has no blocks. between counts
    the blocks after the start's last_block up to and with the end's. Without time and block the moment is now.
    Example: {"time": "2024-05-31T14:00:00Z", "block": null, "end_time": null, "end_block": null, "chain": null,
    "utc_offset": "+08:00", "include_blocks": true}
    """
    chains = _chains(world, chain)
    zone = None if utc_offset is None else _zone(utc_offset)
    searched = _searched(world, chains, chain) if include_blocks else []
    start = _instant(world, chains, time, block, "time")
    shown = _told(world, searched, start, zone)
    if end_time is None and end_block is None:
        return shown | {"now_utc": utc_text(world.now)}
    end = _instant(world, chains, end_time, end_block, "end_time")
    ended = _told(world, searched, end, zone)
    between: dict[str, Any] = {
        "seconds": end.moment - start.moment,
        "days": _rounded(Fraction(end.moment - start.moment, DAY_S)),
    }
    if include_blocks:
        between["blocks"] = [_counted(*pair) for pair in zip(shown["blocks"], ended["blocks"], strict=True)]
    return {"start": shown, "end": ended, "between": between, "now_utc": utc_text(world.now)}


@dataclass(frozen=True, slots=True)
class _Instant:
    """A moment, and the block it was named by, if it was: chains make several in a second."""

    moment: int
    block: int | None = None


def _chains(world: ToolContext, chain: str | None) -> list[str]:
    if chain is not None and chain.strip(" '\"`").lower() == "all":
        return list(world.chains)
    return [chain_argument(world, chain)]


def _searched(world: ToolContext, chains: list[str], asked: str | None) -> list[str]:
    """The chains to find blocks on. A chain that is asked for by name must be there; a task's own that is not recorded
    is left out, since the calendar needs no chain."""
    return [name for name in chains if asked is not None or name in world.chains]


def _instant(
    world: ToolContext, chains: list[str], time: str | int | None, block: int | str | None, what: str
) -> _Instant:
    if block is None:
        return _Instant(calendar_argument("now" if time is None else time, world.now, what))
    if time is not None:
        raise ToolError(f"give {what} or {what.replace('time', 'block')}, not both")
    if len(chains) != 1:
        raise ToolError("a block is of one chain: say which as chain")
    height = height_argument(world, chains[0], block)
    return _Instant(block_time(world, chains[0], height), height)


def _told(world: ToolContext, chains: list[str], instant: _Instant, zone: tzinfo | None) -> dict[str, Any]:
    """A moment in every spelling, and where it lies on each chain."""
    moment = instant.moment
    at = datetime.fromtimestamp(moment, UTC)
    shown: dict[str, Any] = {
        "time_utc": utc_text(moment),
        "unix_seconds": moment,
        "unix_milliseconds": moment * 1000,
        "weekday_utc": _DAYS[at.weekday()],
        "seconds_before_now": world.now - moment,
    }
    if zone is not None:
        shown["time_at_offset"] = at.astimezone(zone).isoformat()
    return shown | {"blocks": [_around(world, name, instant) for name in chains]}


def _around(world: ToolContext, chain: str, instant: _Instant) -> dict[str, Any]:
    shown: dict[str, Any] = {"chain": chain, "chain_id": world.chain(chain).chain_id}
    if instant.moment > world.now:
        return shown | {"last_block": None, "next_block": None}
    last = block_at(world, chain, instant.moment) if instant.block is None else instant.block
    following = 0 if last is None else last + 1
    return shown | {
        "last_block": None if last is None else describe_block(world, chain, last),
        "next_block": describe_block(world, chain, following) if following <= world.newest(chain) else None,
    }


def _counted(first: dict[str, Any], last: dict[str, Any]) -> dict[str, Any]:
    """How many blocks lie between two moments; null where one of them is before the chain or still to come."""
    shown: dict[str, Any] = {"chain": first["chain"], "count": None, "average_seconds": None}
    if first["last_block"] is not None and last["last_block"] is not None:
        count = last["last_block"]["block"] - first["last_block"]["block"]
        span = last["last_block"]["timestamp"] - first["last_block"]["timestamp"]
        shown |= {"count": count, "average_seconds": _rounded(Fraction(span, count)) if count else None}
    return shown


def _rounded(exact: Fraction) -> float:
    """To six places, half to even."""
    return float(round(exact, 6))


def _zone(text: str) -> tzinfo:
    found = _OFFSET.fullmatch(" ".join(text.strip("'\"`").lower().split()))
    minutes = int(found[2]) * 60 + int(found[3] or 0) if found else 0
    if text.strip(" '\"`").lower() in ("z", "utc", "gmt"):
        return UTC
    if not found or int(found[3] or 0) > 59 or minutes > _FARTHEST_MINUTES:
        raise ToolError(
            f"utc_offset is {text[:40]!r}; write +08:00 or -05:00: a place changes its offset over the year"
        )
    return timezone(timedelta(minutes=minutes if found[1] == "+" else -minutes))
