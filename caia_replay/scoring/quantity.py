"""The numbers a text states, as exact rationals with their units.

Thousands separators of every habit are read (1,234,567.8 / 1 234 567 / 1.234.567,8 / 12,34,567); a lone comma
not followed by exactly three digits is a decimal comma. Powers (1.5e18, 1.5 x 10^18), scale words and Chinese
numerals are exact. What is attached to letters (ERC-20, v3, 1inch, 42nd), hexadecimal words and URLs are names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from caia_replay.scoring.answer import rejected
from caia_replay.scoring.unit import KNOWN, SCALES, Unit, looks_like_symbol, own_unit


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as stated: ``value`` with its scale words applied, in ``unit`` or without one.

    ``aside`` marks a number that only says where or when (a block height, a date) when others are stated too.
    """

    value: Fraction
    unit: Unit | None
    scaled: bool
    aside: bool = False


_NUMERAL = (
    r"[1-9]\d{0,2}(?:\.\d{3})+,\d+|[1-9]\d{0,2}(?:\.\d{3}){2,}"  # 1.234.567,8
    r"|[1-9]\d{0,2}(?P<sep>[,_' ])\d{3}(?:(?P=sep)\d{3})*(?!\d)(?:\.\d+)?"  # 1,234,567.8
    r"|[1-9]\d?(?:,\d{2})+,\d{3}(?!\d)(?:\.\d+)?"  # 12,34,567
    r"|\d+,\d+(?!,?\d)"  # 1234,5
    r"|(?:\d+(?:\.\d+)?|\.\d+)(?!\d|\.\d)"
)
_NUMBER = re.compile(
    rf"(?<![A-Za-z0-9_])(?<!\d[.,])(?<![A-Za-z]-)(?P<before>US\$|[$€£¥Ξ₿]|(?<![A-Za-z])[A-Z]{{3,5}}(?= ))?\s?"
    rf"(?P<sign>(?<![A-Za-z0-9_)])(?:[+-]|(?i:minus|negative)\s|负)\s?)?(?P<cash>[$€£Ξ₿])?"
    rf"(?:10\^(?P<ten>[+-]?\d{{1,3}})"
    rf"|(?P<n>{_NUMERAL})(?:[eE](?P<e>[+-]?\d{{1,3}})(?![A-Za-z0-9_])|\s?[x×*·]\s?10\s?(?:\^|\*\*)\s?(?P<p>[+-]?\d{{1,3}}))?)"
)
_WORD = re.compile(r"(?P<gap>[ \-]?)(?P<word>[%$€£Ξ₿]|[A-Za-z][\w.$]*|[\u4e00-\u9fff]+)")
_STANDARD = re.compile(r"-\d")
"""After a symbol: "45 ERC-20 transfers" are not 45 ERC."""
_PER = re.compile(r"\s?(?:/\s?|per |a )(?P<per>[A-Za-z]+)")
_NOT_NUMBERS = re.compile(
    r"https?://\S+|\b0[xX][0-9a-fA-F]+(?:\.{2,}|…)?[0-9a-fA-F]*\b|\b(?=\d*[a-fA-F])[0-9a-fA-F]{40,64}\b"
)
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?"
_MOMENT = re.compile(
    r"\d{4}[-/]\d{1,2}[-/]\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?Z?)?|\d{1,2}:\d{2}(?::\d{2})?"
    rf"|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\b|\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH},? \d{{4}}\b"
    rf"|\b{_MONTH} \d{{4}}\b|\d{{4}}年(?:\d{{1,2}}月(?:\d{{1,2}}日)?)?"
    r"|\b(?:blocks|heights|slots|epochs) #?\d[\d,]* ?(?:to|-|and|through|until) ?#?\d[\d,]*"
    r"|\b(?:block|height|slot|epoch) #?\d[\d,]* ?(?:to|-|through|until) ?(?:block |height |slot |epoch )?#?\d[\d,]*",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:\b(?:block|height|slot|epoch|chain id|nonce|log index|step|rank|top|version|section|note)"
    r"(?: (?:number|no\.?|height))?|区块|第)\s?[:#]?\s?$|#$",
    re.IGNORECASE,
)
_CHINESE_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_CHINESE_SMALL = {"十": 10, "百": 100, "千": 1000}
_CHINESE = re.compile(
    "(?P<n>负?(?!一[共般定些直样起切])[零〇一二两三四五六七八九十百千万亿]+(?:点[零〇一二三四五六七八九]+)?)"
    "(?P<word>[%\u4e00-\u9fff]*)"
)
_TO_NINE = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_WORDS = (*_TO_NINE, "ten", "eleven", "twelve", *_TEENS, "twenty")


def quantities(text: str, expected: Unit | None = None) -> tuple[Quantity, ...]:
    """Every number ``text`` (already cleaned) states, in order, rejected ones left out.

    ``expected`` is the unit a task asks for, so that its own name is recognised beside the known ones.
    """
    flat = _NOT_NUMBERS.sub(" @ ", text)
    moments = [found.span() for found in _MOMENT.finditer(flat)]
    found = list(_stated(flat, moments, expected))
    if not found and not re.search(r"\d", text):
        found = list(_spelled(flat, expected))
    plain = [quantity for quantity in found if not quantity.aside]
    return tuple(plain or (replace(quantity, aside=False) for quantity in found))


