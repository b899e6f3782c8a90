"""Histories of what is locked: the points the DeFi index noted, which of them a call asks for, and what is in them.

A point is a state: what was locked at its time. One dated midnight begins its day and ends the day before; the last
one of a protocol is dated now.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from caia_replay.errors import ToolError
from caia_replay.tools.argument import moment_argument
from caia_replay.tools.daily import MOST_POINTS, Day, number, share_percent, total
from caia_replay.tools.defi_index import API, Listed, Number, figure, fold, in_path, moment_of
from caia_replay.tools.figure import reading
from caia_replay.world.clock import utc_text

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

MOST_TOKEN_POINTS: Final = 20
"""How many points one call tells token by token."""


@dataclass(frozen=True, slots=True)
class Locked:
    """A history, ascending; ``tokens`` has by time each token's dollars and amount, where the index tells them."""

    what: str
    times: Sequence[int]
    worth: Mapping[int, Number | None]
    tokens: Mapping[int, Mapping[str, tuple[Number | None, Number | None]]]


def chain_history(world: ToolContext, chain: str | None) -> Locked:
    """The history of a chain, or of all."""
    url = f"{API}/v2/historicalChainTvl" + (f"/{in_path(chain)}" if chain else "")
    what = chain or "all chains"
    value = world.ask(url)
    with reading(f"what is locked on {what}"):
        return _locked(what, {moment_of(point["date"]): figure(point["tvl"]) for point in value}, {}, len(value))


def protocol_history(world: ToolContext, one: Listed, chain: str | None, part: str | None) -> Locked:
    """The history of a protocol, or of its part on a chain, or of what is kept apart. Raises ``ToolError``."""
    value = world.ask(f"{API}/protocol/{in_path(one.slug)}")
    what = part_name(one, chain, part)
    with reading(f"the history of {one.name}"):
        found = value
        if chain is not None or part is not None:
            found = value["chainTvls"].get(part_key(value["chainTvls"], chain, part))
        if found is None:
            raise ToolError(f"the index has no history of {what}; it has: {', '.join(sorted(value['chainTvls']))}")
        worth = {moment_of(point["date"]): figure(point["totalLiquidityUSD"]) for point in found["tvl"]}
        dollars, amounts = (
            {moment_of(point["date"]): point["tokens"] for point in found.get(key) or ()}
            for key in ("tokensInUsd", "tokens")
        )
        tokens = {
            at: {name: (figure(usd), figure(amounts.get(at, {}).get(name))) for name, usd in dollars[at].items()}
            for at in dollars
        }
        return _locked(what, worth, tokens, len(found["tvl"]))


def part_key(parts: Mapping[str, Any], chain: str | None, part: str | None) -> str:
    """The index's own spelling of a chain, a part kept apart, or such a part on a chain; the asked one for none."""
    wanted = "-".join(text for text in (chain, part) if text is not None)
    return next((key for key in sorted(parts) if fold(key) == fold(wanted)), wanted)


def part_name(one: Listed, chain: str | None, part: str | None) -> str:
    """What is looked at, in words."""
    return f"{one.name}{f', {part}' if part else ''}{f' on {chain}' if chain else ''}"


def describe_at(world: ToolContext, history: Locked, at: str | int, by_token: bool) -> dict[str, Any]:
    """The last point up to a moment and the one that follows it. Raises ``ToolError`` for a moment before all."""
    moment = moment_argument(at, world.now, "at")
    place = bisect_right(history.times, moment)
    if not place:
        raise ToolError(_nothing(history, f"up to {utc_text(moment)}"))
    following = history.times[place] if place < len(history.times) else None
    return {
        "asked_utc": utc_text(moment),
        "last_up_to_it": _point(history, history.times[place - 1], by_token),
        "next": None if following is None else _point(history, following, by_token),
    }


def describe_between(world: ToolContext, history: Locked, start: Day, end: Day, by_token: bool) -> dict[str, Any]:
    """The points from ``start`` to ``end``, both included, from the first or to the last where that is None."""
    first = 0 if start is None else moment_argument(start, world.now, "start")
    last = world.now if end is None else moment_argument(end, world.now, "end")
    if first > last:
        raise ToolError(f"start {utc_text(first)} is after end {utc_text(last)}")
    times = [at for at in history.times if first <= at <= last]
    if not times:
        raise ToolError(_nothing(history, f"from {utc_text(first)} to {utc_text(last)}"))
    most = MOST_TOKEN_POINTS if by_token else MOST_POINTS
    before, after = history.worth[times[0]], history.worth[times[-1]]
    known = before is not None and after is not None
    change = total([after]) - total([before]) if known and before is not None and after is not None else None
    return {
        "points_in_all": len(times),
        "first_point_utc": utc_text(times[0]),
        "last_point_utc": utc_text(times[-1]),
        "change_usd": None if change is None else number(change),
        "change_percent": None if change is None or before is None else share_percent(change, total([before])),
        "points": [_point(history, at, by_token) for at in times[:most]],
        "next_start": utc_text(times[most]) if len(times) > most else None,
    }


def describe_tokens(history: Locked, at: int) -> list[dict[str, Any]] | None:
    """What was locked at a point, token by token, the most dollars first; None where the index does not tell."""
    if at not in history.tokens:
        return None
    held = sorted(history.tokens[at].items(), key=lambda item: (-(item[1][0] or 0), item[0]))
    return [{"token": name, "usd": usd, "amount": amount} for name, (usd, amount) in held]


def _point(history: Locked, at: int, by_token: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {"time_utc": utc_text(at), "tvl_usd": history.worth[at]}
    return fields | {"tokens": describe_tokens(history, at)} if by_token else fields


def _locked(what: str, worth: Mapping[int, Number | None], tokens: Mapping[int, Any], points: int) -> Locked:
    if len(worth) < points:
        raise ValueError("two points of one moment")
    return Locked(what, sorted(worth), worth, tokens)


def _nothing(history: Locked, when: str) -> str:
    if not history.times:
        return f"the index noted nothing of {history.what} by this moment"
    reach = f"its points go from {utc_text(history.times[0])} to {utc_text(history.times[-1])}"
    return f"the index noted nothing of {history.what} {when}; {reach}"
