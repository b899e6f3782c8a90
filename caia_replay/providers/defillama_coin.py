"""Prices out of recorded prices, coin by coin: of now, of a moment, first ones, changes and charts; and blocks.

Every answer of these pages is a mapping of coins, so an answer is put together from whatever recordings settle its
coins. A coin is left out where a recording shows that there was nothing to tell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.defillama_question import Question, is_settled, read
from caia_replay.providers.endpoint import answered_at, content_of, derived, is_of_now, utc

_SURE_WIDTH_S: Final = 4 * 3_600
"""The search width where none is given: no shorter than this."""
_CHANGE_WIDTH_S: Final = 900
_DAY_S: Final = 86_400
_ADDRESS: Final = re.compile(r"[^:]+:0x[0-9a-fA-F]{40}")

Found = tuple[Any] | None
"""What a recording settles of a coin: its item, or None where it settles that there is none."""


@dataclass(frozen=True, slots=True)
class Told:
    """One recording, read: its question, its coins by folded key, and when it was made."""

    asked: Question
    content: Any
    coins: Mapping[str, Any]
    reply: HttpReply
    at: int | None
    of_now: bool

    def knows(self, coin: str) -> bool:
        """Whether it was asked about the coin."""
        return fold(coin) in map(fold, self.asked.coins)

    def of(self, coin: str) -> Any:
        """What it tells of the coin, or None."""
        return self.coins.get(fold(coin))


class Unsettled(Exception):
    """Why a recording does not settle a coin."""


def narrow_coins(recorded: Sequence[Recorded], asked: Question, now: int) -> HttpReply:
    """The answer to ``asked``. Raises ``Miss`` naming the first coin that no recording settles."""
    told = [one for one in map(lambda found: _read(found, now), recorded) if one is not None]
    settle = {"current": _current, "historical": _historical, "first": _first, "percentage": _change, "chart": _chart}
    built: dict[str, Any] = {}
    for coin in asked.coins:
        known = [one for one in told if one.knows(coin)]
        item = settle[asked.page](known, asked, coin, now)
        if item is not None:
            built[coin] = item[0]
    content = {"coins": built}
    for one in told:
        if one.content == content:
            return one.reply
    return derived(content, told[0].reply)


def narrow_block(recorded: Sequence[Recorded], asked: Question, now: int) -> HttpReply:
    """The recorded block nearest to a moment, where nothing can have come nearer by now. Raises ``Miss``."""
    moment, why = asked.number(asked.parts[-1]), "no recording"
    if moment > now:
        raise Miss("http", asked.words(), f"{utc(moment)} is after now")
    for found in recorded:
        content, at = content_of(found.reply), answered_at(found.reply)
        made = content.get("timestamp") if isinstance(content, dict) else None
        if found.reply.status == 200 and type(made) is int:
            if made <= now and is_settled(moment, abs(made - moment), at, now):
                return found.reply
            why = f"recorded is the block of {utc(made)}, and others may be nearer at {utc(now)}"
    raise Miss("http", asked.words(), why)


def _read(found: Recorded, now: int) -> Told | None:
    if found.reply.status != 200:
        return None
    try:
        asked, content = read(found.request), content_of(found.reply)
    except Miss:
        return None
    coins = content.get("coins") if isinstance(content, dict) else None
    if not isinstance(coins, dict):
        return None
    by_key = {fold(key): item for key, item in coins.items()}
    return Told(asked, content, by_key, found.reply, answered_at(found.reply), is_of_now(found, now))


def _any(known: Sequence[Told], asked: Question, coin: str, one_of: Any) -> Found:
    """What the first recording that settles the coin says. Raises ``Miss`` with the last one's reason."""
    why = f"no recording of {coin}"
    for told in known:
        try:
            found: Found = one_of(told)
            return found
        except (Unsettled, Miss) as reason:
            why = str(reason)
    raise Miss("http", f"{asked.page} price of {coin} ({asked.words():.200})", why)


def _current(known: Sequence[Told], asked: Question, coin: str, now: int) -> Found:
    def settle(told: Told) -> Found:
        if not told.of_now:
            raise Unsettled(f"recorded {_when(told)}, not at {utc(now)}")
        item, same = told.of(coin), _width(told.asked) == _width(asked)
        if item is None:
            return _nothing(same)
        made = _moment_of(item)
        if made > now:
            raise Unsettled(f"recorded is the price of {utc(made)}, which is after {utc(now)}")
        if not same and now - made > (_width(asked) or _SURE_WIDTH_S):
            raise Unsettled(f"recorded with another search width, and the price is of {utc(made)}")
        return (item,)

    return _any(known, asked, coin, settle)


def _historical(known: Sequence[Told], asked: Question, coin: str, now: int) -> Found:
    moment = asked.number(asked.parts[-2])

    def settle(told: Told) -> Found:
        wide, wanted, item = _width(told.asked), _width(asked), told.of(coin)
        if item is None and wide == wanted:
            return _absent(moment, _DAY_S if wide is None else wide, told, now)
        if item is None:
            if wide is None or wanted is None or wide < wanted:
                raise Unsettled("recorded with a shorter search width, without a price")
            return _absent(moment, wanted, told, now)
        made = _moment_of(item)
        distance = abs(made - moment)
        if made > now:
            raise Unsettled(f"recorded is the price of {utc(made)}, which is after {utc(now)}")
        if not is_settled(moment, distance, told.at, now):
            raise Unsettled(f"recorded {_when(told)}: a nearer price may have come by {utc(now)}")
        if wide == wanted or distance <= (_SURE_WIDTH_S if wanted is None else wanted):
            return (item,)
        if wanted is None:
            raise Unsettled(f"recorded is the price of {utc(made)}, as far off as the usual search width may be")
        return None

    return _any(known, asked, coin, settle)