def _stated(text: str, moments: list[tuple[int, int]], expected: Unit | None) -> Iterator[Quantity]:
    for found in _NUMBER.finditer(text):
        start = found.start("n") if found["n"] else found.start("ten") - 3
        if rejected(text, found.start()) or rejected(text, start):
            continue
        value = _exact(found)
        scale, unit, attached_name = _following(text, found.end(), expected)
        if attached_name:
            continue
        before = found["cash"] or found["before"]
        if unit is None and before and (before.casefold() in KNOWN):
            unit = KNOWN[before.casefold()]
        if text[: found.start()].endswith("百分之"):
            unit = KNOWN["%"]
        in_moment = any(left <= start < right for left, right in moments)
        placed = _PLACE.search(text[: found.start()] + " ") is not None
        yield Quantity(value * scale, unit, scale != 1, in_moment or placed)


def _exact(found: re.Match[str]) -> Fraction:
    if found["ten"]:
        value = Fraction(10) ** int(found["ten"])
    else:
        value = _numeral(found["n"]) * Fraction(10) ** int(found["e"] or found["p"] or 0)
    return -value if (found["sign"] or "+").strip() != "+" else value


def _numeral(text: str) -> Fraction:
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}", text):
        return Fraction(text.replace(".", "").replace(",", "."))
    if re.fullmatch(r"\d+,\d+", text) and not re.fullmatch(r"[1-9]\d{0,2},\d{3}", text):
        return Fraction(text.replace(",", "."))
    return Fraction(re.sub("[,_' ]", "", text))


def _following(text: str, at: int, expected: Unit | None) -> tuple[int, Unit | None, bool]:
    """Scale, unit, and whether the number is part of a name, from the words after it."""
    scale, unit = 1, None
    while found := _WORD.match(text, at):
        word = found["word"].rstrip(".")
        low = word.casefold()
        named = (
            low in KNOWN
            or (looks_like_symbol(word) and not _STANDARD.match(text, found.end()))
            or (expected is not None and own_unit(word) == expected)
        )
        if low in SCALES and unit is None and not (scale != 1 and low in ("m", "b", "t", "k")):
            scale, at = scale * SCALES[low], found.end()
            continue
        if "\u4e00" <= word[0] <= "\u9fff":
            more, unit = _chinese_tail(word)
            return scale * more, unit, False
        if named:
            unit, at = own_unit(word), found.start() + len(found["gap"]) + len(word)
            if rate := _PER.match(text, at):
                unit = replace(unit, per=own_unit(rate["per"]).name())
        elif not found["gap"] and scale == 1:
            return 1, None, True
        break
    return scale, unit, False


def _chinese_tail(word: str) -> tuple[int, Unit | None]:
    scale = 1
    for name in sorted((name for name in SCALES if not name.isascii()), key=len, reverse=True):
        if word.startswith(name):
            scale, word = SCALES[name], word[len(name) :]
            break
    for name in sorted((name for name in KNOWN if not name.isascii()), key=len, reverse=True):
        if word.startswith(name) or word.startswith("个" + name):
            return scale, KNOWN[name]
    return scale, None


def _spelled(text: str, expected: Unit | None) -> Iterator[Quantity]:
    """Numbers in words, only for texts without digits: a whole English word to twenty, or Chinese numerals."""
    words = text.strip(" .!").split(" ", 1)
    if words[0].casefold() in _WORDS:
        scale, unit, _ = _following(" " + words[1] if len(words) > 1 else "", 0, expected)
        if len(words) == 1 or unit is not None or len(words[1].split()) == 1:
            yield Quantity(Fraction(_WORDS.index(words[0].casefold())) * scale, unit, scale != 1)
    for found in _CHINESE.finditer(text):
        if not rejected(text, found.start()):
            unit = KNOWN["%"] if text[: found.start()].endswith("百分之") else _chinese_tail(found["word"])[1]
            yield Quantity(_chinese(found["n"]), unit, False)


def _chinese(text: str) -> Fraction:
    whole, _, decimals = text.lstrip("负").partition("点")
    total = section = digit = 0
    for c in whole:
        if c in _CHINESE_DIGITS:
            digit = _CHINESE_DIGITS[c]
        elif c in _CHINESE_SMALL:
            section, digit = section + (digit or 1) * _CHINESE_SMALL[c], 0
        else:
            big = 10**4 if c == "万" else 10**8
            part, digit, section = section + digit, 0, 0
            total = (total + part) * big if big == 10**8 else total + part * big
    value = Fraction(total + section + digit)
    for place, c in enumerate(decimals, 1):
        value += Fraction(_CHINESE_DIGITS[c], 10**place)
    return -value if text.startswith("负") else value
