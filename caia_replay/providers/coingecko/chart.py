"""Windows of CoinGecko's charts, cut from and put together of recorded ones.

The vendor chooses a chart's granularity by its window and by how near that is to the moment of asking:

    up to a day, all of it within the last day    five minutes
    up to 90 days                                 an hour
    more than 90 days                             a day, at 00:00 UTC, told from 00:35 on

A recorded chart is known from the start of its window to its end, or to the moment it was recorded at. Of a chart by
days the newest point is the price at that moment, no stored point, and is left out of everything that is derived.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, Final

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.errors import Miss
from caia_replay.providers.coingecko.reply import (
    DAY_S,
    FINE_S,
    HOUR_S,
    ParsedReply,
    between,
    cut,
    holds_after,
    is_plain,
    is_settled,
    seen_step,
    series_of,
)
from caia_replay.providers.coingecko.request import DEMO, CoinGeckoRequest, whole
from caia_replay.providers.endpoint import derived, utc

HOURLY_DAYS: Final = 90
DEMO_DAYS: Final = 365
LATE_S: Final = 35 * 60
_INTERVALS: Final = {"hourly": HOUR_S, "daily": DAY_S}
_WORDS: Final = {FINE_S: "5-minutely", HOUR_S: "hourly", DAY_S: "daily"}
_SLACK_S: Final = 3_600
"""How far inside the demo tier's year a recording keeps, so that a slow clock does not spoil it."""


@dataclass(frozen=True, slots=True)
class Window:
    """The seconds from ``first`` to ``last``, both included, at one granularity in seconds."""

    first: int
    last: int
    step: int

    def words(self) -> str:
        """As people read it."""
        return f"{_WORDS[self.step]} {utc(self.first)} to {utc(self.last)}"


@dataclass(frozen=True, slots=True)
class Part:
    """A recorded chart: what it is known for, its stored points, and the exchange itself."""

    window: Window
    content: Mapping[str, Any]
    recording: ParsedReply

    def shape(self) -> tuple[frozenset[str], bytes]:
        """What charts must have in common to be joined: their series, and all that is none."""
        series = series_of(self.content)
        return series, canonical_bytes({name: self.content[name] for name in self.content if name not in series})


def window_of(question: CoinGeckoRequest, moment: int | None) -> Window | None:
    """What a chart's question covers when it is asked at ``moment``; None where that is not certain."""
    given = question.parameters
    interval = given.get("interval")
    if interval is not None and interval not in _INTERVALS:
        return None
    if question.is_range:
        first, last = whole(given.get("from", "")), whole(given.get("to", ""))
        if first is None or last is None or last < first:
            return None
        window = last - first
        if interval is not None:
            step = _INTERVALS[interval]
        elif window > DAY_S:
            step = HOUR_S if window <= HOURLY_DAYS * DAY_S else DAY_S
        elif moment is None:
            return None
        else:
            step = FINE_S if first >= moment - DAY_S else HOUR_S
        return Window(first, last, step)
    days = whole(given.get("days", ""))
    if moment is None or not days:
        return None
    auto = FINE_S if days == 1 else HOUR_S if days <= HOURLY_DAYS else DAY_S
    return Window(moment - days * DAY_S, moment, auto if interval is None else _INTERVALS[interval])


def known_until(step: int, moment: int) -> int:
    """The newest second whose stored points are told at ``moment``."""
    return moment - LATE_S if step == DAY_S else moment


def narrow_chart(replies: Sequence[ParsedReply], asked: CoinGeckoRequest, now: int) -> HttpReply:
    """A chart by window out of any charts of the family, one by days out of those made at ``now``; or ``Miss``.

    ``told`` are the family's recordings, the nearest to ``now`` first.
    """
    wanted = window_of(asked, now)
    same = [one for one in replies if one.question.words() == asked.words()]
    made_now = [one for one in same if one.is_of(now)]
    if wanted is not None and not (asked.origin == DEMO and wanted.first < now - DEMO_DAYS * DAY_S):
        reply = _range(replies, same, wanted, now) if asked.is_range else _days(replies, made_now, wanted, now)
        if reply is not None:
            return reply
    # A refusal may be about a key that another recording had.
    for one in sorted(made_now, key=lambda one: one.found.reply.status != 200):
        if _is_past(one, now) if one.found.reply.status == 200 else one.is_answer and one.is_known(now):
            return one.found.reply
    windows = [window_of(one.question, one.at) for one in replies]
    near = "; ".join(sorted({window.words() for window in windows if window})[:4]) or "no chart of it"
    what = asked.words() if wanted is None else f"{asked.words()} ({wanted.words()})"
    raise Miss("http", what, f"recorded: {near}", near)


