"""Finding numbers in a text: their value with sign and scale words, their unit before or after, what they count.

What is attached to letters (ERC-20, v3, 1inch, 42nd), hexadecimal words, citations and URLs are names, not numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from caia_replay.scoring.numeral import DIGITS, Spelled, chinese, digits, english
from caia_replay.scoring.unit import (
    COUNTED,
    KNOWN,
    NAMED,
    SCALES,
    SHORTENED,
    Unit,
    looks_like_symbol,
    own_unit,
    unit_of,
)


@dataclass(frozen=True, slots=True)
class Tail:
    """What follows a number: scale words, a unit, what it counts; ``end`` is past the unit.

    ``name``: the number is part of a word. ``loose``: the unit stands
    behind "in" or "of" ("1.5 million in USDC"). ``noun``: its last word in small letters, empty for none.
    """

    end: int
    scale: int = 1
    unit: Unit | None = None
    noun: str = ""
    name: bool = False
    loose: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a text, from ``start``, its sign and currency, to ``end``, past its unit.

    ``value`` has its scale words applied; ``scale`` is their product. ``small``: a lone word up to twelve, which may
    be an article. ``plus``: its sign is written out.
    """

    start: int
    end: int
    value: Fraction
    unit: Unit | None
    scale: int = 1
    noun: str = ""
    small: bool = False
    plus: bool = False


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
_SHARE = re.compile(r"(百分之|千分之|万分之)\s?$")

_WORD = re.compile(
    r"(?P<gap> |-(?=[A-Za-z])|)(?P<open>(?:[(\[\"]|\$(?=[A-Za-z]))?)"
    r"(?P<word>[%‰$€£¥Ξ₿×]|\d?[A-Za-zÀ-ÿ][A-Za-z0-9À-ÿ_.$]{0,30}|[\u4e00-\u9fff]{1,12})(?P<close>[)\]\"]?)"
)
_CLOCK = re.compile(r"([dhms])(?=\d)")
_JOINT = re.compile(r" (?:of|de|di|in|worth of)(?= )| d'(?=[A-Za-z])")
_ADJECTIVE = re.compile(
    r" (?:staked|wrapped|native|liquid|bridged|locked|total|net|units of|tokens of|worth of)(?= [A-Za-z])"
)
_LONGEST = 400
"""Characters of a number that somebody means."""
_HUGE = 10**30
_STANDARD = re.compile(r"-\d")
"""After a symbol: "45 ERC-20 transfers" are not 45 ERC."""
_FACTOR = re.compile(r" ?[\d(]")
_PER = re.compile(r"\s?(?:/\s?|per |a (?=(?:second|minute|hour|day|week|month|year)\b))(?P<per>[A-Za-z]+)")
_MORE_WORDS = re.compile(r" [a-z]")
_TALLIED = re.compile(r" (?:transactions|txn?s|transfers|swaps|trades|events|calls|holders|addresses)\b", re.IGNORECASE)
_ANY_ONE = ("token", "coin", "unit")
_NOUN = re.compile(r"(?: [A-Za-z][A-Za-z'-]*){1,4}")
_NO_NOUN = frozenset(
    (
        *("is", "are", "was", "were", "be", "been", "has", "have", "had", "do", "does", "did", "in", "on"),
        *("at", "by", "from", "to", "of", "for", "with", "and", "or", "as", "than", "per", "that", "which"),
        *("who", "over", "across", "during", "between", "among", "within", "via", "into", "the", "a", "an"),
        *("so", "not", "but", "then", "when", "while", "after", "before", "if", "it", "its", "their", "this"),
        *("these", "there", "i", "we", "you", "they", "he", "she", "can", "could", "would", "should", "will"),
        *("may", "might", "more", "less", "fewer", "higher", "lower", "up", "down", "each", "every", "all"),
        *("only", "exactly", "approximately", "roughly", "about", "around", "respectively", "yes", "no", "de"),
        *("los", "las", "el"),
    )
)
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
        if figure.start >= end:
            end = figure.end
            yield figure


_OF_CASH = frozenset(("us", "usd", "hk", "hkd", "au", "aud", "ca", "cad", "sg", "sgd", "nt", "twd"))
"""Whose dollars they are."""


def _stated(text: str, found: re.Match[str], expected: Unit | None) -> Figure | None:
    start = found.start("n") if found["n"] else found.start("ten") - 3
    value, after = _exact(found), tail(text, found.end(), expected)
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
    value *= after.scale * (1 if sign in ("", "+") else -1)
    return Figure(first, after.end, value, unit, after.scale, after.noun, plus=sign == "+")


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
    return Figure(start, after.end, value, unit, after.scale, after.noun, word.small)