def _first(known: Sequence[Told], asked: Question, coin: str, now: int) -> Found:
    def settle(told: Told) -> Found:
        item = told.of(coin)
        if item is None:
            if told.at is None or told.at < now:
                raise Unsettled(f"recorded {_when(told)}, without a first price yet")
            return None
        return (item,) if _moment_of(item) <= now else None

    return _any(known, asked, coin, settle)


def _change(known: Sequence[Told], asked: Question, coin: str, now: int) -> Found:
    latest = None
    if "timestamp" in asked.parameters:
        latest = asked.number(asked.parameters["timestamp"]) + _CHANGE_WIDTH_S
        latest += asked.seconds("period", "1d") * (asked.parameters.get("lookForward", "").lower() == "true")

    def settle(told: Told) -> Found:
        past = latest is not None and told.at is not None and latest < min(told.at, now)
        if not past and not told.of_now:
            raise Unsettled(f"recorded {_when(told)}, not at {utc(now)}")
        item = told.of(coin)
        return None if item is None else (item,)

    return _any(known, asked, coin, settle)


def _chart(known: Sequence[Told], asked: Question, coin: str, now: int) -> Found:
    """Point by point: each moment of the grid from a recorded grid that has it."""
    period = asked.seconds("period", "1d")
    width = asked.seconds("searchWidth", str(period // 10))
    for told in known:
        with suppress(Unsettled):
            if told.asked.parameters == asked.parameters and _is_whole(told, coin, asked, width, now):
                item = told.of(coin)
                return None if item is None else (item,)
    points: dict[int, Any] = {}
    head: Mapping[str, Any] | None = None
    for moment in grid(asked, now):

        def settle(told: Told, moment: int = moment) -> Found:
            if not {"start", "end"} & told.asked.parameters.keys() or moment not in grid(told.asked, now):
                raise Unsettled(f"recorded {_when(told)} is the chart {told.asked.words():.200}")
            if told.asked.seconds("searchWidth", str(period // 10)) != width or 2 * width >= period:
                raise Unsettled("recorded with another search width")
            item = told.of(coin)
            near = [point for point in _points(item) if abs(_moment_of(point) - moment) <= width]
            if not near:
                return _absent(moment, width, told, now)
            made = _moment_of(near[0])
            if made > now or not is_settled(moment, abs(made - moment), told.at, now):
                raise Unsettled(
                    f"recorded {_when(told)} is the price of {utc(made)}, which may not be the one at {utc(now)}"
                )
            return ((near[0], item),)

        found = _any(known, asked, coin, settle)
        if found is not None:
            point, item = found[0]
            points[_moment_of(point)] = point
            head = item if head is None else head
    return None if head is None else ({**head, "prices": [points[at] for at in sorted(points)]},)


def grid(asked: Question, now: int) -> range:
    """The moments that a chart asks for, in the order of time."""
    period, span = asked.seconds("period", "1d"), max(1, asked.number(asked.parameters.get("span", "0")))
    if period == 0 or {"start", "end"} <= asked.parameters.keys():
        raise Miss("http", asked.words(), "this is no chart: recorded answers only")
    if "start" in asked.parameters:
        first = asked.number(asked.parameters["start"])
        return range(first, first + span * period, period)
    last = asked.number(asked.parameters.get("end", str(now)))
    return range(last - (span - 1) * period, last + 1, period)


def fold(coin: str) -> str:
    """One spelling of a coin's key: hexadecimal addresses are the same in any case, other words are not."""
    return coin.lower() if _ADDRESS.fullmatch(coin) else coin


def _is_whole(told: Told, coin: str, asked: Question, width: int, now: int) -> bool:
    """Whether a recording of the same chart is the chart of now, up to its last point."""
    if any(_moment_of(point) > now for point in _points(told.of(coin))):
        return False
    if not {"start", "end"} & asked.parameters.keys():
        return told.of_now
    return told.at is not None and (told.at >= now or told.at > grid(asked, now)[-1] + width)


def _points(item: Any) -> list[Any]:
    """The points of a coin's chart; none of a coin that was left out."""
    points = item.get("prices") if isinstance(item, dict) else [] if item is None else None
    if not isinstance(points, list):
        raise Unsettled("recorded is a chart without points")
    return points


def _absent(moment: int, width: int, told: Told, now: int) -> Found:
    """Nothing within ``width`` of a moment when it was recorded, so nothing at ``now`` either, or ``Unsettled``."""
    if told.at is None or (told.at < now and told.at <= moment + width):
        raise Unsettled(f"recorded {_when(told)}, when {utc(moment)} had no price yet")
    return None


def _nothing(same: bool) -> Found:
    if not same:
        raise Unsettled("recorded with another search width, without a price")
    return None


def _width(asked: Question) -> int | None:
    return asked.seconds("searchWidth", "0") if "searchWidth" in asked.parameters else None


def _moment_of(item: Any) -> int:
    moment = item.get("timestamp") if isinstance(item, dict) else None
    if type(moment) is not int:
        raise Unsettled("recorded is a price without its moment")
    return moment


def _when(told: Told) -> str:
    return "at an unknown time" if told.at is None else f"at {utc(told.at)}"
