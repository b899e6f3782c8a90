"""The moments a text states: a day with a clock time, in any zone, or seconds since 1970."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from caia_replay.scoring.verifiers.calendar_day import Day, days
from caia_replay.scoring.verifiers.zone import NAMED, ZONE, hangs_elsewhere, offset_seconds


@dataclass(frozen=True, slots=True)
class Moment:
    """A stretch of time as stated: seconds ``first`` to ``last`` since 1970 UTC, both counted in.

    ``day_start`` is where its day stands in the text, -1 for unix seconds; ``zoned`` when it names a zone.
    ``spans`` are the places of its day and of its clock with the zone.
    """

    start: int
    end: int
    first: int
    last: int
    day_start: int = -1
    zoned: bool = False
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock time without its day: seconds ``first`` to ``last`` of a UTC day, None when the zone is unknown."""

    start: int
    end: int
    first: int | None
    last: int


_EPOCH = date(1970, 1, 1).toordinal()
_FIRST, _LAST = (date.min.toordinal() - _EPOCH) * 86400, (date.max.toordinal() - _EPOCH + 1) * 86400 - 1
"""What a zone may not move a moment out of: the years 1 to 9999, beyond which no calendar here reaches."""

_CLOCK = re.compile(
    r"(?<![\d:.+-])(?P<h>\d{1,2}):(?P<m>\d{2})(?::(?P<s>\d{2})(?:\.\d{1,9}|,\d{3,9}(?!\d))?)?(?![\d:])\s?(?P<half>[ap]\.?m\b\.?)?"
    r"|(?<![\d:.,])(?P<h2>\d{1,2})\s?(?P<half2>[ap]\.?m\b\.?)"
    r"|(?P<part>凌晨|早上|清晨|上午|中午|下午|傍晚|晚上|晚)\s?(?P<h4>\d{1,2}):(?P<m4>\d{2})(?::(?P<s4>\d{2}))?(?![\d:])"
    r"|(?:(?P<part5>凌晨|早上|清晨|上午|中午|下午|傍晚|晚上|晚)\s?)?(?<![\d:.])(?P<h3>\d{1,2})\s?[点时]"
    r"(?:\s?(?P<m3>\d{1,2})\s?分(?:\s?(?P<s3>\d{1,2})\s?秒)?)?",
    re.IGNORECASE,
)
_UNIX = re.compile(
    r"(?<![a-zA-Z0-9_.,$€£¥#-])(?:(\d{10})(?:\d{3})?|(\d,\d{3},\d{3},\d{3}))(?![a-zA-Z0-9_]|[.,]\d)"
    r"(?!\s?(?:[$€£¥%]|(?!(?:unix|epoch|utc|gmt|seconds?|secs?|milliseconds?|ms|s|timestamp|posix|is|was|which|that|i|on|"
    r"in|at|as|and|or|not|but|from|according|per|for|because|since|the|this|it|corresponds?|corresponding|equals?|means?|"
    r"meaning|rather)\b)[a-zA-Z]))"
)
_NUMBERED = re.compile(
    r"(?:\b(?:blocks?|height|nonce|slot|index|id|number|no|nr|supply|amount|balance|value\s+of|gas|price|total|wei)|"
    r"区块|块高|高度|编号|金额|数量|余额)\s?[(#:=]?\s?(?:(?:is|was|of|number|height|no\.?|为|是|号|高度)\s?[#:=]?\s?){0,2}$",
    re.IGNORECASE,
)
"""Before a number of ten digits that counts or names something and is no second."""
_GLUE = re.compile(
    r"[\s,;:T@()|的于\"-]*(?:(?:at|on|of|the|in|exactly|precisely|around|about|approximately|time|timestamp|当天|"
    r"(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?)[\s,:.()|-]+)*[T\s]*",
    re.IGNORECASE,
)
_BEFORE_ZONE = re.compile(r"[\s,]*[(\[]?\s*(?:in\s+|at\s+)?", re.IGNORECASE)
_AFTER_ZONE = re.compile(r"[\s):,(]*(?:的)?\s*")
_NEAR = 48


def moments(text: str) -> tuple[Moment, ...]:
    """Every moment the cleaned ``text`` states, in order. Days and clocks that do not stand together are none."""
    return _read(text)[0]


def loose_clocks(text: str) -> tuple[Clock, ...]:
    """The clock times that stand with no day."""
    return _read(text)[1]


