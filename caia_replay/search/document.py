"""One page as the index reads it: normalised text, CJK bigrams, the sites it belongs to, a snippet of it.

Only what is indexed is normalised; the page itself, and every snippet cut from it, keeps its own spelling.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlsplit

SNIPPET_CHARS = 240
# How much text stands before the first match.
_LEAD_CHARS = 40
# Snippets are looked for near the front: a cost limit that no honest page reaches.
_SEARCHED_CHARS = 200_000
_MAX_SITE_SEGMENTS = 8

# Han, kana, Hangul and full-width forms: scripts written without spaces between words.
CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
_CJK_RUN = re.compile(f"[{CJK}]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"\s+")
_BREAK = "|"


def normalised(text: str) -> str:
    """``text`` in one Unicode form (NFKC), lone surrogates replaced, which no index can hold."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text))


def latin(text: str) -> str:
    """Normalised text without its CJK runs."""
    return text if text.isascii() else _CJK_RUN.sub(" ", text)


def cjk_runs(text: str) -> list[str]:
    """The CJK runs of normalised text, in order."""
    return [] if text.isascii() else _CJK_RUN.findall(text)


def bigrams(run: str) -> list[str]:
    """The overlapping pairs of a run; a run of one character has none."""
    return [run[i : i + 2] for i in range(len(run) - 1)]


def bigram_text(text: str) -> str:
    """Every run's bigrams, separated by spaces; a break between runs keeps phrases from reaching across them."""
    return f" {_BREAK} ".join(" ".join(bigrams(run)) for run in cjk_runs(text) if len(run) > 1)


def unigram_text(text: str) -> str:
    """Every CJK character once, for queries of a single character."""
    return " ".join(sorted({char for run in cjk_runs(text) for char in run}))


def site_terms(url: str) -> list[str]:
    """What ``site:`` may say to mean this page: its host, each parent domain, and host plus each path prefix.

    Lower case, without ``www.``; empty for a URL without a host.
    """
    place = site_place(url)
    if not place:
        return []
    host, _, path = place.partition("/")
    labels = host.split(".")
    terms = [".".join(labels[i:]) for i in range(len(labels))]
    segments = [piece for piece in path.split("/") if piece][:_MAX_SITE_SEGMENTS]
    terms += [f"{host}/{'/'.join(segments[: i + 1])}" for i in range(len(segments))]
    return terms


def site_place(text: str) -> str:
    """A URL or what stands after ``site:`` as ``host/path``, lower case, without scheme, port, ``www.`` and query.

    Empty when it cannot be read.
    """
    text = normalised(text).strip().lower()
    try:
        parts = urlsplit(text if "://" in text else f"//{text}")
        host = parts.hostname or ""
    except ValueError:
        return ""
    host = host.removeprefix("www.").strip(".")
    path = "/".join(piece for piece in parts.path.split("/") if piece)
    return f"{host}/{path}" if host and path else host


def snippet(text: str, words: Sequence[str]) -> str:
    """About ``SNIPPET_CHARS`` characters of ``text`` around the place where most of ``words`` stand together.

    ``words`` are beginnings of words in lower case (stems), or CJK pairs. The first of equal places wins; without any
    match it is the beginning. Cut ends are marked with an ellipsis. White space is one space.
    """
    flat = _SPACE.sub(" ", text[:_SEARCHED_CHARS]).strip()
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
    pattern = "|".join(sorted((_pattern(word) for word in set(words)), key=lambda one: (-len(one), one)))
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


def _pattern(word: str) -> str:
    escaped = re.escape(word)
    return escaped if _CJK_RUN.match(word) else rf"\b{escaped}"


def _word_start(flat: str, at: int) -> int:
    space = flat.find(" ", at, at + 30)
    return space + 1 if space >= 0 else at


def _word_end(flat: str, start: int, at: int) -> int:
    space = flat.rfind(" ", max(start, at - 30), at)
    return space if space > start else at
