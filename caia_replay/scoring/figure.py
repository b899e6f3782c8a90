"""Finding numbers in a text: their value with sign and scale words, their unit before or after, what they count.

What is attached to letters (ERC-20, v3, 1inch, 42nd), hexadecimal words, citations and URLs are names, not numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from caia_replay.scoring.numeral import DIGITS, Spelled, chinese, digits, english
from caia_replay.scoring.tail import tail
from caia_replay.scoring.unit import KNOWN, Unit, looks_like_symbol, own_unit, unit_of


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a text, from ``start``, its sign and currency, to ``end``, past its unit.

    ``value`` has its scale words applied; ``scale`` is their product. ``small``: a lone word up to twelve, which may
    be an article. ``plus``: its sign is written out. ``at``: where its digits start, or its words.
    """

    start: int
    end: int
    value: Fraction
    unit: Unit | None
    scale: int = 1
    noun: str = ""
    small: bool = False
    plus: bool = False
    at: int = 0


_NUMBER = re.compile(
    r"(?:(?<![A-Za-z0-9_])|(?<=\d[dhm])(?=\d{1,2}[hms]))(?<!\d[.,])(?<![A-Za-z]-)"
    r"(?P<before>(?:US|HK|[ACS])?\$|[€£¥Ξ₿₩₹]|(?:USD|EUR|GBP|CNY|RMB|JPY|ETH|BTC)(?=\d)"
    r"|(?=[A-Za-z]{0,4}[A-Z])[A-Za-z]{2,6}(?= [$\d])"
    r"|(?<![\d)\]%])(?<![\d)\]%] )×)?\s?"
    r"(?P<sign>(?<![A-Za-z0-9_)\]%万亿千百十元币])(?:[+-]|(?i:minus|negative)\s|[负負])\s?)?(?P<cash>(?:US)?\$|[€£¥Ξ₿])?"
    r"(?:10\^(?P<ten>[+-]?\d{1,3})(?!\d)"
    rf"|(?P<n>{DIGITS})(?:[eE](?P<e>[+-]?\d{{1,3}})(?![A-Za-z0-9_])|\s?[x×*·]\s?10\s?(?:\^|\*\*)\s?(?P<p>[+-]?\d{{1,3}})(?!\d)"
    r"|\^(?P<power>\d{1,3})(?!\d))?)"
)
_ASSERTED = re.compile(r"(?:[:=(≈~\"]|\b(?:is|was|of|be|by)|[为是])\s?$", re.IGNORECASE)
_MINUS = re.compile(r"(?:\b(?:minus|negative) |[负負])$", re.IGNORECASE)
_HALF = re.compile(r" and (?:a|one)[ -]half\b(?! (?:of|the))|[个個]半(?!数)", re.IGNORECASE)
_SHARE = re.compile(r"(百分之|千分之|万分之)\s?$")

_LONGEST = 400
"""Characters of a number that somebody means."""
_NAMES = frozenset(("1inch", "3crv", "0x"))
_LABELS = frozenset(
    (
        *("TVL", "APY", "APR", "FDV", "ATH", "ATL", "TPS", "ROI", "DAU", "MAU", "NFT", "NFTS", "TX", "TXS"),
        *("ID", "UTC", "TOTAL", "ANSWER", "FINAL", "ERC", "EIP", "BIP", "DEX", "CEX", "DAO", "EVM", "L1", "L2"),
        *("US", "USA", "UK", "EU", "JSON", "API", "AMM", "LP", "LTV", "P2P", "PNL", "MC", "CEO"),
    )
)


def figures(text: str, expected: Unit | None = None) -> Iterator[Figure]:
    """Every number of a plain text without names, in order, in digits or words, none inside another."""
    read = [figure for found in _NUMBER.finditer(text) if (figure := _stated(text, found, expected))]
    read += [_spelled(text, word, expected) for word in (*english(text), *chinese(text))]
    end = 0
    for figure in sorted(read, key=lambda one: (one.start, -one.end)):
        if figure.start < end <= figure.at:
            figure = replace(figure, start=end)  # "7 USD 5": the unit between two numbers is the one's or the other's
        if figure.start >= end:
            end = figure.end
            yield figure


_OF_CASH = frozenset(("us", "usd", "hk", "hkd", "au", "aud", "ca", "cad", "sg", "sgd", "nt", "twd"))
"""Whose dollars they are."""


def _stated(text: str, found: re.Match[str], expected: Unit | None) -> Figure | None:
    start = found.start("n") if found["n"] else found.start("ten") - 3
    half = _HALF.match(text, found.end())
    value, after = _exact(found), tail(text, half.end() if half else found.end(), expected)
    if value is None or after.name or text[found.start("n") : after.end].casefold() in _NAMES:
        return None
    sign = "" if _is_dash(text, found) else (found["sign"] or "").strip()
    before = _unit_before(found["cash"] or found["before"] or "", expected)
    unit = before if before is not None and after.loose else after.unit or before
    if share := _SHARE.search(text, max(0, start - 4), start):
        unit = KNOWN[share[1]]
    opens = found.start()
    if found["cash"] and found["before"] and found["before"].isalpha() and found["before"].casefold() not in _OF_CASH:
        opens = found.start("sign") if sign else found.start("cash")  # "Not $5": the word says something of the number
    first = opens if before is not None else found.start("sign") if sign else start
    value = (value + Fraction(half is not None, 2)) * after.scale * (1 if sign in ("", "+") else -1)
    return Figure(first, after.end, value, unit, after.scale, after.noun, plus=sign == "+", at=start)


def _exact(found: re.Match[str]) -> Fraction | None:
    if found["ten"]:
        return Fraction(10) ** int(found["ten"])
    if len(found["n"]) > _LONGEST:
        return None
    value = digits(found["n"])
    if found["power"]:
        # Ten digits to the 99th are a number; what is longer nobody means.
        return value ** int(found["power"]) if len(found["n"]) <= 10 and len(found["power"]) <= 2 else None
    return value * Fraction(10) ** int(found["e"] or found["p"] or 0)


def _is_dash(text: str, found: re.Match[str]) -> bool:
    """Whether the minus before a number is a dash: "Total - 42", or the bullet of a list."""
    sign = found.start("sign")
    if not re.fullmatch(r"[+-]\s", found["sign"] or ""):
        return False
    if sign < 4 and not text[:sign].strip():
        return "\n" in text
    return text[sign - 1] == "\n" or not _ASSERTED.search(text, max(0, sign - 12), sign)


def _unit_before(word: str, expected: Unit | None) -> Unit | None:
    """The unit that stands before a number ("$", "USD", "stETH"); labels ("TVL 42") are none."""
    low = word.casefold()
    if low == "¥" and expected is not None and expected.family in ("cny", "jpy"):
        return expected
    if low in KNOWN:
        return KNOWN[low] if not low.isalpha() or looks_like_symbol(word) else None
    if not word or expected is None:
        return None
    if unit_of(word, expected).family == expected.family or low.endswith("$"):
        return unit_of(word, expected)
    return own_unit(word) if looks_like_symbol(word) and word.upper() not in _LABELS else None


def _spelled(text: str, word: Spelled, expected: Unit | None) -> Figure:
    after = tail(text, word.end, expected)
    window = max(0, word.start - 9)
    share, minus = _SHARE.search(text, window, word.start), _MINUS.search(text, window, word.start)
    unit = KNOWN[share[1]] if share else after.unit
    value = word.value * after.scale * (-1 if minus else 1)
    start = minus.start() if minus else word.start
    return Figure(start, after.end, value, unit, after.scale, after.noun, word.small, at=word.start)
