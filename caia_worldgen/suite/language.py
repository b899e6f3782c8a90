"""How questions are worded: what is wrong with one as a piece of writing, and how alike two of a suite are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

Language = Literal["en", "zh"]

MOST_ALIKE: Final = Fraction(97, 100)
"""The largest ``likeness`` any two questions of one suite may have. Two that differ in figures alone have 1, which is
too much; in up to 130 words it is below this when one name or date of one word differs."""

_HAN: Final = "\u3400-\u4dbf\u4e00-\u9fff"
_WIDE: Final = "，。？！；：（）「」《》、"
_MONTHS: Final = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
                  "november", "december")  # fmt: skip
_DATE: Final = rf"\d{{4}}-\d\d?-\d\d?|\d{{4}}年\d\d?月\d\d?日|\d\d? (?:{'|'.join(_MONTHS)}) \d{{4}}"
_WORD: Final = re.compile(rf"{_DATE}|0x[0-9a-f]+|[{_HAN}]|[^\W{_HAN}]+(?:[.,:'/_-][^\W{_HAN}]+)*")
_FIGURE: Final = re.compile(r"\d[\d.,:]*(?:st|nd|rd|th)?")

_PAIRS: Final[Mapping[str, str]] = {")": "(", "]": "[", "}": "{", "）": "（", "”": "“", "」": "「", "》": "《"}
_CALL: Final = re.compile(rf"[A-Za-z_]\w*\([^(){_HAN}]*(?:\([^(){_HAN}]*\)[^(){_HAN}]*)*\)", re.ASCII)
"""An event or a function with its arguments: its words are none of the sentence's."""
_LINK: Final = re.compile(r"[!-~]*/[!-~]*|0x[0-9a-fA-F]+|`[^`]*`|\"[^\"]*\"|“[^”]*”|「[^」]*」")
"""Addresses of all kinds, paths, and what is quoted."""
_RUN: Final = re.compile(r"[A-Za-z][A-Za-z'’-]*(?:,? [A-Za-z][A-Za-z'’-]*){4,}")
_NAME: Final = re.compile(r"[A-Za-z][\w.'’-]*(?: [A-Za-z][\w.'’-]*)*", re.ASCII)
_LEAST_HAN: Final = Fraction(3, 5)
"""Of a Chinese question's characters and foreign names (of one or more words) as many are Chinese at the least."""


def language_faults(question: str, language: Language) -> Iterator[str]:
    """What is wrong with a question in its language, each as words that can follow it: "has two blanks in a row"."""
    yield from _faults_in_both(question)
    yield from _english_faults(question) if language == "en" else _chinese_faults(question)


def likeness(one: str, other: str) -> Fraction:
    """How much two questions ask the same, from 0 to 1: the Jaccard index of their pairs of neighbouring words.

    Names, tickers, addresses and dates (each one word) are words as any other. All figures are the same word: blocks,
    hours and amounts alone make no other question, so two questions that differ in nothing else have 1, however long
    they are. A Chinese character is a word.
    """
    first, second = _word_pairs(one), _word_pairs(other)
    return Fraction(len(first & second), len(first | second) or 1)


@lru_cache(maxsize=4_096)
def _word_pairs(question: str) -> frozenset[tuple[str, str]]:
    found = _WORD.findall(question.lower())
    words = ["", *("0" if _FIGURE.fullmatch(word) else word for word in found), ""]
    return frozenset(pairwise(words))


def _faults_in_both(question: str) -> Iterator[str]:
    if question != question.strip():
        yield "begins or ends with a blank"
    if "  " in question:
        yield "has two blanks in a row"
    if re.search(r"[^\S ]", question):
        yield "has a line break, a tab or an odd blank"
    yield from _bracket_faults(question)
    if question.count('"') % 2 or question.count("`") % 2 or question.count("“") != question.count("”"):
        yield "has a quotation mark without its partner"
    if found := re.search(r"[{}]|\$\d|\b(?:None|nan|Fraction)\b", question):
        yield f"has {found[0]!r} in it, which a template left"
    if found := re.search(r"\b([A-Za-z]+) \1\b", _CALL.sub("", question), re.IGNORECASE):
        yield f"says {found[1]!r} twice in a row"
    if found := re.search(r"\S*_\S*", _LINK.sub("", _CALL.sub("", question))):
        yield f"has an underscore in {found[0]!r}"
    if found := re.search(r"[,;:?!，。？！；：、][,;:?!，。？！；：、]|\.\.|--", question):
        yield f"has {found[0]!r} in it"


def _bracket_faults(question: str) -> Iterator[str]:
    open_ones: list[str] = []
    for letter in question:
        if letter in _PAIRS.values():
            open_ones.append(letter)
        elif letter in _PAIRS and (not open_ones or open_ones.pop() != _PAIRS[letter]):
            yield f"closes {letter!r} that is not open"
            return
    if open_ones:
        yield f"does not close {open_ones[-1]!r}"


def _english_faults(question: str) -> Iterator[str]:
    if not re.match(r"[A-Z]", question):
        yield "does not begin with a capital letter"
    if not re.search(r"[?.][\"”)]?\Z", question):
        yield "does not end with a question mark or a full stop"
    if found := re.search(rf"[{_HAN}{_WIDE}]", question):
        yield f"has {found[0]!r}, which is no English"
    if found := re.search(r" [,.;:?!)\]]|[(\[] ", question):
        yield f"has a blank beside {found[0].strip()!r} that does not belong there"
    # What begins with a small letter and goes on otherwise is a ticker or an address: bABCD, 0x12.
    if found := re.search(r"[a-z)][.?!] ([a-z]+)(?![\w-])", question):
        yield f"begins a sentence with {found[1]!r}"
    words = re.findall(r"\b[A-Za-z][a-z]{3,}\b", _LINK.sub("", _CALL.sub("", question)))
    if len(words) > 5 and sum(word[0].isupper() for word in words) * 3 > len(words) * 2:
        yield "is written in title case"


def _chinese_faults(question: str) -> Iterator[str]:
    plain = _LINK.sub("", _CALL.sub("", question))
    han, foreign = len(re.findall(f"[{_HAN}]", plain)), len(_NAME.findall(plain))
    if han < _LEAST_HAN * (han + foreign) or not han:
        yield f"is not Chinese: {han} characters beside {foreign} foreign names"
    if not re.search(r"[？。][”」）]?\Z", question):
        yield "does not end with ？ or 。"
    if found := re.search(rf"[{_HAN}] ?[,.;:?!()]|[,.;:?!()] ?[{_HAN}]", plain):
        yield f"has half-width punctuation in {found[0]!r}"
    if found := re.search(rf" [{_WIDE}]|[{_WIDE}] ", question):
        yield f"has a blank beside {found[0].strip()!r}"
    if found := re.search(r"的的|了了|是是|在在|和和|与与", question):
        yield f"says {found[0]!r}"
    # A long name is written with capitals, an English sentence is not.
    if found := next((one for one in _RUN.finditer(plain) if len(re.findall(r"\b[a-z]", one[0])) > 2), None):
        yield f"has English in it: {found[0]!r}"
