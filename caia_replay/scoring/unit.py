"""Units as answers write them: families with exact conversions, and scale words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: ``factor`` of its family's base unit, so equal families convert exactly.

    ``per`` is what a rate is counted by ("second" in "transactions per second"), empty otherwise.
    """

    family: str
    factor: Fraction = Fraction(1)
    per: str = ""

    def converts_to(self, other: Unit) -> bool:
        """Whether a value in this unit can be said in the other one; a rate left unsaid is taken as meant."""
        return self.family == other.family and (not self.per or not other.per or self.per == other.per)

    def name(self) -> str:
        """The unit in one canonical word."""
        return f"{self.family}*{self.factor}"


_FAMILIES: Mapping[str, Mapping[str, Fraction]] = {
    "ether": {
        **dict.fromkeys(("ether", "eth", "ethers", "Ξ", "以太", "以太币", "以太坊"), Fraction(1)),
        **dict.fromkeys(("gwei", "shannon", "nanoether"), Fraction(1, 10**9)),
        "wei": Fraction(1, 10**18),
    },
    "percent": {
        **dict.fromkeys(("%", "percent", "pct", "percentage", "个百分点"), Fraction(1)),
        **dict.fromkeys(("bps", "bp", "basis"), Fraction(1, 100)),
    },
    "usd": {
        **dict.fromkeys(("usd", "$", "us$", "dollar", "dollars", "美元", "美金"), Fraction(1)),
        **dict.fromkeys(("cent", "cents", "美分"), Fraction(1, 100)),
    },
    "eur": dict.fromkeys(("eur", "€", "euro", "euros", "欧元"), Fraction(1)),
    "gbp": dict.fromkeys(("gbp", "£"), Fraction(1)),
    "cny": dict.fromkeys(("cny", "rmb", "yuan", "人民币"), Fraction(1)),
    "jpy": dict.fromkeys(("jpy", "yen", "日元"), Fraction(1)),
    "bitcoin": {
        **dict.fromkeys(("btc", "bitcoin", "bitcoins", "₿", "比特币"), Fraction(1)),
        **dict.fromkeys(("satoshi", "satoshis", "sats", "sat"), Fraction(1, 10**8)),
    },
    "time": {
        **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "秒"), Fraction(1)),
        **dict.fromkeys(("ms", "millisecond", "milliseconds", "毫秒"), Fraction(1, 1000)),
        **dict.fromkeys(("min", "mins", "minute", "minutes", "分钟"), Fraction(60)),
        **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "小时"), Fraction(3600)),
        **dict.fromkeys(("day", "days", "天"), Fraction(86400)),
        **dict.fromkeys(("week", "weeks", "周"), Fraction(604800)),
    },
}
KNOWN: Mapping[str, Unit] = MappingProxyType(
    {word: Unit(family, factor) for family, words in _FAMILIES.items() for word, factor in words.items()}
)
"""Every spelling with its unit; tokens not listed here are families of their own."""

SCALES: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(("k", "thousand", "thousands", "千"), 10**3),
        **dict.fromkeys(("m", "mm", "mn", "mil", "mio", "million", "millions", "百万"), 10**6),
        **dict.fromkeys(("b", "bn", "billion", "billions", "十亿"), 10**9),
        **dict.fromkeys(("t", "tn", "trn", "trillion", "trillions", "万亿"), 10**12),
        "万": 10**4,
        "千万": 10**7,
        "亿": 10**8,
    }
)
"""Scale words, in lower case."""

_WORD = re.compile(r"[A-Za-z]+\$|[A-Za-z][\w.]*|[%$€£Ξ₿]|[\u4e00-\u9fff]+")


def own_unit(word: str) -> Unit:
    """The unit a word names; a word of no known family is a family of its own, plurals folded."""
    low = word.casefold().rstrip(".")
    if low in KNOWN:
        return KNOWN[low]
    return Unit("own:" + (low[:-1] if len(low) > 3 and low.endswith("s") else low))


def parse_unit(text: str) -> tuple[Unit | None, int]:
    """A task's unit ("ETH", "million USD", "USD per ETH") as a unit and a scale; (None, 1) for nothing."""
    head, _, per = text.replace("/", " per ").partition(" per ")
    scale, unit = 1, None
    for word in _WORD.findall(head):
        if unit is None and word.casefold() in SCALES and word.casefold() != head.strip().casefold():
            scale *= SCALES[word.casefold()]
        elif unit is None:
            unit = own_unit(word)
    if unit is not None and per.strip():
        unit = Unit(unit.family, unit.factor, own_unit(per.split()[-1]).name())
    return unit, scale


def looks_like_symbol(word: str) -> bool:
    """Whether an unlisted word after a number is a ticker (two capitals or more): "XYZ", "stETH", "USDC.e"."""
    return sum(c.isupper() for c in word) >= 2
