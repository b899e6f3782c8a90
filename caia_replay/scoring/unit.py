"""Units as answers write them: families with exact conversions; any other word is a unit of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from caia_replay.scoring.numeral import SCALES


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: ``factor`` of its family's base unit, so that equal families convert exactly."""

    family: str
    factor: Fraction = Fraction(1)


def _family(name: str, **words: Fraction | int) -> dict[str, Unit]:
    return {word: Unit(name, Fraction(factor)) for spelled, factor in words.items() for word in spelled.split("_or_")}


KNOWN: Final[Mapping[str, Unit]] = MappingProxyType(
    {
        **_family(
            "ether", ether_or_eth_or_Ξ_or_以太=1, finney_or_milliether=Fraction(1, 1000), gwei=Fraction(1, 10**9)
        ),
        **_family("ether", wei=Fraction(1, 10**18)),
        **_family("percent", percent_or_pct_or_percentage=1, bps_or_bp_or_基点_or_个基点_or_万分之=Fraction(1, 100)),
        **_family("usd", usd_or_dollar_or_dollars_or_美元_or_美金=1, cent_or_cents_or_美分=Fraction(1, 100)),
        **_family("usdt", usdt_or_tether=1),
        **_family("usdc", usdc=1),
        **_family("eur", eur_or_euro_or_euros_or_欧元=1),
        **_family(
            "other money", 元=1, 人民币=1, 元人民币=1, 日元=1, 欧分=1, 港元=1, 韩元=1, rmb=1, cny=1, jpy=1, yen=1
        ),
        **_family("gbp", gbp_or_pound_or_pounds_or_英镑=1),
        **_family("bitcoin", btc_or_bitcoin=1, satoshi_or_satoshis_or_sats=Fraction(1, 10**8)),
        **_family("time", s_or_sec_or_second_or_seconds_or_秒_or_秒钟=1, min_or_minute_or_minutes_or_分钟=60),
        **_family("time", h_or_hr_or_hrs_or_hour_or_hours_or_小时_or_个小时=3600, d_or_day_or_days_or_天=86400),
        **_family(
            "time", week_or_weeks_or_周_or_星期_or_个星期=604800, ms_or_millisecond_or_milliseconds=Fraction(1, 1000)
        ),
        **_family("month", month_or_months_or_个月=1, year_or_years_or_yr_or_yrs_or_年=12),
        **_family("bytes", b_or_byte_or_bytes_or_字节=1, kib=1024),
        **_family("times", x_or_times_or_fold_or_倍=1),
        **{
            "%": Unit("percent"),
            "‰": Unit("percent", Fraction(1, 10)),
            "per cent": Unit("percent"),
            "百分之": Unit("percent"),
            "basis points": Unit("percent", Fraction(1, 100)),
        },
        **{
            "us dollars": Unit("usd"),
            "u.s. dollars": Unit("usd"),
            "us dollar": Unit("usd"),
            "percentage points": Unit("points"),
        },
        **dict.fromkeys(("pp", "个百分点", "百分点"), Unit("points")),
    }
)
"""Every spelling with its unit."""
MONEY: Final[Mapping[str, str]] = MappingProxyType(
    {"$": "usd", "us$": "usd", "usd": "usd", "€": "eur", "£": "gbp", "₿": "btc"}
)
"""The family of a currency's mark."""
_HAN_UNITS: Final = tuple(sorted((word for word in KNOWN if not word.isascii()), key=len, reverse=True))
_TWO: Final = tuple(word for word in KNOWN if " " in word)
_WORD: Final = re.compile(r"[A-Za-zΞ][\w.]*|%|‰")
_RATE: Final = re.compile(r"\s+(?:per|each|every|a)\s+|/", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The unit of a task: ``unit`` is None for a plain number, ``scale`` is what its label multiplies a number by,
    ``names`` are the ways to write it in small letters, ``per`` is what a rate is counted by, empty for a total."""

    unit: Unit | None
    scale: int
    names: tuple[str, ...]
    per: str = ""


def wanted_unit(label: str | None, aliases: tuple[str, ...] = ()) -> Wanted:
    """The unit that a spec's ``unit`` names, such as "ETH", "million USD", "wrapped MSN" or "USD per user"."""
    total, *rate = _RATE.split((label or "").strip().casefold(), maxsplit=1)
    words = total.split()
    scale = SCALES.get(words[0], 1) if words and len(words[0]) > 2 else 1
    name = " ".join(words[1:] if scale > 1 else words)
    if not name:
        return Wanted(None, scale, tuple(alias.casefold() for alias in aliases), rate[0] if rate else "")
    names = [name, *(alias.casefold() for alias in aliases)]
    if name.startswith("wrapped "):
        symbol = name.removeprefix("wrapped ")
        names += [f"w{symbol}", symbol]
    return Wanted(KNOWN.get(name, Unit(f"own:{name}")), scale, tuple(names), rate[0] if rate else "")


def unit_at(text: str, start: int, wanted: Wanted) -> tuple[Unit, int] | None:
    """The unit that stands at ``start`` of a cleaned text, and its end; None where no unit is told there.

    A word that is in no list is no unit here: whether it counts something else is the question's to say.
    """
    at = start + (text[start : start + 1] in (" ", "-"))
    low = text[at:].casefold()
    for name in sorted(wanted.names, key=len, reverse=True):
        for form in (name, f"{name}s", name.removesuffix("s")):
            if form and low.startswith(form) and not _goes_on(low, len(form)):
                return wanted.unit or Unit("own:" + wanted.names[0]), at + len(form)
    for form in (*_TWO, *_HAN_UNITS):
        if low.startswith(form):
            return KNOWN[form], at + len(form)
    word = _WORD.match(text, at)
    name = word[0].casefold().rstrip(".") if word else ""
    return (KNOWN[name], at + len(name)) if name in KNOWN else None


def _goes_on(text: str, at: int) -> bool:
    """Whether a word of ASCII letters that ends at ``at`` goes on there: "USDC" in "USDC.e"."""
    return text[at - 1 : at].isascii() and text[at - 1 : at].isalnum() and _MORE.match(text, at) is not None


_MORE: Final = re.compile(r"[A-Za-z0-9]|\.[A-Za-z]")
