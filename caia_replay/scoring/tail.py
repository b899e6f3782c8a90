"""What the words behind a number say about it: scale words, its unit, what it counts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from caia_replay.scoring import rate
from caia_replay.scoring.unit import (
    COUNTED,
    KNOWN,
    NAMED,
    SCALES,
    SHORTENED,
    Unit,
    as_asked,
    known,
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


_WORD = re.compile(
    r"(?P<gap> |-(?=[A-Za-z])|)(?P<open>(?:[(\[\"]|\$(?=[A-Za-z]))?)"
    r"(?P<word>[%‰$€£¥Ξ₿×]|\d?[A-Za-zÀ-ÿ][A-Za-z0-9À-ÿ_.$]{0,30}|[\u4e00-\u9fff]{1,12})(?P<close>[)\]\"]?)"
)
_CLOCK = re.compile(r"([dhms])(?=\d)")
_JOINT = re.compile(r" (?:of|de|di|in|worth of)(?= )| d'(?=[A-Za-z])")
_ADJECTIVE = re.compile(
    r" (?:staked|wrapped|native|liquid|bridged|locked|total|net|units of|tokens of|worth of)(?= [A-Za-z])"
)
_HUGE = 10**30
_STANDARD = re.compile(r"-\d")
"""After a symbol: "45 ERC-20 transfers" are not 45 ERC."""
_FACTOR = re.compile(r" ?[\d(]")
_PER = re.compile(
    r"\s?(?:/\s?|per (?:(?:each|every|one|single|calendar|active|unique) )?"
    r"|a (?=(?:second|minute|hour|day|week|month|year)\b))"
    r"(?P<per>[A-Za-z]+)"
)
_MORE_WORDS = re.compile(r" [a-z]")
_TALLIED = re.compile(r" (?:transactions|txn?s|transfers|swaps|trades|events|calls|holders|addresses)\b", re.IGNORECASE)
_ORDINAL = ("st", "nd", "rd", "th")
_NOUN = re.compile(r"(?: [A-Za-z][A-Za-z'-]*){1,4}")
_NO_NOUN = frozenset(
    (
        *("is", "are", "was", "were", "be", "been", "has", "have", "had", "do", "does", "did", "in", "on"),
        *("at", "by", "from", "to", "of", "for", "with", "and", "or", "as", "than", "per", "that", "which"),
        *("who", "over", "across", "during", "between", "among", "within", "via", "into", "the", "a", "an"),
        *("so", "not", "but", "then", "when", "while", "after", "before", "if", "it", "its", "their", "this"),
        *("these", "there", "i", "we", "you", "they", "he", "she", "can", "could", "would", "should", "will"),
        *("may", "might", "more", "less", "fewer", "higher", "lower", "up", "down", "each", "every", "all"),
        *(
            "only",
            "according",
            "exactly",
            "approximately",
            "roughly",
            "about",
            "around",
            "respectively",
            "yes",
            "no",
            "de",
        ),
        *("los", "las", "el"),
    )
)


def tail(text: str, at: int, expected: Unit | None) -> Tail:
    """What the words from ``at`` on say about the number before them."""
    scale, start, loose = 1, at, False
    timed = expected is not None and expected.family == "time"
    if timed and (clock := _CLOCK.match(text, at)):
        return Tail(clock.end(), 1, KNOWN["min" if clock[1] == "m" else clock[1]])
    while found := _WORD.match(text, at):
        word = found["word"].rstrip(".")
        if found["gap"] == "-" and word in _ORDINAL:
            return Tail(at, name=True)
        low, past = word.casefold(), found.start("word") + len(word)
        if found["open"] in ("(", "[", '"') and not (found["close"] and past + 1 == found.end()):
            break
        if "\u4e00" <= word[0] <= "\u9fff":
            more, unit, used, noun = _chinese_tail(word)
            if unit is None and used == len(word) and not found["open"] and scale < _HUGE:
                scale, at = scale * more, past
                continue
            unit = unit if unit is None or expected is None else as_asked(unit, expected)
            return Tail(found.start("word") + used, scale * more, unit, noun)
        if word == "m" and timed:
            return Tail(past, scale, KNOWN["min"])
        if low in SCALES and not found["open"] and not (scale != 1 and len(low) == 1) and scale < _HUGE:
            scale, at = scale * SCALES[low], past + _stop(text, low, past, expected)
            continue
        if _is_unit(text, word, past, expected, bool(found["gap"])):
            closed = past + len(found["close"]) * bool(found["open"])
            return replace(_with_unit(text, word, closed, scale, expected), loose=loose)
        if not found["gap"] and scale == 1 and not found["open"] and word != "×":
            return Tail(at, name=True)
        skipped = _ADJECTIVE.match(text, at) or (scale != 1 and _JOINT.match(text, at)) or None
        if not skipped or skipped.end() == at:
            break
        following = _WORD.match(text, skipped.end())
        if following is None or not _is_unit(text, following["word"].rstrip("."), following.end(), expected, True):
            break
        at, loose = skipped.end(), scale != 1
    per = _PER.match(text, at) if expected is not None and expected.per else None
    if expected is not None and per and (name := _counted_by(per["per"], expected)):
        return Tail(per.end(), scale, replace(expected, per=name))
    return Tail(at if scale != 1 else start, scale, None, _noun(text, at))


def _is_unit(text: str, word: str, past: int, expected: Unit | None, apart: bool) -> bool:
    low = word.casefold()
    if low == "×" or (low == "x" and apart):
        return not _FACTOR.match(text, past)
    if known(low) is not None or (
        expected is not None and unit_of(word, expected).family in (expected.family, "points")
    ):
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
    if (per := _PER.match(text, past)) and (name := _counted_by(per["per"], expected)):
        unit = replace(unit, per=name)
    return Tail(past, scale, unit)


def _counted_by(word: str, expected: Unit | None) -> str:
    name = own_unit(word).name()
    return name if expected is not None and expected.per == name else rate.named(word)


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
