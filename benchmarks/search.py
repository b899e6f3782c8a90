"""The replay index beside SQLite's FTS5: questions, building, and what a campaign's pages cost.

Both index the same generated pages with a stemmer, rank by BM25 with the same title weight, and cut a snippet of each
of ten results; the questions are asked of both in turn. ``CAIA_REPLAY_BENCH_DOCUMENTS`` sets the largest size.
"""

from __future__ import annotations

import itertools
import os
import random
import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from typing import Final

from benchmarks.row import Row
from caia_replay.core.world import Page
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.search.index import SearchIndex

LARGEST: Final = "CAIA_REPLAY_BENCH_DOCUMENTS"
_SIZES: Final = (3_000, 100_000)
_QUESTIONS: Final = 300
"""A third of them above the sizes measured by default, where the peer takes a second each."""
_WARM: Final = 20
_ADDED: Final = 1_000
_WORDS: Final = 20_000
_RESULTS: Final = 10
_START_S: Final = 1_735_689_600

_TABLE: Final = "create virtual table page using fts5(url unindexed, title, text, tokenize = 'porter unicode61')"
_WEIGHTS: Final = "insert into page(page, rank) values ('rank', 'bm25(0.0, 1.5, 1.0)')"
_ASK: Final = "select url, snippet(page, 2, '', '', '…', 40) from page where page match ? order by rank limit ?"


def rows(largest: int | None = None) -> Iterator[Row]:
    """Five rows for each size up to ``largest`` pages (default: what ``LARGEST`` says, else 100,000).

    Raises ``BadInput`` when ``LARGEST`` is no number of pages, ``CheckFailed`` when a page cannot be found again.
    """
    top = _largest() if largest is None else largest
    for size in [*(size for size in _SIZES if size < top), top]:
        yield from _measured(size)


def pages(count: int, first: int = 0) -> Iterator[Page]:
    """Pages ``first`` to ``first + count``: each a pure function of its number, words as often as in natural text."""
    vocabulary = [f"{chr(97 + at % 26)}{_word(at)}" for at in range(_WORDS)]
    weights = list(itertools.accumulate(1 / (at + 10) for at in range(_WORDS)))
    for number in range(first, first + count):
        words = random.Random(number).choices(vocabulary, cum_weights=weights, k=66)
        yield Page(
            url=f"https://site{number % 97}.example/{number}",
            title=" ".join(words[:6]),
            text=" ".join(words[6:]),
            published=_START_S + number % 86_400_000,
        )


def questions(corpus: Sequence[Page], count: int) -> list[str]:
    """Three to six words each: some of one page's title, some of its text, as someone who half remembers it asks."""
    found = []
    for number in range(count):
        chance = random.Random(f"question {number}")
        page = corpus[chance.randrange(len(corpus))]
        told = chance.sample(page.title.split(), 2) + chance.sample(page.text.split(), chance.randint(1, 4))
        found.append(" ".join(dict.fromkeys(told)))
    return found


def _word(at: int) -> str:
    """Letters alone, so that no stemmer and no reading of numbers makes two words one."""
    return "".join("bdfgklmnprtvz"[at // 13**power % 13] + "aou"[(at >> power) % 3] for power in range(4))


def _largest() -> int:
    told = os.environ.get(LARGEST) or str(_SIZES[-1])
    if not re.fullmatch(r"[1-9][0-9]{0,8}", told):
        raise BadInput(
            f"{LARGEST}={told} is no number of pages", next_command=f"{LARGEST}=1000000 python -m benchmarks search"
        )
    return int(told)


def _measured(size: int) -> Iterator[Row]:
    corpus = list(pages(size))
    began = time.perf_counter()
    index = SearchIndex(corpus)
    built_s = time.perf_counter() - began
    began = time.perf_counter()
    peer = _peer(corpus)
    peer_s = time.perf_counter() - began
    ours: list[float] = []
    theirs: list[float] = []
    asked = questions(corpus, _QUESTIONS if size <= _SIZES[-1] else _QUESTIONS // 3)
    for text in [*asked[:_WARM], *asked]:
        began = time.perf_counter()
        found = index.search(text, _RESULTS)
        middle = time.perf_counter()
        peer.execute(_ASK, (" OR ".join(f'"{word}"' for word in text.split()), _RESULTS)).fetchall()
        ours.append((middle - began) * 1e6)
        theirs.append((time.perf_counter() - middle) * 1e6)
        if not found:
            raise CheckFailed(f"none of {size:,} pages is found by words of its own: {text}")
    peer.close()
    mine, others = sorted(ours[-len(asked) :]), sorted(theirs[-len(asked) :])
    half, tail = len(mine) // 2, len(mine) * 99 // 100
    yield Row(f"search p50, {size:,} pages, floor is FTS5", mine[half], "us", others[half])
    yield Row(f"search p99, {size:,} pages, floor is FTS5", mine[tail], "us", others[tail])
    yield Row(f"index of {size:,} pages, floor is FTS5", built_s, "s", peer_s)
    began = time.perf_counter()
    over = SearchIndex([*corpus, *pages(_ADDED, size)], base=index)
    added_s = time.perf_counter() - began
    yield Row(f"adding {_ADDED:,} pages to {size:,}, floor is their index", added_s, "s", built_s)
    spent = []
    for text in asked:
        began = time.perf_counter()
        over.search(text, _RESULTS)
        spent.append((time.perf_counter() - began) * 1e6)
    yield Row(f"search p50 with them, {size:,} pages, floor is without", sorted(spent)[half], "us", mine[half])


def _peer(corpus: Sequence[Page]) -> sqlite3.Connection:
    """The same pages in SQLite, in memory."""
    peer = sqlite3.connect(":memory:")
    peer.execute(_TABLE)
    peer.execute(_WEIGHTS)
    peer.executemany("insert into page values (?, ?, ?)", ((page.url, page.title, page.text) for page in corpus))
    peer.commit()
    return peer
