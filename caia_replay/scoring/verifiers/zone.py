"""Time zones as answers name them, with their offsets from UTC. No zone database: what is not listed is not read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from types import MappingProxyType

_OFFSETS: Mapping[str, float] = MappingProxyType(
    {
        **dict.fromkeys(("utc", "gmt", "z", "zulu", "utc time", "coordinated universal time", "wet"), 0),
        **dict.fromkeys(
            ("greenwich mean time", "协调世界时", "世界标准时间", "世界协调时", "格林尼治时间", "utc时间"), 0
        ),
        **{"est": -5, "edt": -4, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "akst": -9, "akdt": -8},
        **{"eastern standard time": -5, "eastern daylight time": -4, "pacific standard time": -8},
        **{"pacific daylight time": -7, "hst": -10, "ast": -4, "adt": -3, "brt": -3, "art": -3},
        **{"bst": 1, "british summer time": 1, "cet": 1, "west": 1, "cest": 2, "eet": 2, "sast": 2, "eest": 3},
        **{"central european time": 1, "central european summer time": 2, "msk": 3, "moscow time": 3, "trt": 3},
        **{"gst": 4, "dubai time": 4, "pkt": 5, "ist": 5.5, "india standard time": 5.5, "indian standard time": 5.5},
        **{"ict": 7, "wib": 7, "awst": 8, "acst": 9.5, "aest": 10, "aedt": 11, "nzst": 12, "nzdt": 13, "pht": 8},
        **dict.fromkeys(("hkt", "sgt", "myt", "beijing time", "beijing", "china standard time", "china time"), 8),
        **dict.fromkeys(
            ("shanghai time", "hong kong time", "singapore time", "北京时间", "中国时间", "中国标准时间"), 8
        ),
        **dict.fromkeys(("香港时间", "新加坡时间", "东八区", "东八区时间", "台北时间", "上海时间"), 8),
        **dict.fromkeys(("jst", "kst", "japan standard time", "tokyo time", "korea standard time", "seoul time"), 9),
        **dict.fromkeys(("东京时间", "日本时间", "首尔时间", "韩国时间"), 9),
    }
)
_AMERICAN: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(("et", "eastern time", "eastern", "new york time", "美东时间", "纽约时间"), -5),
        **dict.fromkeys(("ct", "central time", "chicago time", "美中时间"), -6),
        **dict.fromkeys(("mt", "mountain time"), -7),
        **dict.fromkeys(("pt", "pacific time", "pacific", "san francisco time", "los angeles time", "美西时间"), -8),
    }
)
"""Standard offsets; one hour more in summer (second Sunday of March to first of November, the rule since 2007)."""

_AMBIGUOUS = ("cst", "local time", "当地时间")
"""CST is China's and America's; "local time" is anyone's."""

_NAMES = "|".join(
    rf"{re.escape(name)}(?![a-z])" if name.isascii() else name
    for name in sorted((*_OFFSETS, *_AMERICAN, *_AMBIGUOUS), key=lambda name: (-len(name), name))
)
ZONE = re.compile(
    r"(?:(?:utc|gmt|z)\s?|\+utc\s?)?(?P<sign>[+-])\s?(?P<hours>\d{1,2})(?::?(?P<minutes>\d{2}))?(?![\d.,]*\d)"
    rf"|\+?(?P<name>{_NAMES})(?!\s?[+-]\s?\d)(?:\s+time\b)?"
    r"|(?P<unknown>(?:[a-z]+\s){0,2}?(?<!block )(?<!unix )(?<!the )"
    r"(?:standard |summer |daylight |local )?time(?![a-z]))"
    r"|(?!(?:at|but|not|that|it|just|yet|out|lost|sent|most|part|post|went|next|last|test|root|slot|left|met|set|let|got|put|"
    r"cut|hit|past|exit)(?![a-z]))(?:[a-z]{1,3}t(?![a-z]))",
    re.IGNORECASE,
)
"""A zone, to be matched where a clock or a date ends: an offset, a listed name, or words ending in "time"."""

NAMED = re.compile(
    rf"(?:(?<![a-z])(?:utc|gmt)\s?(?P<sign>[+-])\s?(?P<hours>\d{{1,2}})(?::?(?P<minutes>\d{{2}}))?(?!\d)"
    rf"|(?<![a-z])(?P<name>{_NAMES}))",
    re.IGNORECASE,
)
"""A zone anywhere in prose, where an offset needs its "UTC"."""


def offset_seconds(found: re.Match[str], day: date, hour: int) -> int | None:
    """Seconds that the zone of a match is ahead of UTC at that local time, or None when nobody can tell."""
    named = found.groupdict()
    if named["sign"]:
        hours, minutes = int(named["hours"]), int(named["minutes"] or 0)
        if hours > 14 or minutes > 59:
            return None
        return (hours * 3600 + minutes * 60) * (-1 if named["sign"] == "-" else 1)
    name = " ".join((named["name"] or "").casefold().split())
    if name in _OFFSETS:
        return int(_OFFSETS[name] * 3600)
    if name in _AMERICAN:
        return (_AMERICAN[name] + _summer(day, hour)) * 3600
    return None


def _summer(day: date, hour: int) -> bool:
    """Whether American clocks are an hour ahead at a local time."""
    march, november = _sunday(day.year, 3, 2), _sunday(day.year, 11, 1)
    return (march < day < november) or (day == march and hour >= 2) or (day == november and hour < 2)


def _sunday(year: int, month: int, nth: int) -> date:
    first = date(year, month, 1)
    return first + timedelta(days=(6 - first.weekday()) % 7 + 7 * (nth - 1))
