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
from itertools import pairwise
from statistics import median
from typing import Any, Final

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.coingecko_question import DEMO, Question, question_of
from caia_replay.providers.endpoint import answered_at, content_of, derived, is_of_now, utc

DAY_S: Final = 86_400
HOUR_S: Final = 3_600
FINE_S: Final = 300
HOURLY_DAYS: Final = 90
DEMO_DAYS: Final = 365
LATE_S: Final = 35 * 60
_GAPS: Final = ((1_000, FINE_S), (DAY_S // 2, HOUR_S))
"""Points nearer than so many seconds, on the whole, have the granularity beside it."""
_INTERVALS: Final = {"hourly": HOUR_S, "daily": DAY_S}
_WORDS: Final = {FINE_S: "5-minutely", HOUR_S: "hourly", DAY_S: "daily"}
_SLACK_S: Final = 3_600
"""How far inside the demo tier's year a recording keeps, so that a slow clock does not spoil it."""

Points = list[list[Any]]


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
    found: Recorded


def window_of(question: Question, moment: int | None) -> Window | None:
    """What a chart's question covers when it is asked at ``moment``; None where that is not certain."""
    given = question.parameters
    interval = given.get("interval")
    if interval is not None and interval not in _INTERVALS:
        return None
    if question.is_range:
        first, last = given.get("from", ""), given.get("to", "")
        if not (first.isdecimal() and last.isdecimal()) or int(last) < int(first):
            return None
        window = int(last) - int(first)
        if interval is not None:
            step = _INTERVALS[interval]
        elif window > DAY_S:
            step = HOUR_S if window <= HOURLY_DAYS * DAY_S else DAY_S
        elif moment is None:
            return None
        else:
            step = FINE_S if int(first) >= moment - DAY_S else HOUR_S
        return Window(int(first), int(last), step)
    days = given.get("days", "")
    if moment is None or not days.isdecimal() or not int(days):
        return None
    auto = FINE_S if int(days) == 1 else HOUR_S if int(days) <= HOURLY_DAYS else DAY_S
    return Window(moment - int(days) * DAY_S, moment, auto if interval is None else _INTERVALS[interval])


def told_until(step: int, moment: int) -> int:
    """The newest second whose stored points are told at ``moment``."""
    return moment - LATE_S if step == DAY_S else moment


def narrow_chart(recorded: Sequence[Recorded], asked: Question, now: int) -> HttpReply:
    """A chart by window out of any charts of the family, one by days out of those made at ``now``; or ``Miss``."""
    wanted = window_of(asked, now)
    same = [found for found in recorded if question_of(found.request).words() == asked.words()]
    made_now = [found for found in same if is_of_now(found, now)]
    if wanted is not None and not (asked.origin == DEMO and wanted.first < now - DEMO_DAYS * DAY_S):
        reply = _range(recorded, same, wanted, now) if asked.is_range else _days(recorded, made_now, wanted, now)
        if reply is not None:
            return reply
    # A refusal may be about a key that another recording had.
    for found in sorted(made_now, key=lambda found: found.reply.status != 200):
        if found.reply.status != 200 or not _holds_after(found, now):
            return found.reply
    windows = [window_of(question_of(found.request), answered_at(found.reply)) for found in recorded]
    near = "; ".join(sorted(window.words() for window in windows if window)[:4]) or "no chart of it"
    what = asked.words() if wanted is None else f"{asked.words()} ({wanted.words()})"
    raise Miss("http", what, f"recorded: {near}", near)


def part_of(found: Recorded) -> Part | None:
    """A recorded chart and what it is known for; None for a refusal, for another shape, or where that is uncertain."""
    question, at, content = question_of(found.request), answered_at(found.reply), _content(found)
    if content is None:
        return None
    seconds = [point[0] / 1_000 for point in content["prices"]]
    told, seen = window_of(question, at), _seen_step(seconds if question.is_range else seconds[:-1])
    if told is None and question.is_range and seen is not None and "interval" not in question.parameters:
        told = _asked_window(question, seen)
    if told is None or seen not in (None, told.step):
        return None
    if question.is_range:
        if at is None and not seconds:
            return None
        last = min(told.last, told_until(told.step, at) if at is not None else int(seconds[-1]))
        return Part(Window(told.first, last, told.step), content, found)
    if len(seconds) < 2:
        return None
    # Where exactly a window that ends now begins is the vendor's affair: from the first point on it is certain.
    newest, first = content["prices"][-1][0], math.ceil(seconds[0])
    last = told_until(told.step, int((newest - 1) // 1_000))
    return Part(Window(first, last, told.step), _cut(content, -math.inf, newest - 1), found)


def _range(recorded: Sequence[Recorded], same: Sequence[Recorded], wanted: Window, now: int) -> HttpReply | None:
    """The points of a window as they were told at ``now``; None where no recordings have all of them."""
    end = min(wanted.last, told_until(wanted.step, now))
    parts = [part for found in recorded if _may_hold(found, wanted) and (part := part_of(found)) is not None]
    chain = _chain(parts, wanted, end) if wanted.first <= end else []
    # A coin without any point until now may not have been listed yet, and then there was no chart at all.
    if not any(point[0] <= now * 1_000 for part in chain for point in part.content["prices"]):
        return None
    content, after = dict(chain[0].content), wanted.first * 1_000 - 1
    names = _series(content)
    content |= {name: [] for name in names}
    for part in chain:
        until = min(part.window.last, end) * 1_000
        for name in names:
            content[name] += [point for point in part.content[name] if after < point[0] <= until]
        after = until
    return next((found.reply for found in same if _content(found) == content), derived(content, chain[0].found.reply))


def _chain(parts: Sequence[Part], wanted: Window, end: int) -> list[Part]:
    """The fewest charts of the granularity that leave no second open from the window's start to ``end``; else none."""
    reach, chain = wanted.first - 1, list[Part]()
    while reach < end:
        fits = [
            part
            for part in parts
            if part.window.step == wanted.step
            and part.window.first <= max(reach, wanted.first)
            and part.window.last > reach
            and (not chain or _series(part.content) == _series(chain[0].content))
        ]
        if not fits:
            return []
        chain.append(max(fits, key=lambda part: part.window.last))
        reach = chain[-1].window.last
    return chain


def _days(recorded: Sequence[Recorded], same: Sequence[Recorded], wanted: Window, now: int) -> HttpReply | None:
    """The last days of a chart by as many days or more that was made at the same moment."""
    for found in same:
        if _content(found) is not None and not _holds_after(found, now):
            return found.reply
    for found in recorded:
        question, at = question_of(found.request), answered_at(found.reply)
        if at is None or question.is_range or not is_of_now(found, now) or _holds_after(found, now):
            continue
        longer, part = window_of(question, at), part_of(found)
        first = at - (wanted.last - wanted.first)
        if longer is None or part is None or longer.first > first or longer.step != wanted.step:
            continue
        content = _content(found)
        assert content is not None
        return derived(_cut(content, first * 1_000, math.inf), found.reply)
    return None


def widen_chart(asked: Question, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
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


def _more_days(asked: Question, request: HttpRequest) -> HttpRequest:
    days, interval = int(asked.parameters["days"]), asked.parameters.get("interval")
    if days == 1 and interval is None:
        return request
    most = DEMO_DAYS if interval == "daily" or (interval is None and days > HOURLY_DAYS) else HOURLY_DAYS
    return request if days > most else asked.request(request, days=str(most))


def _seen_step(seconds: Sequence[float]) -> int | None:
    """The granularity that stored points show; None for fewer than two."""
    if len(seconds) < 2:
        return None
    gap = median(later - earlier for earlier, later in pairwise(seconds))
    return next((step for bound, step in _GAPS if gap < bound), DAY_S)


def _asked_window(question: Question, step: int) -> Window | None:
    """The window of a chart whose granularity only its points tell."""
    first, last = question.parameters.get("from", ""), question.parameters.get("to", "")
    return Window(int(first), int(last), step) if first.isdecimal() and last.isdecimal() else None


def _may_hold(found: Recorded, wanted: Window) -> bool:
    """Whether a recording is worth reading for a window, by its request alone."""
    told = window_of(question_of(found.request), answered_at(found.reply))
    return told is None or (told.step == wanted.step and told.first <= wanted.last and told.last >= wanted.first)


def _content(found: Recorded) -> dict[str, Any] | None:
    """A recorded chart: prices, and every series in the order of time; None for anything else."""
    try:
        content = content_of(found.reply) if found.reply.status == 200 else None
    except Miss:
        return None
    if not isinstance(content, dict) or not _is_series(content.get("prices")):
        return None
    series = [content[name] for name in _series(content)]
    ordered = all(earlier[0] <= later[0] for points in series for earlier, later in pairwise(points))
    return content if ordered else None


def _series(content: Mapping[str, Any]) -> set[str]:
    """The names of what is told point by point."""
    return {name for name, points in content.items() if _is_series(points)}


def _is_series(points: Any) -> bool:
    return isinstance(points, list) and all(
        isinstance(point, list) and point and type(point[0]) in (int, float) for point in points
    )


def _cut(content: Mapping[str, Any], first_ms: float, last_ms: float) -> dict[str, Any]:
    """The points from one moment to another, both included; what is no series is left as it is."""
    cut = {name: [point for point in content[name] if first_ms <= point[0] <= last_ms] for name in _series(content)}
    return {**content, **cut}


def _holds_after(found: Recorded, now: int) -> bool:
    """Whether a chart tells of a moment after ``now``; what cannot be read may."""
    content = _content(found)
    return content is None or any(point[0] > now * 1_000 for name in _series(content) for point in content[name])
