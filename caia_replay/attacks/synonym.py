"""Other words for the words of a question, as content farms have them: a text turned over, and its keywords.

Groups hold words of one form each, so that a turned text still reads like a sentence most of the time. What identifies
a question (names, tickers, addresses, heights, days) is in no group and stays.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final

_HAN: Final = re.compile("[\u3400-\u9fff]")
_ARTICLE: Final = re.compile(r"\b([Aa]) (?=(?:a|e|i|o(?!ne\b))[a-z])")
_START: Final = re.compile(r"(?:^|[.?!:])\s*\Z")


def turned(text: str, turn: int) -> str:
    """``text`` with each word that has others replaced by the one ``turn`` places on in its group; 0 changes none."""

    def other(found: re.Match[str]) -> str:
        word = found.group()
        if not _is_plain(found):
            return word
        group = _GROUP_OF[word.casefold()]
        made = group[(group.index(word.casefold()) + turn) % len(group)]
        return made[0].upper() + made[1:] if word[0].isupper() else made

    return _ARTICLE.sub(r"\1n ", _WORDS.sub(other, text)) if turn else text


def others(text: str) -> list[str]:
    """Every other word for the words of ``text``, each once, without those that the text has."""
    have = text.casefold()
    words = [found.group().casefold() for found in _WORDS.finditer(text) if _is_plain(found)]
    return list(dict.fromkeys(other for word in words for other in _GROUP_OF[word] if other not in have))


def _is_plain(found: re.Match[str]) -> bool:
    """Whether it is no part of a name: in small letters, or capital as the first of a sentence is."""
    word = found.group()
    return word == word.casefold() or (
        word[1:] == word[1:].casefold() and _START.search(found.string[: found.start()]) is not None
    )


_LITTLE: Final = frozenset(
    ("for", "had", "is the", "made", "per", "said", "set", "was", "who", "part", "list", "have", "whole")
)
"""Words that stand for others and too often for something else."""


def _groups() -> dict[str, list[str]]:
    """The group of each word of ``synonyms.toml``: the one it stands first in, or else the first that has it."""
    table = tomllib.loads(Path(__file__).with_name("synonyms.toml").read_text("utf-8"))
    groups = [[word.casefold() for word in group] for group in (*table["english"], *table["chinese"])]
    found = {group[0]: group for group in groups}
    for group in groups:
        for word in group:
            found.setdefault(word, group)
    return found


_GROUP_OF: Final = _groups()


def _pattern() -> re.Pattern[str]:
    # One Chinese character stands inside too many words to be one.
    known = [word for word in _GROUP_OF if word not in _LITTLE and (len(word) > 1 or not _HAN.search(word))]
    ordered = sorted(known, key=lambda word: (-len(word), word))
    latin = "|".join(re.escape(word) for word in ordered if not _HAN.search(word))
    chinese = "|".join(re.escape(word) for word in ordered if _HAN.search(word))
    # A word between hyphens, points or slashes is part of a name or an address.
    return re.compile(rf"(?<![\w./@-])(?:{latin})(?![\w/-]|\.\w)|{chinese}", re.IGNORECASE)


_WORDS: Final = _pattern()
