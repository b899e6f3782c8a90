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
        **dict.fromkeys(("东京时间", "日本时间", "首尔时间", "韩国时间", "tokyo", "seoul", "东京", "首尔"), 9),
        **dict.fromkeys(("shanghai", "hong kong", "singapore", "taipei", "北京", "上海", "香港", "新加坡", "台北"), 8),
    }
)
_AMERICAN: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(
            ("et", "eastern time", "eastern", "new york time", "美东时间", "纽约时间", "new york", "纽约"), -5
        ),
        **dict.fromkeys(("ct", "central time", "chicago time", "美中时间", "chicago"), -6),
        **dict.fromkeys(("mt", "mountain time"), -7),
        **dict.fromkeys(("pt", "pacific time", "pacific", "san francisco time", "los angeles time", "美西时间"), -8),
    }
)
"""Standard offsets; one hour more in summer (second Sunday of March to first of November, the rule since 2007)."""

_AMBIGUOUS = (
    *("cst", "local time", "当地时间", "本地时间", "服务器时间", "london", "paris", "berlin", "frankfurt", "zurich"),
    *("amsterdam", "madrid", "rome", "sydney", "melbourne", "los angeles", "san francisco", "toronto", "moscow"),
    *("dubai", "mumbai", "delhi", "伦敦", "巴黎", "柏林", "悉尼", "洛杉矶", "旧金山", "芝加哥", "莫斯科", "迪拜"),
)
"""CST is China's and America's; "local time" is anyone's, and these cities change their clocks, or have."""

_AREA = (
    "Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|Pacific|US"
)
_DATABASE = rf"(?P<place>(?:{_AREA})/[A-Za-z_/-]{{2,40}}(?:[+-]?\d{{1,2}})?)(?![\w/])"
_PLACES: Mapping[str, float] = MappingProxyType(
    {
        **dict.fromkeys(("etc/utc", "etc/gmt", "etc/uct", "etc/zulu", "etc/universal", "etc/greenwich"), 0),
        **dict.fromkeys(("asia/shanghai", "asia/chongqing", "asia/hong_kong", "asia/singapore", "asia/taipei"), 8),
        **dict.fromkeys(("asia/manila", "asia/macau", "asia/kuala_lumpur", "australia/perth"), 8),
        **{"asia/tokyo": 9, "asia/seoul": 9, "asia/kolkata": 5.5, "asia/calcutta": 5.5, "asia/dubai": 4},
        **{"asia/bangkok": 7, "asia/jakarta": 7, "asia/ho_chi_minh": 7, "asia/saigon": 7},
    }
)
"""Zones of the tz database whose offset has been one since 2009, before any block was mined."""
_AMERICAN_PLACES: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(("america/new_york", "us/eastern"), -5),
        **dict.fromkeys(("america/chicago", "us/central"), -6),
        **dict.fromkeys(("america/denver", "us/mountain"), -7),
        **dict.fromkeys(("america/los_angeles", "us/pacific"), -8),
    }
)

_NAMES = "|".join(
    rf"{re.escape(name)}(?![a-z])" if name.isascii() else name
    for name in sorted((*_OFFSETS, *_AMERICAN, *_AMBIGUOUS), key=lambda name: (-len(name), name))
)
ZONE = re.compile(
    rf"{_DATABASE}|"
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
    rf"(?:(?<![a-z/]){_DATABASE}|(?<![a-z])(?:utc|gmt)\s?(?P<sign>[+-])\s?(?P<hours>\d{{1,2}})(?::?(?P<minutes>\d{{2}}))?(?!\d)"
    rf"|(?<![a-z])(?P<name>{_NAMES}))",
    re.IGNORECASE,
)
"""A zone anywhere in prose, where an offset needs its "UTC"."""


_FOLLOWING = re.compile(r"[^\S\n]*,?[^\S\n]*[(\[]?[^\S\n]*(?P<inside>in\s+)?(?P<word>[A-Za-z][\w'/-]*)", re.IGNORECASE)
_AFTER_IN = re.compile(
    r"block|the|slot|transaction|tx|unix|epoch|ethereum|universal|coordinated|a|an|its|this|that",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"a|an|and|answer|as|at|according|based|because|block|blockchain|blockscout|but|by|confirmed|"
    r"created|date|deployed|epoch|equal|equals|equivalent|etherscan|ethereum|exact|exactly|final|for|"
    r"from|hash|here|i|in|is|it|its|i'm|mined|my|no|not|note|on|onchain|or|per|precisely|since|"
    r"slot|so|source|sources|the|then|this|that|time|timestamp|to|transaction|tx|txn|unix|via|was|"
    r"we|when|where|which|with|january|february|march|april|may|june|july|august|september|october|"
    r"november|december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|monday|tuesday|wednesday|"
    r"thursday|friday|saturday|sunday|mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun|am|pm|a\.m|"
    r"p\.m|sec|seconds|s|hours|hrs|h|t|bitcoin|solana|polygon|arbitrum|base|optimism|dune|alchemy",
    re.IGNORECASE,
)
"""Words that may follow a clock without naming where it hangs."""


def hangs_elsewhere(text: str, end: int) -> bool:
    """Whether a capitalised word after the clock that ends there, or "in ...", may be a place or zone nobody listed."""
    end -= text[end - 1].isspace()
    found = _FOLLOWING.match(text, end)
    if found is None or (end < len(text) and text[end].isalpha()):
        return False
    word = found["word"].rstrip("'-").casefold()
    if found["inside"]:
        return _AFTER_IN.fullmatch(word) is None
    return found["word"][0].isupper() and _PLAIN.fullmatch(word.removesuffix("'s")) is None


def offset_seconds(found: re.Match[str], day: date, hour: int) -> int | None:
    """Seconds that the zone of a match is ahead of UTC at that local time, or None when nobody can tell."""
    named = found.groupdict()
    if named["place"]:
        return _of_place(named["place"].casefold(), day, hour)
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


def _of_place(name: str, day: date, hour: int) -> int | None:
    """The offset of a zone of the tz database; those of "Etc/GMT+8" have the other sign than all others."""
    if fixed := re.fullmatch(r"etc/gmt([+-])(\d{1,2})", name):
        hours = int(fixed[2])
        return None if hours > 14 else hours * 3600 * (1 if fixed[1] == "-" else -1)
    if name in _AMERICAN_PLACES:
        return (_AMERICAN_PLACES[name] + _summer(day, hour)) * 3600
    return int(_PLACES[name] * 3600) if name in _PLACES else None


def _summer(day: date, hour: int) -> bool:
    """Whether American clocks are an hour ahead at a local time."""
    march, november = _sunday(day.year, 3, 2), _sunday(day.year, 11, 1)
    return (march < day < november) or (day == march and hour >= 2) or (day == november and hour < 2)


def _sunday(year: int, month: int, nth: int) -> date:
    first = date(year, month, 1)
    return first + timedelta(days=(6 - first.weekday()) % 7 + 7 * (nth - 1))
