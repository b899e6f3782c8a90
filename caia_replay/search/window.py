"""Stretches of time in the words of search engines, always relative to the world's clock and in UTC.

``Window`` is what a search may be limited to; ``ago_text`` is how a result tells its age and ``moment_of`` reads such
words back. No locale and no clock of this machine has a say in either.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

_MINUTE_S, _HOUR_S, _DAY_S = 60, 3_600, 86_400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip

# A month is 30 days and a year 365, as in the words "past month".
_SPAN_S = {"n": _MINUTE_S, "h": _HOUR_S, "d": _DAY_S, "w": 7 * _DAY_S, "m": 30 * _DAY_S, "y": 365 * _DAY_S}
_UNIT_S = {
    "second": 1, "sec": 1, "秒": 1,
    "minute": _MINUTE_S, "min": _MINUTE_S, "分钟": _MINUTE_S, "分": _MINUTE_S,
    "hour": _HOUR_S, "hr": _HOUR_S, "小时": _HOUR_S, "个小时": _HOUR_S,
    "day": _DAY_S, "天": _DAY_S, "日": _DAY_S,
    "week": _SPAN_S["w"], "周": _SPAN_S["w"], "星期": _SPAN_S["w"], "个星期": _SPAN_S["w"],
    "month": _SPAN_S["m"], "个月": _SPAN_S["m"], "月": _SPAN_S["m"],
    "year": _SPAN_S["y"], "年": _SPAN_S["y"],
}  # fmt: skip
_DAYS_BACK = {"today": 0, "yesterday": 1, "今天": 0, "昨天": 1, "前天": 2}
_NUMERALS = {"a": 1, "an": 1, "one": 1} | {char: i + 1 for i, char in enumerate("一二三四五六七八九十")} | {"两": 2}

_QDR = re.compile(r"qdr:([nhdwmy])(\d{0,6})", re.ASCII)
_BOUND = re.compile(r"cd_(min|max):(\d{1,2})/(\d{1,2})/(\d{4})", re.ASCII)
_AGO = re.compile(r"(\d{1,6}|a|an|one) ?([a-z]+?)s? ago", re.ASCII)
_AGO_CHINESE = re.compile(r"([0-9]{1,6}|[一二三四五六七八九十两]) ?(\D{1,3}?) ?[之以]?前")
# Around a date in a longer text: not inside an address, a number, a version or a word.
_FROM, _TO = r"(?<![\w./=#-])", r"(?!(?!t\d\d:)\w|[-/.]\d)"
_NUMBERS = re.compile(_FROM + r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?" + _TO, re.ASCII)
_CHINESE = re.compile(r"(?<!\d)(?<!\d\.)(\d{4}) ?年 ?(\d{1,2}) ?月(?: ?(\d{1,2}) ?[日号])?", re.ASCII)
_MONTH_FIRST = re.compile(
    _FROM + r"([a-z]{3,9})(?:\. ?| )(?:(\d{1,2})(?:st|nd|rd|th)?(?:, ?| ))?(\d{4})" + _TO, re.ASCII
)
_DAY_FIRST = re.compile(_FROM + r"(\d{1,2})(?:st|nd|rd|th)?(?: of)? ([a-z]{3,9})\.?,? (\d{4})" + _TO, re.ASCII)
_EXACT = re.compile(r"(\d{4})-(\d\d)-(\d\d)[t ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:z|\+00:?00| utc)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Window:
    """From ``after``, which is inside, up to ``before``, which is not; seconds since 1970 UTC, None: no bound.

    What has no moment is inside a window without bounds only.
    """

    after: int | None = None
    before: int | None = None

    @property
    def bounded(self) -> bool:
        """Whether it leaves anything out."""
        return self.after is not None or self.before is not None

    def holds(self, moment: int | None) -> bool:
        """Whether something of that moment is inside."""
        if moment is None:
            return not self.bounded
        return (self.after is None or moment >= self.after) and (self.before is None or moment < self.before)

    def __and__(self, other: Window) -> Window:
        """What is inside both."""
        afters = [one for one in (self.after, other.after) if one is not None]
        befores = [one for one in (self.before, other.before) if one is not None]
        return Window(max(afters, default=None), min(befores, default=None))


ALWAYS = Window()
"""Leaves nothing out."""


def parse_window(text: str, now: int) -> Window | None:
    """What Serper's ``tbs`` says at the moment ``now``; None when it says nothing that can be read.

    ``qdr:h`` to ``qdr:y``, with a count such as ``qdr:d3``, and ``cdr:1,cd_min:3/1/2025,cd_max:3/31/2025`` (month, day,
    year; both days are inside). Parts about anything but time, such as ``sbd:1``, are passed over. Empty
    text is no bound.
    """
    window = None if text.strip() else ALWAYS
    for part in re.split(r"[\s,]+", text.strip().lower()):
        read: Window | None = None
        if found := _QDR.fullmatch(part):
            unit, count = found.groups()
            read = Window(now - int(count or 1) * _SPAN_S[unit], now + 1)
        elif found := _BOUND.fullmatch(part):
            end, month, day, year = found.groups()
            start = day_start(int(year), int(month), int(day))
            if start is None:
                return None
            read = Window(after=start) if end == "min" else Window(before=start + _DAY_S)
        if read is not None:
            window = read if window is None else window & read
    return window


def day_start(year: int, month: int = 1, day: int = 1) -> int | None:
    """The first second of a UTC day; None when the calendar has no such day."""
    try:
        return (date(year, month, day).toordinal() - _EPOCH.toordinal()) * _DAY_S
    except ValueError:
        return None


def parse_day(text: str) -> int | None:
    """The first second of ``2025-03-01``, ``2025/3/1``, ``2025-03`` or ``2025``; None when ``text`` is none of them."""
    if re.fullmatch(r"[0-9]{4}", text):
        return day_start(int(text))
    found = _NUMBERS.fullmatch(text)
    return day_start(*(int(part) for part in found.groups() if part)) if found else None


def days_in(text: str) -> tuple[int, ...]:
    """The first seconds of the days that a text names in full, sorted, each once.

    ``March 12, 2024``, ``12th of Mar. 2024``, ``2024-03-12`` and ``2024年3月12日`` are such names; digits inside an
    address, a number or a version are none.
    """
    words = " ".join(text.split()).lower()
    starts = set()
    for shape, sorted_out in _SHAPES:
        for found in shape.finditer(words):
            year, month, day = (int(part or 0) for part in sorted_out(*found.groups()))
            start = day_start(year, month, day) if day else None
            if start is not None:
                starts.add(start)
    return tuple(sorted(starts))


def ago_text(moment: int, now: int) -> str:
    """How long before ``now`` it was: "2 hours ago" or "3 days ago" within a week, else a day like "Apr 18, 2025".

    Counts are whole units that have passed. Raises ``ValueError`` outside the years 1 to 9999.
    """
    passed = now - moment
    for name, unit_s, end_s in (
        ("second", 1, _MINUTE_S),
        ("minute", _MINUTE_S, _HOUR_S),
        ("hour", _HOUR_S, _DAY_S),
        ("day", _DAY_S, 7 * _DAY_S),
    ):
        if 0 <= passed < end_s:
            count = passed // unit_s
            return f"{count} {name}{'' if count == 1 else 's'} ago"
    try:
        day = (_EPOCH + timedelta(seconds=moment)).date()
    except OverflowError as fault:
        raise ValueError(f"moment {moment} is in no year from 1 to 9999") from fault
    return f"{MONTHS[day.month - 1][:3]} {day.day}, {day.year:04d}"


def moment_of(text: str, now: int) -> tuple[int, int] | None:
    """The first and the last second that such words mean at the moment ``now``; None when they cannot be read.

    ``2 hours ago``, ``yesterday``, ``Apr 18, 2025``, ``2025-04-18``, ``Apr 2025``, an exact UTC time, ``2 小时前``,
    ``昨天``, ``2025年4月18日``. "3 days ago" is from three whole days to just under four.
    """
    words = " ".join(text.split()).lower()
    if words in ("just now", "now", "刚刚", "刚才"):
        return now - _MINUTE_S + 1, now
    if words in _DAYS_BACK:
        first = (now // _DAY_S - _DAYS_BACK[words]) * _DAY_S
        return first, min(first + _DAY_S - 1, now)
    for read in (_ago, _exact, _calendar):
        if (found := read(words, now)) is not None:
            return found
    return None


def _ago(words: str, now: int) -> tuple[int, int] | None:
    found = _AGO.fullmatch(words) or _AGO_CHINESE.fullmatch(words)
    if found is None:
        return None
    count, unit_s = found.group(1), _UNIT_S.get(found.group(2).strip())
    if unit_s is None:
        return None
    passed = (_NUMERALS[count] if count in _NUMERALS else int(count)) * unit_s
    return now - passed - unit_s + 1, now - passed


def _exact(words: str, now: int) -> tuple[int, int] | None:
    found = _EXACT.fullmatch(words)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups())
    start = day_start(year, month, day)
    if start is None or hour > 23 or minute > 59 or second > 59:
        return None
    first = start + hour * _HOUR_S + minute * _MINUTE_S + second
    return first, first if found.group(6) else first + _MINUTE_S - 1


def _calendar(words: str, now: int) -> tuple[int, int] | None:
    """A day, or a month without one."""
    for shape, sorted_out in _SHAPES:
        if found := shape.fullmatch(words):
            year, month, day = (int(part or 0) for part in sorted_out(*found.groups()))
            start = day_start(year, month, day or 1)
            if start is None:
                return None
            following = start + _DAY_S if day else day_start(year + month // 12, month % 12 + 1)
            return None if following is None else (start, following - 1)
    return None


def _month(name: str) -> str:
    """A month's number as digits; 0, which no calendar has, for any other word."""
    whole = "september" if name == "sept" else name
    matching = (at for at, full in enumerate(map(str.lower, MONTHS), 1) if whole in (full, full[:3]))
    return str(next(matching, 0))


_SHAPES: tuple[tuple[re.Pattern[str], Callable[..., tuple[str, str, str | None]]], ...] = (
    (_NUMBERS, lambda year, month, day: (year, month, day)),
    (_CHINESE, lambda year, month, day: (year, month, day)),
    (_MONTH_FIRST, lambda month, day, year: (year, _month(month), day)),
    (_DAY_FIRST, lambda day, month, year: (year, _month(month), day)),
)
"""How dates are written, and their parts as year, month and day."""