def tail(text: str, at: int, expected: Unit | None) -> Tail:
    """What the words from ``at`` on say about the number before them."""
    scale, start, loose = 1, at, False
    timed = expected is not None and expected.family == "time"
    if timed and (clock := _CLOCK.match(text, at)):
        return Tail(clock.end(), 1, KNOWN["min" if clock[1] == "m" else clock[1]])
    while found := _WORD.match(text, at):
        word = found["word"].rstrip(".")
        low, past = word.casefold(), found.start("word") + len(word)
        if found["open"] in ("(", "[", '"') and not (found["close"] and past + 1 == found.end()):
            break
        if "\u4e00" <= word[0] <= "\u9fff":
            more, unit, used, noun = _chinese_tail(word)
            if unit is None and used == len(word) and not found["open"] and scale < _HUGE:
                scale, at = scale * more, past
                continue
            return Tail(found.start("word") + used, scale * more, unit, noun)
        if word == "m" and timed:
            return Tail(past, scale, KNOWN["min"])
        if low in SCALES and not found["open"] and not (scale != 1 and len(low) == 1) and scale < _HUGE:
            scale, at = scale * SCALES[low], past + _stop(text, low, past, expected)
            continue
        if _is_unit(text, word, past, expected, bool(found["gap"])):
            closed = past + len(found["close"]) * bool(found["open"])
            return replace(_with_unit(text, word, closed, scale, expected), loose=loose)
        if not found["gap"] and scale == 1 and not found["open"]:
            return Tail(at, name=True)
        skipped = _ADJECTIVE.match(text, at) or (scale != 1 and _JOINT.match(text, at)) or None
        if not skipped or skipped.end() == at:
            break
        following = _WORD.match(text, skipped.end())
        if following is None or not _is_unit(text, following["word"].rstrip("."), following.end(), expected, True):
            break
        at, loose = skipped.end(), scale != 1
    rate = _PER.match(text, at) if expected is not None and expected.per else None
    if expected is not None and rate and rate["per"].casefold() not in _ANY_ONE:
        return Tail(rate.end(), scale, replace(expected, per=own_unit(rate["per"]).name()))
    return Tail(at if scale != 1 else start, scale, None, _noun(text, at))


def _is_unit(text: str, word: str, past: int, expected: Unit | None, apart: bool) -> bool:
    low = word.casefold()
    if low == "×" or (low == "x" and apart):
        return not _FACTOR.match(text, past)
    if low in KNOWN or (expected is not None and unit_of(word, expected).family == expected.family):
        return True
    if expected is not None and low in NAMED:
        return not _MORE_WORDS.match(text, past)  # "42 Solana programs" are no coins
    return looks_like_symbol(word) and not _STANDARD.match(text, past)


def _stop(text: str, low: str, past: int, expected: Unit | None) -> int:
    """Characters of a full stop that belongs to a shortened scale word: one with its unit behind it."""
    if low not in SHORTENED or not text.startswith(".", past):
        return 0
    joint = _JOINT.match(text, past + 1)
    unit = _WORD.match(text, joint.end() if joint else past + 1)
    if unit is None:
        return 0
    word = unit["word"].rstrip(".")
    return int(word.casefold() in COUNTED or _is_unit(text, word, unit.end(), expected, bool(unit["gap"])))


def _with_unit(text: str, word: str, past: int, scale: int, expected: Unit | None) -> Tail:
    unit = unit_of(word, expected)
    if word == "¥" and expected is not None and expected.family in ("cny", "jpy"):
        unit = expected
    noun = _noun(text, past)
    counts = _TALLIED.match(text, past) is not None
    if noun in COUNTED and word.isalnum() and (counts or expected is None or not unit.converts_to(expected)):
        return Tail(past, scale, None, noun)  # "42 USDC transfers" are transfers
    if (rate := _PER.match(text, past)) and rate["per"].casefold() not in _ANY_ONE:
        unit = replace(unit, per=own_unit(rate["per"]).name())
    return Tail(past, scale, unit)


def _noun(text: str, at: int) -> str:
    """The last of up to four plain words from ``at`` on, before any that begins another phrase."""
    found = _NOUN.match(text, at)
    noun = ""
    for word in found[0].split() if found else ():
        if word.casefold() in _NO_NOUN:
            break
        noun = word.casefold()
        if noun in COUNTED:
            break
    return noun


def _chinese_words(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted((name for name in names if "\u4e00" <= name[0] <= "\u9fff"), key=len, reverse=True))


_CHINESE_SCALES, _CHINESE_UNITS = _chinese_words(SCALES), _chinese_words(KNOWN)
_CHINESE_NOUNS = _chinese_words(COUNTED)


def _chinese_tail(word: str) -> tuple[int, Unit | None, int, str]:
    """Scale, unit, characters used, and what is counted, from the Chinese characters after a number."""
    scale, at = 1, 0
    for name in _CHINESE_SCALES:
        if word.startswith(name):
            scale, at = SCALES[name], len(name)
            break
    measure = word[at : at + 1] in ("个", "枚", "颗", "只")
    for name in _CHINESE_UNITS:
        if word.startswith(name, at) or (measure and word.startswith(name, at + 1)):
            return scale, KNOWN[name], word.index(name, at) + len(name), ""
    at += measure
    return scale, None, at, next((noun for noun in _CHINESE_NOUNS if word.startswith(noun, at)), word[at : at + 4])
