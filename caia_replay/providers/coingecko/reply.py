"""A recorded exchange with CoinGecko, taken apart once: what it says, when it was made, and what of it is known when.

No answer is 429, a status from 500 on, a limit told with status 200, or a body of another shape than its endpoint's.
Of a moment is what was made within a quarter of an hour of it and has no stamp of later. Nearer to it is what was made
before it rather than after it, and then what was made closest to it.

Series are lists of ``[milliseconds, value]`` in the order of time. A chart that holds any list that is no series is not
read at all: nobody could say what of it was known when.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence, ValuesView
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from statistics import median
from typing import Any, Final

from caia_replay.core.provider import Recorded
from caia_replay.errors import Miss
from caia_replay.providers.coingecko.request import CoinGeckoRequest, question_of, whole
from caia_replay.providers.endpoint import AS_OF_NOW_S, answered_at, content_or_none

DAY_S: Final = 86_400
HOUR_S: Final = 3_600
FINE_S: Final = 300
_GAPS: Final = ((1_000, FINE_S), (DAY_S // 2, HOUR_S))
"""Points nearer than so many seconds, on the whole, have the granularity beside it."""
_KNOWN: Final = frozenset({"prices", "market_caps", "total_volumes"})
_LAST_MS: Final = 253_402_300_799_999
"""The end of the year 9999."""

Points = list[list[Any]]


def chart_of(content: Any) -> dict[str, Any] | None:
    """A chart: prices, and every list in it a series; None for anything else."""
    if not isinstance(content, dict) or not isinstance(content.get("prices"), list):
        return None
    return content if all(_is_series(points) for points in content.values() if isinstance(points, list)) else None


def series_of(chart: Mapping[str, Any]) -> frozenset[str]:
    """The names of what a chart tells point by point."""
    return frozenset(name for name, points in chart.items() if isinstance(points, list))


def is_plain(chart: Mapping[str, Any]) -> bool:
    """Whether a chart holds pairs of a moment and a number and nothing else, so that all of it can be cut."""
    return chart.keys() <= _KNOWN and all(
        isinstance(points, list)
        and all(len(point) == 2 and (point[1] is None or type(point[1]) in (int, float)) for point in points)
        for points in chart.values()
    )


def cut(chart: Mapping[str, Any], first_ms: float, last_ms: float) -> dict[str, Any]:
    """The points from one moment to another, both included; what is no series is left as it is."""
    return {**chart, **{name: between(chart[name], first_ms, last_ms) for name in series_of(chart)}}


def between(points: Points, first_ms: float, last_ms: float) -> Points:
    """The points of one series from one moment to another, both included."""
    stamp = itemgetter(0)
    return points[bisect_left(points, first_ms, key=stamp) : bisect_right(points, last_ms, key=stamp)]


def holds_after(chart: Mapping[str, Any], moment: int) -> bool:
    """Whether a chart tells of a time after ``moment``, in seconds."""
    return any(chart[name][-1][0] > moment * 1_000 for name in series_of(chart) if chart[name])


def seen_step(seconds: Sequence[float]) -> int | None:
    """The granularity that stored points show, in seconds; None for fewer than two."""
    if len(seconds) < 2:
        return None
    gap = median(later - earlier for earlier, later in pairwise(seconds))
    return next((step for bound, step in _GAPS if gap < bound), DAY_S)


def _is_series(points: list[Any]) -> bool:
    """Whether these are points, each with a moment that calendars have, none before the one ahead of it."""
    return all(
        isinstance(point, list) and point and type(point[0]) in (int, float) and 0 <= point[0] <= _LAST_MS
        for point in points
    ) and all(earlier[0] <= later[0] for earlier, later in pairwise(points))


_LATER: Final = frozenset({408, 425, 429})
"""Refusals of this one attempt, beside all from 500 on: they are no answer to the question."""
_STAMPS: Final = ("last_updated_at", "last_updated", "updated_at", "timestamp", "last_traded_at", "last_fetch_at")
"""Keys whose values say when something was seen; other moments may lie ahead, such as the end of a contract."""


class ParsedReply:
    """One recorded exchange and its question. Its body is read when it is first needed."""

    def __init__(self, found: Recorded, question: CoinGeckoRequest) -> None:
        self.found, self.question = found, question
        self.at = answered_at(found.reply)
        """When it was made, in seconds; None when it does not say."""

    @cached_property
    def body(self) -> Any:
        """The reply's JSON, whatever its status; None for what is none."""
        return content_or_none(self.found.reply)

    @cached_property
    def content(self) -> Any:
        """What a reply with status 200 says; None for a refusal, and for what its endpoint never says."""
        return self.body if self.found.reply.status == 200 and _has_shape(self.question, self.body) else None

    @cached_property
    def chart(self) -> dict[str, Any] | None:
        """The content as a chart; None where it is none."""
        return chart_of(self.content)

    @property
    def is_answer(self) -> bool:
        """Whether it answers its question, be it with a refusal."""
        status = self.found.reply.status
        return self.content is not None if status == 200 else status < 500 and status not in _LATER

    def is_before(self, now: int) -> bool:
        """Whether all of it was known at ``now`` because it was made until then."""
        return self.at is not None and self.at <= now

    def is_of(self, now: int) -> bool:
        """Whether it was made at ``now``, give or take a quarter of an hour."""
        return self.at is not None and abs(self.at - now) <= AS_OF_NOW_S

    def is_known(self, now: int) -> bool:
        """Whether nothing in it is stamped later than ``now``."""
        return not is_stamped_after(self.body, self.at, now)

    def distance(self, now: int) -> tuple[int, int]:
        """To be sorted by: the nearer to ``now`` the smaller; what was made after it comes after all that was not."""
        if self.at is None:
            return 2, 0
        return (0, now - self.at) if self.at <= now else (1, self.at - now)


