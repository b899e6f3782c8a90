"""The piece of a page that a search result shows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from caia_replay.search.text import CJK, SEPARATORS

SNIPPET_CHARS = 240
# How much text stands before the first match.
_LEAD_CHARS = 40
# Snippets are looked for near the front: a cost limit that no honest page reaches.
_SEARCHED_CHARS = 200_000
# The same for words: more than these tell no better where to cut.
_SEARCHED_WORDS = 32

_CJK_START = re.compile(f"[{CJK}]")
_LONG_NUMBER = re.compile(r"\d{4,}", re.ASCII)


def snippet(text: str, words: Sequence[str]) -> str:
    """About ``SNIPPET_CHARS`` characters of ``text`` around the place where most of ``words`` stand together.

    ``words`` are beginnings of words in lower case (stems), or CJK pairs. The first of equal places wins; without any
    match it is the beginning. Cut ends are marked with an ellipsis. White space is one space.
    """
    flat = " ".join(text[:_SEARCHED_CHARS].split())
    start = _best_start(flat, words)
    end = min(len(flat), start + SNIPPET_CHARS)
    if start > 0:
        start = _word_start(flat, start)
    if end < len(flat):
        end = _word_end(flat, start, end)
    return ("… " if start > 0 else "") + flat[start:end].strip() + (" …" if end < len(flat) else "")


def _best_start(flat: str, words: Sequence[str]) -> int:
    if not words:
        return 0
    pattern = _pattern(words[:_SEARCHED_WORDS])
    hits = [(found.start(), found.group().lower()) for found in re.finditer(pattern, flat, re.IGNORECASE)]
    best_at, best_score = 0, (0, 0)
    inside: Counter[str] = Counter()
    end = 0
    for first, (at, word) in enumerate(hits):
        while end < len(hits) and hits[end][0] < at + SNIPPET_CHARS - _LEAD_CHARS:
            inside[hits[end][1]] += 1
            end += 1
        score = (len(inside), end - first)
        if score > best_score:
            best_at, best_score = at, score
        inside[word] -= 1
        if not inside[word]:
            del inside[word]
    return max(0, best_at - _LEAD_CHARS)


def _pattern(words: Sequence[str]) -> str:
    """Any of the words, longer ones first; Latin ones where a word begins, long numbers with or without separators."""
    ordered = sorted(set(words), key=lambda one: (-len(one), one))
    apart = f"[{SEPARATORS}]?"
    latin = [
        apart.join(word) if _LONG_NUMBER.fullmatch(word) else re.escape(word) for word in ordered if not _cjk(word)
    ]
    chinese = [re.escape(word) for word in ordered if _cjk(word)]
    return "|".join([*([rf"\b(?:{'|'.join(latin)})"] if latin else []), *chinese])


def _cjk(word: str) -> bool:
    return _CJK_START.match(word) is not None


def _word_start(flat: str, at: int) -> int:
    space = flat.find(" ", at, at + 30)
    return space + 1 if space >= 0 else at


def _word_end(flat: str, start: int, at: int) -> int:
    space = flat.rfind(" ", max(start, at - 30), at)
    return space if space > start else at