def part_of(one: ParsedReply) -> Part | None:
    """A recorded chart and what it is known for; None for a refusal, for another shape, or where that is uncertain."""
    question, at, content = one.question, one.at, one.chart
    if content is None:
        return None
    seconds = [point[0] / 1_000 for point in content["prices"]]
    value, seen = window_of(question, at), seen_step(seconds if question.is_range else seconds[:-1])
    if value is None and question.is_range and seen is not None and "interval" not in question.parameters:
        # The window of a chart whose granularity only its points tell.
        first, last = whole(question.parameters.get("from", "")), whole(question.parameters.get("to", ""))
        value = Window(first, last, seen) if first is not None and last is not None else None
    if value is None or seen not in (None, value.step):
        return None
    if question.is_range:
        if at is None and not seconds:
            return None
        last = min(value.last, known_until(value.step, at) if at is not None else int(seconds[-1]))
        return Part(Window(value.first, last, value.step), content, one)
    if len(seconds) < 2:
        return None
    # Where exactly a window that ends now begins is the vendor's affair: from the first point on it is certain.
    newest, first = content["prices"][-1][0], math.ceil(seconds[0])
    last = known_until(value.step, int((newest - 1) // 1_000))
    return Part(Window(first, last, value.step), cut(content, -math.inf, newest - 1), one)


def _range(replies: Sequence[ParsedReply], same: Sequence[ParsedReply], wanted: Window, now: int) -> HttpReply | None:
    """The points of a window as they were told at ``now``; None where no recordings have all of them for certain."""
    found = _stored(replies, wanted, now)
    if found is None:
        return None
    return next((one.found.reply for one in same if one.chart == found[0]), None) or derived(*found)


def _stored(replies: Sequence[ParsedReply], wanted: Window, now: int) -> tuple[dict[str, Any], HttpReply] | None:
    """The stored points of a window, and a reply that has some of them."""
    end = min(wanted.last, known_until(wanted.step, now))
    if wanted.first > end:
        return None
    fits = [part for one in replies if _may_hold(one, wanted) and _is_clear(one, now) and (part := part_of(one))]
    alike: dict[tuple[frozenset[str], bytes], list[Part]] = {}
    for part in fits:
        if part.window.step == wanted.step:
            alike.setdefault(part.shape(), []).append(part)
    chain = next((chain for parts in alike.values() if (chain := _chain(parts, wanted.first, end, now))), [])
    # A coin without any point until now may not have been listed yet, and then there was no chart at all.
    if not any(part.content["prices"] and part.content["prices"][0][0] <= now * 1_000 for part in chain):
        return None
    content, after = dict(chain[0].content), wanted.first * 1_000 - 1
    names = series_of(content)
    content |= {name: [] for name in names}
    for part in chain:
        until = min(part.window.last, end) * 1_000
        for name in names:
            content[name] += [point for point in between(part.content[name], after, until) if point[0] > after]
        after = until
    chosen = [part.recording for part in chain]
    for parts in alike.values():
        for part in parts:
            if not _agrees(part, content, wanted.first, end) and not is_settled(chosen, part.recording, now):
                return None
    return content, chain[0].recording.found.reply


def _chain(parts: Sequence[Part], first: int, end: int, now: int) -> list[Part]:
    """Charts that leave no second open from ``first`` to ``end``, each the nearest to ``now`` of those that go on
    where the one before it ends; none where a second is open."""
    waiting = sorted(range(len(parts)), key=lambda index: -parts[index].window.first)
    ready: list[tuple[tuple[int, int], int, int]] = []
    reach, chain = first - 1, list[Part]()
    while reach < end:
        while waiting and parts[waiting[-1]].window.first <= max(reach, first):
            index = waiting.pop()
            heappush(ready, (parts[index].recording.distance(now), -parts[index].window.last, index))
        while ready and -ready[0][1] <= reach:
            heappop(ready)
        if not ready:
            return []
        chain.append(parts[ready[0][2]])
        reach = chain[-1].window.last
    return chain


def _agrees(part: Part, content: Mapping[str, Any], first: int, end: int) -> bool:
    """Whether a chart tells the same as ``content``, which is known from ``first`` to ``end``, where it tells of it."""
    first_ms, last_ms = max(part.window.first, first) * 1_000, min(part.window.last, end) * 1_000
    return all(
        between(part.content[name], first_ms, last_ms) == between(content[name], first_ms, last_ms)
        for name in series_of(part.content) & series_of(content)
    )


def _days(replies: Sequence[ParsedReply], same: Sequence[ParsedReply], wanted: Window, now: int) -> HttpReply | None:
    """The last days of a chart by as many days or more that was made at the same moment, or put together."""
    for one in same:
        if _is_past(one, now):
            return one.found.reply
    for one in replies:
        if one.at is None or one.question.is_range or not one.is_of(now) or not _is_past(one, now):
            continue
        longer, part = window_of(one.question, one.at), part_of(one)
        first = one.at - (wanted.last - wanted.first)
        if longer is None or part is None or longer.first > first or longer.step != wanted.step:
            continue
        assert one.chart is not None
        return derived(cut(one.chart, first * 1_000, math.inf), one.found.reply)
    return next((reply for one in replies if (reply := _lengthened(replies, one, wanted, now))), None)


def _lengthened(replies: Sequence[ParsedReply], one: ParsedReply, wanted: Window, now: int) -> HttpReply | None:
    """The stored points of a window that ends when a chart by days was made at ``now``, and that one's newest point,
    which charts of any number of days end with."""
    if one.at is None or one.question.is_range or not one.is_of(now) or not _is_past(one, now) or one.chart is None:
        return None
    names, first = series_of(one.chart), one.at - (wanted.last - wanted.first)
    newest = {points[-1][0] if (points := one.chart[name]) else None for name in names}
    newest_ms = newest.pop() if len(newest) == 1 else None
    if newest_ms is None:
        return None
    last = min(int(newest_ms - 1) // 1_000, known_until(wanted.step, one.at))
    found = _stored(replies, Window(first, last, wanted.step), now)
    if found is None or series_of(found[0]) != names or len(found[0]) != len(one.chart):
        return None
    ends = {name: [*between(found[0][name], 0, newest_ms - 1), one.chart[name][-1]] for name in names}
    return derived({**found[0], **ends}, one.found.reply)


def widen_chart(asked: CoinGeckoRequest, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
    """Cells counted back from ``now``: a day of five minutes, 90 days of hours, or a year of days."""
    wanted = window_of(asked, now)
    if wanted is None or wanted.first > now:
        return (request,)
    if not asked.is_range:
        return (_more_days(asked, request),)
    width = {FINE_S: DAY_S, HOUR_S: HOURLY_DAYS * DAY_S, DAY_S: DEMO_DAYS * DAY_S}[wanted.step]
    oldest = now - DEMO_DAYS * DAY_S + _SLACK_S if asked.origin == DEMO else 0
    cells, number = [request] if wanted.first < oldest else [], 0
    while number == 0 or now - number * width > wanted.first:
        first, last = max(now - (number + 1) * width, oldest, 0), now - number * width
        if first < last and first <= wanted.last and last >= wanted.first:
            cells.append(asked.request(request, **{"from": str(first), "to": str(last)}))
        number += 1
    return tuple(cells)


def _more_days(asked: CoinGeckoRequest, request: HttpRequest) -> HttpRequest:
    days, interval = whole(asked.parameters["days"]) or 0, asked.parameters.get("interval")
    if days == 1 and interval is None:
        return request
    most = DEMO_DAYS if interval == "daily" or (interval is None and days > HOURLY_DAYS) else HOURLY_DAYS
    return request if days > most else asked.request(request, days=str(most))


def _may_hold(one: ParsedReply, wanted: Window) -> bool:
    """Whether a recording is worth reading for a window, by its request alone."""
    value = window_of(one.question, one.at)
    return value is None or (value.step == wanted.step and value.first <= wanted.last and value.last >= wanted.first)


def _is_clear(one: ParsedReply, now: int) -> bool:
    """Whether all that a chart tells of a time after ``now`` can be cut out of it."""
    return one.chart is not None and (one.is_before(now) or is_plain(one.chart))


def _is_past(one: ParsedReply, now: int) -> bool:
    """Whether all that a chart tells was told at ``now``."""
    if one.chart is None or not _is_clear(one, now):
        return False
    window = window_of(one.question, one.at)
    until = now if one.is_before(now) else known_until(DAY_S if window is None else window.step, now)
    return not holds_after(one.chart, until)
