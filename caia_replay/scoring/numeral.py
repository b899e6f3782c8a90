"""Numbers as answers write them, as exact rationals: digits, powers of ten, scale words, numerals in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final

SCALES: Final[Mapping[str, int]] = MappingProxyType(
    {
        **dict.fromkeys(("thousand", "k", "千"), 10**3),
        **dict.fromkeys(("million", "mn", "mln", "m", "百万"), 10**6),
        **dict.fromkeys(("billion", "bn", "b", "十亿"), 10**9),
        **dict.fromkeys(("trillion", "tn", "t", "万亿"), 10**12),
        **{"百": 100, "万": 10**4, "千万": 10**7, "亿": 10**8, "百亿": 10**10, "千亿": 10**11},
    }
)
_WORDY: Final = "|".join(word for word in SCALES if len(word) > 2 and word.isascii())
_HAN_SCALES: Final = "|".join(sorted((word for word in SCALES if not word.isascii()), key=len, reverse=True))
_DIGITS: Final = (
    r"\d{1,3}(?P<sep>[,_' ])\d{3}(?:(?P=sep)\d{3})*(?!\d)(?:\.\d+)?|\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?"
    r"|\d+(?:\.\d+)?|\.\d+"
)
_NUMBER: Final = re.compile(
    rf"(?<![\w.])(?<!\d,)(?<![A-Za-z]-)(?P<sign>[-+]|minus |negative |负)?(?P<money>US\$|USD\s?|\$|€|£|₿)?\s?"
    rf"(?P<late>-)?(?P<digits>{_DIGITS})(?![.,]?\d)(?:[eE](?P<exp>[-+]?\d{{1,3}})(?!\d)"
    r"|\s?[×x*]\s?10\s?\^\s?(?P<power>[-+]?\d{1,3})|\s?[×x*]\s?10\*\*(?P<star>[-+]?\d{1,3}))?"
    rf"(?:\s?(?P<wordy>{_WORDY})s?(?![A-Za-z])|(?P<letter>[kKmMbBtT])(?![A-Za-z])|\s?(?P<short>bn|mn|mln|tn)(?![A-Za-z])"
    rf"|\s?(?P<han>{_HAN_SCALES}))?",
    re.IGNORECASE | re.ASCII,
)
_POWER: Final = re.compile(r"(?<![\w.,×*])(?<![×*] )(\d{1,2})\s?(?:\^|\*\*)\s?(\d{1,2})(?![\w.])")
_JOINED: Final = re.compile(r"(?:\d|[%)])\s?$")

_ONES: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES: Final = {word: at for at, word in enumerate(_ONES)} | {word: 10 * at for at, word in enumerate(_TENS, 2)}
_BIG: Final = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_ANY: Final = "|".join((*_VALUES, *_BIG))
_SPELLED: Final = re.compile(rf"(?<![\w-])(?:{_ANY})(?:(?:[ -]|,? and )(?:{_ANY}))*(?![\w-])", re.IGNORECASE)
_HAN: Final = dict(zip("零〇一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_HAN_UNITS: Final = {"十": 10, "百": 100, "千": 1000}
_HAN_NUMBER: Final = re.compile(
    r"(?:(?<![\u3400-\u9fff])|(?<=百分之)|(?<=[为是有共达约]))[零一二两三四五六七八九十][零〇一二两三四五六七八九十百千万亿]*"
    r"(?:点[零〇一二三四五六七八九]+)?"
)


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number from ``start`` to ``end`` of a text. ``places``: decimals as written, of the scale it is written in.

    ``signed``: a sign is written. ``money``: the mark of a currency before it, empty without. ``scale``: what a power
    or a scale word multiplies it by.
    """

    value: Fraction
    start: int
    end: int
    signed: bool = False
    money: str = ""
    places: int = 0
    scale: Fraction = Fraction(1)


def numerals(text: str) -> list[Numeral]:
    """Every number of a cleaned text, in order."""
    taken = [*map(_power, _POWER.finditer(text)), *_han(text)]
    found = [one for one in (*_digits(text), *_spelled(text)) if not any(_meet(one, other) for other in taken)]
    return sorted([*found, *taken], key=lambda one: one.start)


def _meet(one: Numeral, other: Numeral) -> bool:
    return one.start < other.end and other.start < one.end


def _power(found: re.Match[str]) -> Numeral:
    return Numeral(Fraction(int(found[1]) ** int(found[2])), found.start(), found.end())


def _digits(text: str) -> Iterator[Numeral]:
    for found in _NUMBER.finditer(text):
        written = re.sub(r"[,_' ]", "", found["digits"])
        power = found["exp"] or found["power"] or found["star"]
        word = (found["wordy"] or found["letter"] or found["short"] or found["han"] or "").casefold()
        scale = Fraction(10) ** int(power) if power else Fraction(SCALES.get(word, 1))
        sign, start = found["sign"] or found["late"] or "", found.start()
        if found["sign"] and _JOINED.search(text, 0, start):  # "40-50" and "10 - 4" have no sign
            sign, start = "", start + len(found["sign"])
        value = Fraction(written) * scale * (-1 if sign not in ("", "+") else 1)
        places = len(written.partition(".")[2])
        yield Numeral(value, start, found.end(), sign != "", (found["money"] or "").strip().casefold(), places, scale)


def _spelled(text: str) -> Iterator[Numeral]:
    for found in _SPELLED.finditer(text):
        words = [word for word in re.split(r"[ ,-]+", found[0].casefold()) if word != "and"]
        if (
            words[0] in _BIG
            or words == ["one"]
            or (len(words) == 1 and text[: found.start()].endswith(("the ", "in ")))
            or (words == ["zero"] and text.startswith(" address", found.end()))
        ):
            continue
        total = part = 0
        for word in words:
            if word in _VALUES:
                part += _VALUES[word]
            elif word == "hundred":
                part *= 100
            else:
                total, part = total + part * _BIG[word], 0
        yield Numeral(Fraction(total + part), found.start(), found.end())


def _han(text: str) -> Iterator[Numeral]:
    for found in _HAN_NUMBER.finditer(text):
        total = myriads = part = digit = 0
        whole, _, decimals = found[0].partition("点")
        if len(found[0]) < 2:
            continue
        for char in whole:
            if char in _HAN:
                digit = _HAN[char]
            elif char in _HAN_UNITS:
                part, digit = part + (digit or 1) * _HAN_UNITS[char], 0
            elif char == "万":
                myriads, part, digit = (part + digit) * 10**4, 0, 0
            else:
                total, myriads, part, digit = (total + myriads + part + digit) * 10**8, 0, 0, 0
        value = Fraction(total + myriads + part + digit)
        value += sum((Fraction(_HAN[char], 10**at) for at, char in enumerate(decimals, 1)), Fraction(0))
        yield Numeral(value, found.start(), found.end(), places=len(decimals))
