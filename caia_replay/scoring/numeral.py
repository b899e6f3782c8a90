"""Numerals as exact rationals: digits of every habit, English number words, Chinese numerals.

Thousands separators of every habit are read (1,234,567.8 / 1 234 567 / 1'234 / 1.234.567,8 / 12,34,567); a lone
comma not followed by exactly three digits is a decimal comma.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

DIGITS = (
    r"[1-9]\d{0,2}(?: \d{3})+,(?:\d{4,}|\d{1,2})(?!\d)|"  # 1 234 567,8
    r"[1-9]\d{0,2}(?:\.\d{3})+,\d+|[1-9]\d{0,2}(?:\.\d{3}){2,}"  # 1.234.567,8
    r"|[1-9]\d{0,2}(?P<sep>[,_' ])\d{3}(?:(?P=sep)\d{3})*(?!\d)(?:\.\d+)?"  # 1,234,567.8
    r"|[1-9]\d?(?:,\d{2})+,\d{3}(?!\d)(?:\.\d+)?"  # 12,34,567
    r"|\d+,\d+(?!,?\d)"  # 1234,5
    r"|(?:\d+(?:\.\d+)?|\.\d+)(?!\d|\.\d)"
)
"""The pattern of one number in ASCII digits, for text that went through ``typeset.plain``."""

_CONTINENTAL = re.compile(r"\d{1,3}(?: \d{3})+,(?:\d{4,}|\d{1,2})|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}")
_ONE_COMMA = re.compile(r"\d+,\d+")
_THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}")


@dataclass(frozen=True, slots=True)
class Spelled:
    """A number in words: its ``value`` and where it stands, ``start`` to ``end``. ``small``: one word up to twelve."""

    value: Fraction
    start: int
    end: int
    small: bool


def digits(text: str) -> Fraction:
    """The value of a text that ``DIGITS`` matches whole."""
    if _CONTINENTAL.fullmatch(text):
        return Fraction(text.replace(".", "").replace(" ", "").replace(",", "."))
    if _ONE_COMMA.fullmatch(text) and not _THOUSANDS.fullmatch(text):
        return Fraction(text.replace(",", "."))
    return Fraction(re.sub("[,_' ]", "", text))


_ONES = {
    word: value
    for value, word in enumerate(
        (
            *(
                "zero",
                "one",
                "two",
                "three",
                "four",
                "five",
                "six",
                "seven",
                "eight",
                "nine",
                "ten",
                "eleven",
                "twelve",
            ),
            *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
        )
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), 2)
} | {"fourty": 40}
_HUNDREDS = {"hundred": 100, "dozen": 12}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ENGLISH_WORDS = (*_ONES, *_TENS, *_HUNDREDS, *_SCALES, "half", "point", "and", "an", "a")
_LETTER = r"[^\W\u4e00-\u9fff]"  # Chinese leaves no space around a word
_ENGLISH = re.compile(
    rf"(?<!{_LETTER})(?<!\.)(?:{'|'.join(sorted(_ENGLISH_WORDS, key=len, reverse=True))})(?!{_LETTER})", re.IGNORECASE
)
_JOINT = re.compile(r" ?- ?| |, ")
_NO_NUMBER_BEFORE = re.compile(
    r"\b(?:no|the|this|that|which|each|every|any|last|next|other|another|right|wrong|correct) $", re.IGNORECASE
)
_NO_NUMBER_AFTER = re.compile(
    r" (?:of|another|can|should|could|might|may|must|who|that|day|time|by one)\b", re.IGNORECASE
)
_COMPOUND = re.compile(r"-(?!(?:day|week|month|year|hour|minute|second|block|percent)s?\b)[a-z]", re.IGNORECASE)
"""Behind a number word: "forty-fifth", "two-thirds" and "seven-figure" are no numbers, "seven-day" has one."""


def english(text: str) -> Iterator[Spelled]:
    """Every number in English words ("one hundred and twenty-three thousand", "one point five million"), in order.

    The pronoun "one" is none; neither is a word without a count ("millions of users").
    """
    run: list[re.Match[str]] = []
    for found in _ENGLISH.finditer(text):
        if run and not _JOINT.fullmatch(text, run[-1].end(), found.start()):
            yield from _numbers(text, run)
            run = []
        if run or text[found.start() - 1 : found.start()] != "-":  # "layer-one" is a name
            run.append(found)
    yield from _numbers(text, run)


def _numbers(text: str, run: list[re.Match[str]]) -> Iterator[Spelled]:
    words = [found[0].casefold() for found in run]
    at = 0
    while at < len(words):
        value, past = _one_number(words, at)
        if value is None:
            at += 1
            continue
        start, end = run[at].start(), run[past - 1].end()
        small = past - at == 1 and value <= 12
        pronoun = words[at] == "one" and past - at == 1
        window = text[max(0, start - 10) : start]
        if not _COMPOUND.match(text, end) and not (
            pronoun and (_NO_NUMBER_BEFORE.search(window) or _NO_NUMBER_AFTER.match(text, end))
        ):
            yield Spelled(value, start, end, small)
        at = past


def _one_number(words: list[str], at: int) -> tuple[Fraction | None, int]:
    """The longest number that starts at ``words[at]``, and the index past it; None where none starts."""
    start = at
    total, group, scale, last = Fraction(0), Fraction(0), 10**15, "start"
    if words[at] in ("a", "an", "half"):
        at, group, last = _article(words, at)
        if last == "start":
            return None, start + 1
    while at < len(words):
        word = words[at]
        following = words[at + 1] if at + 1 < len(words) else ""
        fresh = last in ("start", "hundred", "scale", "and") and group % 100 == 0
        if word in _ONES and (fresh or (last == "tens" and 0 < _ONES[word] < 10)):
            group, last = group + _ONES[word], "ones"
        elif word in _TENS and fresh:
            group, last = group + _TENS[word], "tens"
        elif word in _HUNDREDS and last in ("ones", "tens", "article") and 0 < group < 100:
            group, last = group * _HUNDREDS[word], "hundred"
        elif word in _SCALES and group and _SCALES[word] < scale and last != "and":
            scale, last = _SCALES[word], "scale"
            total, group = total + group * scale, Fraction(0)
        elif word == "and" and last in ("hundred", "scale") and (following in _ONES or following in _TENS):
            last = "and"
        elif word == "and" and last == "ones" and words[at + 1 : at + 3] == ["a", "half"]:
            group, last, at = group + Fraction(1, 2), "half", at + 2
        elif word == "point" and last in ("ones", "tens") and _ONES.get(following, 10) < 10:
            at, decimals = _decimals(words, at + 1)
            group, last = group + decimals, "half"
            continue
        else:
            break
        at += 1
    return (total + group, at) if last not in ("start", "article") else (None, start + 1)


def _article(words: list[str], at: int) -> tuple[int, Fraction, str]:
    """ "a hundred", "half a million": where the count goes on, what it is so far, and as what."""
    if words[at] == "half":
        past = at + 1 + (words[at + 1 : at + 2] in (["a"], ["an"]))
        known = words[past : past + 1] and words[past] in _SCALES
        return (past, Fraction(1, 2), "half") if known else (at, Fraction(0), "start")
    known = words[at + 1 : at + 2] and (words[at + 1] in _SCALES or words[at + 1] in _HUNDREDS)
    return (at + 1, Fraction(1), "article") if known else (at, Fraction(0), "start")


def _decimals(words: list[str], at: int) -> tuple[int, Fraction]:
    value, place = Fraction(0), Fraction(1, 10)
    while at < len(words) and _ONES.get(words[at], 10) < 10:
        value, place, at = value + _ONES[words[at]] * place, place / 10, at + 1
    return at, value


_PLAIN = str.maketrans("壹贰貳叁參肆伍陆陸柒捌玖拾佰仟萬億兩〇", "一二二三三四五六六七八九十百千万亿两零")
_CHINESE_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2}
_TENFOLD = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
_NUMERALS = "零〇一二两兩三四五六七八九十百千万亿壹贰貳叁參肆伍陆陸柒捌玖拾佰仟萬億"
_CHINESE = re.compile(
    rf"(?<![^分]之)(?<!^之)(?<![第唯同某统专单周期拜进逐{_NUMERALS}])(?!一[共般定些样直起切致旦方度贯]|万一(?![{_NUMERALS}])|十分|千万别|[百千万]分之)"
    rf"[{_NUMERALS}]+(?:点[{_NUMERALS}]+)?"
)
_LONGEST = 40
"""Characters of a Chinese numeral that somebody means."""
_COUNTS = re.compile("[零〇一二两兩三四五六七八九壹贰貳叁參肆伍陆陸柒捌玖]|^[十拾]")
_HALF = re.compile("[个個]半(?!数)")
_MIXED = re.compile(
    r"(?<![\w.,])(?:\d[\d,]*+(?:\.\d+)?[十百千万亿]+){2,}(?:\d{3,4}(?![\d.]))?|(?<![\w.,])\d+[万亿]\d{4,8}(?![\d.])"
)
_PART = re.compile(r"(\d[\d,]*+(?:\.\d+)?)([十百千万亿]*)")


def chinese(text: str) -> Iterator[Spelled]:
    """Every number in Chinese numerals (三千五百万, 二〇二四, 叁佰), and in digits mixed with them (1亿2345万)."""
    for found in _MIXED.finditer(text):
        if len(found[0]) <= _LONGEST and (value := _mixed(found[0])) is not None:
            yield Spelled(value, found.start(), found.end(), False)
    for found in _CHINESE.finditer(text):
        if not _COUNTS.search(found[0]) or (found.start() and text[found.start() - 1].isdigit()):
            continue  # the scale of a number in digits, or of none
        if len(found[0]) <= _LONGEST and (value := _chinese(found[0].translate(_PLAIN))) is not None:
            half = _HALF.match(text, found.end())
            end = half.end() if half else found.end()
            yield Spelled(value + Fraction(half is not None, 2), found.start(), end, end - found.start() == 1)


def _mixed(text: str) -> Fraction | None:
    total, lowest = Fraction(0), None
    for number, marks in _PART.findall(text):
        scale = 1
        for mark in marks:
            scale *= _TENFOLD[mark]
        if lowest is not None and scale >= lowest:
            return None
        total, lowest = total + Fraction(number.replace(",", "")) * scale, scale
    return total


def _chinese(text: str) -> Fraction | None:
    whole, _, decimals = text.partition("点")
    value = _positional(whole) if not set(whole) & _TENFOLD.keys() else _multiplied(whole)
    if value is None or not all(c in _CHINESE_DIGITS for c in decimals):
        return None
    return value + sum((Fraction(_CHINESE_DIGITS[c], 10**place) for place, c in enumerate(decimals, 1)), Fraction(0))


def _positional(text: str) -> Fraction | None:
    """二〇二四 is 2024; 四五 (four or five) is no number."""
    figures = [_CHINESE_DIGITS[c] for c in text]
    if len(figures) == 2 and figures[1] - figures[0] == 1 and figures[0]:
        return None
    return Fraction("".join(map(str, figures)))


def _multiplied(text: str) -> Fraction | None:
    """三千五百万 by its marks; a last digit without 零 is of the next lower place (三万五 is 35,000)."""
    total = section = 0
    digit: int | None = None
    last = 0
    for c in text:
        if c in _CHINESE_DIGITS:
            if digit:
                return None
            digit = _CHINESE_DIGITS[c]
            last = 0 if c == "零" else last
        elif c in "十百千":
            if digit is None and c != "十":
                digit = 1 if section or total else digit
            section, digit, last = section + (1 if digit is None else digit) * _TENFOLD[c], None, _TENFOLD[c]
        else:
            big, part = _TENFOLD[c], section + (digit or 0)
            total = (total + part) * big if c == "亿" else total + part * big
            section, digit, last = 0, None, big
    return Fraction(total + section + (digit or 0) * (last // 10 if last > 10 else 1))