def _read(text: str) -> tuple[tuple[Moment, ...], tuple[Clock, ...]]:
    whole = days(text)
    clocks = [found for found in _CLOCK.finditer(text) if _of_day(found) is not None]
    found: list[Moment] = []
    loose: list[Clock] = []
    taken: set[int] = set()
    for clock in clocks:
        day = _day_of(text, clock, [day for day in whole if day.start not in taken])
        if day is None and len(clocks) == len(whole) == 1:
            day = whole[0]
        zone = _zone_of(text, clock, day)
        first, width = _of_day(clock) or (0, 1)
        if day is None:
            offset = 0 if zone is None else offset_seconds(zone, date(2024, 1, 1), first // 3600)
            loose.append(_clock(clock, first, width, offset))
            continue
        taken.add(day.start)
        value = max(clock.end(), zone.end()) if zone is not None else clock.end()
        start, end = min(day.start, clock.start()), max(day.end, value)
        spans = ((day.start, day.end), (clock.start(), value))
        for one in day.days:
            offset = _offset(text, clock, zone, one, first // 3600)
            at = (one.toordinal() - _EPOCH) * 86400 + first - (offset or 0)
            if offset is None or not _FIRST <= at <= at + width - 1 <= _LAST:
                loose.append(_clock(clock, first, width, None))
                continue
            found.append(Moment(start, end, at, at + width - 1, day.start, zone is not None, spans))
    for stamp in _UNIX.finditer(text):
        if _NUMBERED.search(text, max(0, stamp.start() - 40), stamp.start()):
            continue
        seconds = int((stamp[1] or stamp[2]).replace(",", ""))
        found.append(Moment(stamp.start(), stamp.end(), seconds, seconds, spans=(stamp.span(),)))
    return tuple(sorted(found, key=lambda one: (one.start, one.first))), tuple(loose)


def _offset(text: str, clock: re.Match[str], zone: re.Match[str] | None, day: date, hour: int) -> int | None:
    """Seconds ahead of UTC, 0 where no zone is named; None for a zone nobody can place, and for two that differ."""
    if zone is None:
        return None if hangs_elsewhere(text, clock.end()) else 0
    offset = offset_seconds(zone, day, hour)
    gap = _BEFORE_ZONE.match(text, zone.end())
    more = NAMED.match(text, gap.end()) if gap else None
    return None if more is not None and offset_seconds(more, day, hour) != offset else offset


def _clock(found: re.Match[str], first: int, width: int, offset: int | None) -> Clock:
    start = None if offset is None else (first - offset) % 86400
    return Clock(found.start(), found.end(), start, (start or 0) + width - 1)


def _of_day(found: re.Match[str]) -> tuple[int, int] | None:
    """The second of the day a clock shows, and how many seconds its precision spans; None for no time of day."""
    part = found.groupdict()
    hour_text = part["h"] or part["h2"] or part["h3"] or part["h4"]
    minute_text, second_text = part["m"] or part["m3"] or part["m4"], part["s"] or part["s3"] or part["s4"]
    hour, minute, second = int(hour_text), int(minute_text or 0), int(second_text or 0)
    spell = part["part"] or part["part5"]
    half = (part["half"] or part["half2"] or "")[:1].lower()
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    elif spell in ("下午", "傍晚", "晚上", "晚", "中午") and hour < 12 and not (spell == "中午" and hour > 9):
        hour += 12
    elif spell == "凌晨" and hour == 12:
        hour = 0
    if hour > 23 or minute > 59 or second > 59:
        return None
    width = 1 if second_text else 60 if minute_text else 3600
    return hour * 3600 + minute * 60 + second, width


def _day_of(text: str, clock: re.Match[str], free: list[Day]) -> Day | None:
    """The day that stands next to a clock, before it or after it and its zone."""
    for day in reversed([day for day in free if clock.start() - _NEAR <= day.end <= clock.start()]):
        between = _without_zone(text[day.end : clock.start()])
        if _GLUE.fullmatch(between):
            return day
        break
    for day in free:
        if clock.end() <= day.start <= clock.end() + _NEAR:
            return day if _GLUE.fullmatch(_without_zone(text[clock.end() : day.start])) else None
    return None


def _without_zone(text: str) -> str:
    return NAMED.sub(" ", text)


def _zone_of(text: str, clock: re.Match[str], day: Day | None) -> re.Match[str] | None:
    """The zone named after the clock, after its day, between them, or right before both."""
    ends = [clock.end()] if day is None or day.end <= clock.start() else [clock.end(), day.end]
    for end in ends:
        gap = _BEFORE_ZONE.match(text, end)
        found = ZONE.match(text, gap.end() if gap else end)
        if found and (end == clock.end() or not found["sign"] or found[0][:1].isalpha()):
            return found
    start = clock.start() if day is None else min(day.start, clock.start())
    if day is not None and day.end <= clock.start():
        between = NAMED.search(text, day.end, clock.start())
        if between:
            return between
    before = [found for found in NAMED.finditer(text, max(0, start - 30), start)]
    if before and _AFTER_ZONE.fullmatch(text, before[-1].end(), start):
        return before[-1]
    return None
