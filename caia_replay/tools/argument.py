"""Arguments as models write them, read strictly: what has one meaning is taken, what has two is refused with both.

Every reading raises ``ToolError`` saying what would be accepted; none has a default of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Final

from caia_replay.errors import ToolError, nearest
from caia_replay.world.clock import utc_text

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

MINUTE_S: Final = 60
HOUR_S: Final = 3_600
DAY_S: Final = 86_400

_ADDRESS: Final = re.compile(r"0x[0-9a-f]{40}")
_HASH: Final = re.compile(r"0x[0-9a-f]{64}")
_AROUND: Final = " \t\r\n'\"`"
# A comma between thousands only: 0,500 is a half to many people.
_DIGITS: Final = r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+"
_NUMBER: Final = re.compile(rf"([+-]?(?:{_DIGITS})(?:e[+-]?[0-9]{{1,2}})?) ?([a-z%]*)")
_EXACT: Final = Context(prec=400)
_MOST_CHARACTERS: Final = 200
"""Of a number; 2**256 has 78 digits."""
_POWERS: Final[Mapping[str, int]] = {
    **{"": 0, "%": -2, "percent": -2, "bps": -4, "k": 3, "thousand": 3, "m": 6, "mn": 6, "million": 6},
    **{"b": 9, "bn": 9, "billion": 9, "t": 12, "tn": 12, "trillion": 12},
}
_UNITS_S: Final[Mapping[str, int]] = {
    **dict.fromkeys(("s", "sec", "second"), 1),
    **dict.fromkeys(("m", "min", "minute"), MINUTE_S),
    **dict.fromkeys(("h", "hr", "hour"), HOUR_S),
    **dict.fromkeys(("d", "day"), DAY_S),
    **dict.fromkeys(("w", "week"), 7 * DAY_S),
}
_WORDS_S: Final[Mapping[str, int]] = {"hourly": HOUR_S, "daily": DAY_S, "weekly": 7 * DAY_S}
# No unit of one letter has a plural: 5ms is no five minutes.
_SEVERAL_S: Final[Mapping[str, int]] = {
    **_UNITS_S,
    **{f"{unit}s": length_s for unit, length_s in _UNITS_S.items() if len(unit) > 1},
}
_DURATION: Final = re.compile(r"([0-9]{1,6}) ?([a-z]+)|(?:an? |one )?([a-z]{2,})")
_MINUTE_OR_MONTH: Final = re.compile(r"[0-9]* ?M")
_AGO: Final = re.compile(r"(.+?) ago", re.IGNORECASE)
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FULL_MONTHS: Final = ("january", "february", "march", "april", "may", "june", "july", "august")
# An offset follows a clock only: 2024-05-31-05:00 is read as five o'clock too.
_TIME: Final = r"(?:t|,? )([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?(?: ?(z|utc|gmt|[+-][0-9]{2}:?[0-9]{2}))?"
_CLOCK: Final = rf"(?:{_TIME}| ?(?:z|utc|gmt))?"
_FARTHEST_S: Final = 14 * HOUR_S
_YEAR_FIRST: Final = re.compile(rf"([0-9]{{4}})[-/.]([0-9]{{1,2}})[-/.]([0-9]{{1,2}}){_CLOCK}")
_DAY_FIRST: Final = re.compile(rf"([0-9]{{1,2}})(?:st|nd|rd|th)? ([a-z]{{3,9}})\.?,? ([0-9]{{4}}){_CLOCK}")
_MONTH_FIRST: Final = re.compile(rf"([a-z]{{3,9}})\.? ([0-9]{{1,2}})(?:st|nd|rd|th)?,? ([0-9]{{4}}){_CLOCK}")
_CHINESE: Final = re.compile(rf"([0-9]{{4}})年([0-9]{{1,2}})月([0-9]{{1,2}})日?{_CLOCK}")
_DATES: Final = (_YEAR_FIRST, _DAY_FIRST, _MONTH_FIRST, _CHINESE)
_TAKEN: Final = "2024-05-31, 2024-05-31T14:00:00Z, 31 May 2024, seconds since 1970, or 7 days ago"
_LAST_SECOND: Final = 9_999_999_999


def address_argument(address: str) -> str:
    """An address in lower case, blanks and quotes around and inside it ignored; its checksum is not looked at."""
    text = "".join(address.strip(_AROUND).split()).lower()
    if not _ADDRESS.fullmatch(text):
        raise ToolError(f"{address[:100]!r} is no address; it has 0x and 40 hex digits")
    return text


def hash_argument(value: str, what: str = "transaction hash") -> str:
    """A 32-byte hash in lower case, read as addresses are."""
    text = "".join(value.strip(_AROUND).split()).lower()
    if not _HASH.fullmatch(text):
        raise ToolError(f"{value[:100]!r} is no {what}; it has 0x and 64 hex digits")
    return text


def number_argument(value: str | int | float, what: str) -> Decimal:
    """An exact number: ``1,500``, ``2.5k``, ``10 million``, ``5%`` (0.05), ``1e6``."""
    if isinstance(value, bool):
        raise ToolError(f"{what} takes a number, not true or false")
    text = _spelt(value)
    found = _NUMBER.fullmatch(text.lower().removeprefix("$")) if len(text) <= _MOST_CHARACTERS else None
    if not found or found[2] not in _POWERS:
        raise ToolError(f"{what} is {text[:80]!r}; it takes a number such as 1500, 2.5k, 10 million or 5%")
    return _EXACT.scaleb(Decimal(found[1].replace(",", "")), _POWERS[found[2]])


def duration_argument(value: str, what: str) -> int:
    """Whole seconds of ``90m``, ``24 hours``, ``7d``, ``daily``, ``a week``."""
    text = value.strip(_AROUND)
    if _MINUTE_OR_MONTH.fullmatch(text):
        raise ToolError(f"{what} is {value[:80]!r}, a minute or a month; it takes 15m or 30d")
    text = text.lower()
    if text in _WORDS_S:
        return _WORDS_S[text]
    found = _DURATION.fullmatch(text)
    if found and found[1]:
        count, unit = int(found[1]), _SEVERAL_S.get(found[2], 0)
    else:
        count, unit = 1, _UNITS_S.get(found[3], 0) if found else 0
    if count * unit == 0:
        raise ToolError(f"{what} is {value[:80]!r}; it takes a length of time such as 15m, 4h, 1d or 2 weeks")
    return count * unit


def moment_argument(value: str | int, now: int, what: str = "time") -> int:
    """Seconds since 1970 UTC, not after ``now``, of a date or a time; without a zone it is UTC, a date is its 00:00.

    Takes seconds and milliseconds since 1970, ISO dates and times, ``31 May 2024``, ``May 31, 2024``,
    ``2024年5月31日``, ``now`` and ``7 days ago``. ``05/06/2024`` is refused: people read it as two different days.
    """
    moment = calendar_argument(value, now, what)
    if moment > now:
        raise ToolError(f"{what} {utc_text(moment)} has not come yet; it is {utc_text(now)}")
    return moment


def calendar_argument(value: str | int, now: int, what: str = "time") -> int:
    """The same for arithmetic on the calendar alone: it may lie after ``now``, too."""
    return _moment(value, now, what)


def choice_argument(value: str, known: Iterable[str], what: str) -> str:
    """The one of ``known`` that ``value`` spells, whatever its case, blanks, hyphens and underscores."""
    names = {_plain(name): name for name in known}
    found = names.get(_plain(value))
    if found is None:
        near = nearest(_plain(value[:80]), names)
        hint = f"; nearest: {names[near]}" if near else ""
        raise ToolError(f"{what} is {value[:80]!r}{hint}; it is one of {', '.join(names.values())}")
    return found


def within(value: int, low: int, high: int, what: str) -> int:
    """``value``, which goes from ``low`` to ``high``."""
    if not low <= value <= high:
        raise ToolError(f"{what} is {_spelt(value)[:80]}; it goes from {low} to {high}")
    return value


def chain_argument(world: ToolContext, value: str | None) -> str:
    """The recorded chain with this name or chain id; the task's own for None or its name, recorded or not."""
    if value is None:
        return world.anchor.chain
    wanted = _plain(value)
    for name, chain in world.chains.items():
        if wanted in (str(chain.chain_id), _plain(name)):
            return name
    if wanted == _plain(world.anchor.chain):
        return world.anchor.chain  # its tables may not be there: what is read of it is then missing, not misnamed
    known = ", ".join(f"{name} ({chain.chain_id})" for name, chain in world.chains.items()) or "none"
    raise ToolError(f"no chain {value[:80]!r} is known; there are: {known}")