def parsed_replies(recorded: Iterable[Recorded], now: int) -> list[ParsedReply]:
    """Recorded exchanges taken apart, the nearest to ``now`` first; without those whose address cannot be read."""
    items = []
    for found in recorded:
        with suppress(Miss):
            items.append(ParsedReply(found, question_of(found.request)))
    return sorted(items, key=lambda one: one.distance(now))


def is_settled(chosen: Sequence[ParsedReply], other: ParsedReply, now: int) -> bool:
    """Whether recordings are right where ``other`` contradicts them: they were made at ``now``, or before it and after
    ``other``. What was told differently at any other time may have been so at ``now`` or not."""
    made = [one.at for one in chosen if one.at is not None and one.at <= now]
    if len(made) < len(chosen):
        return False
    return now - min(made) <= AS_OF_NOW_S or (other.at is not None and other.at < min(made))


def is_stamped_after(content: Any, at: int | None, now: int) -> bool:
    """Whether anything in a reply made at ``at`` says of itself that it is of later than ``now``.

    In a reply that was made after ``now``, any moment between the two tells of something that happened since.
    """
    since = now if at is None else max(at, now)
    # A year of seconds is full of numbers that are no moments: those count where the two moments are near.
    first, last = (now + 1, since) if since - now <= AS_OF_NOW_S else (0, -1)
    first_ms, last_ms, oldest = first * 1_000, last * 1_000 + 999, _day_before(now)
    left = [content]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            for key in _STAMPS:
                if key in value and (moment := _moment(value[key])) is not None and moment > now:
                    return True
            value = value.values()
        for item in value if isinstance(value, list | ValuesView) else ():
            kind = type(item)
            if kind is dict or kind is list:
                left.append(item)
            elif since == now:
                continue
            elif kind is str:
                if oldest <= item[:10] < "9" and now < (_moment(item) or 0) <= since:
                    return True
            elif (kind is float or kind is int) and (first <= item < last + 1 or first_ms <= item <= last_ms):
                return True
    return False


def _moment(value: Any) -> int | None:
    """A stamp in whole seconds: a number of seconds or milliseconds, or a text as ISO 8601 has it; None for others."""
    if type(value) is str:
        if (number := whole(value)) is not None:
            return number
        try:
            moment = datetime.fromisoformat(value)
            return int(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp())
        except (ValueError, OverflowError):
            return None
    if type(value) not in (int, float):
        return None
    return int(value) if value < 10**11 else int(value // 1_000)


def _day_before(moment: int) -> str:
    """The day before a moment's as ISO 8601 writes it: no later moment, in whatever zone, is written less."""
    try:
        return datetime.fromtimestamp(moment - 86_400, UTC).strftime("%Y-%m-%d")
    except (ValueError, OverflowError, OSError):
        return ""


def _has_shape(question: CoinGeckoRequest, content: Any) -> bool:
    """Whether a body is what the question's endpoint says with status 200."""
    if isinstance(content, dict) and isinstance(status := content.get("status"), dict) and "error_code" in status:
        return False
    match question.kind:
        case "markets" | "pages" | "coins":
            return isinstance(content, list)
        case "coin" | "history":
            return isinstance(content, dict) and isinstance(content.get("id"), str)
        case "simple":
            return isinstance(content, dict) and all(isinstance(row, dict) for row in content.values())
        case "static":
            return isinstance(content, dict if question.path == ("ping",) else list)
    return isinstance(content, dict | list)