def _moment(value: str | int, now: int, what: str) -> int:
    if isinstance(value, bool):
        raise ToolError(f"{what} takes a time, not true or false: {_TAKEN}")
    spelt = " ".join(_spelt(value).split())
    text = spelt.lower()
    if text in ("now", "latest"):
        return now
    if text.isascii() and text.isdecimal():
        number = int(text[:16])
        if len(text) in (9, 10):
            return number
        if len(text) in (12, 13):
            return number // 1000
    if ago := _AGO.fullmatch(spelt):
        return _told_of(now - duration_argument(ago[1], what), text, what)
    for form in _DATES:
        if found := form.fullmatch(text):
            return _read(form, found, text, what)
    raise ToolError(f"{what} is {text[:80]!r}; it takes {_TAKEN}")


def _read(form: re.Pattern[str], found: re.Match[str], text: str, what: str) -> int:
    first, second, third, hour, minute, second_of, zone = found.groups()
    if form is _DAY_FIRST:
        year, month, day = int(third), _month(second), int(first)
    elif form is _MONTH_FIRST:
        year, month, day = int(third), _month(first), int(second)
    else:
        year, month, day = int(first), int(second), int(third)
    offset = 0
    if zone and zone[0] in "+-":
        digits = zone[1:].replace(":", "")
        if int(digits[2:]) >= 60:
            raise ToolError(f"{what} {text[:80]!r} has an offset that is no time")
        offset = (1 if zone[0] == "+" else -1) * (int(digits[:2]) * HOUR_S + int(digits[2:]) * MINUTE_S)
    try:
        at = datetime(year, month, day, int(hour or 0), int(minute or 0), int(second_of or 0), tzinfo=UTC)
    except ValueError as fault:
        raise ToolError(f"{what} {text[:80]!r} is no date: {fault}") from fault
    if abs(offset) > _FARTHEST_S:
        raise ToolError(f"{what} {text[:80]!r} has an offset that no place on earth has")
    return _told_of(int(at.timestamp()) - offset, text, what)


def _told_of(seconds: int, text: str, what: str) -> int:
    """``seconds``, which lie in the years that a time can be told of."""
    if not 0 <= seconds <= _LAST_SECOND:
        raise ToolError(f"{what} {text[:80]!r} lies outside the years 1970 to 2286")
    return seconds


def _month(word: str) -> int:
    """1 to 12; 0, which is no month, for a word that names none."""
    if word not in _MONTHS and word != "sept" and not _is_full_month(word):
        return 0
    return _MONTHS.index(word[:3]) + 1


def _is_full_month(word: str) -> bool:
    return word in (*_FULL_MONTHS, "september", "october", "november", "december")


def _spelt(value: str | float) -> str:
    """A value without blanks and quotes around it; a number too long to be written is told as one."""
    try:
        return str(value).strip(_AROUND)
    except ValueError:
        return "a number of thousands of digits"


def _plain(text: str) -> str:
    return re.sub(r"[\s_-]+", "-", text.strip(_AROUND).lower())
