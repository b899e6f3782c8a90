"""A million documents that rank the same in any build, and twenty thousand hostile queries."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Iterator

import pytest

from benchmarks.search import pages, questions
from caia_replay.canonical import digest
from caia_replay.core.world import Page, Post
from caia_replay.search.index import PostIndex, SearchIndex
from caia_replay.search.window import Window, moment_of, parse_window
from tests.search_corpus import corpus

DOCUMENTS, QUESTIONS, QUERIES = 1_000_000, 50, 20_000
SLOWEST_S = 5.0
"""No query may take as long: a hang is what it would be, on any machine."""

_PIECES = (
    *"\"-:*()[]{}^~\\+!?@#$,.'/&|<>=%\u0000\n\t\u200b\u202e\ud800\ufdfa\U0001f600é以太质押的是",
    *(
        "site:",
        "from:",
        "-from:@",
        "since:",
        "until:2025-03-01",
        "after:",
        "lang:zh",
        "author:",
        " AND ",
        " OR ",
        " NOT ",
    ),
    *("1,234,567", "0x" + "f" * 40, "Zephyra", "MIDEX", "maximum supply", "多少", "质押合约", "a" * 300, "x " * 400),
    *('"Zephyra team"', "2025-02-30", "0.1", "٣٤", "ＡＢＣ", "[[", '""', "\\", "NaN", "-1", "9" * 60),
)


@pytest.mark.soak
def test_a_million_documents_rank_the_same_in_another_order() -> None:
    """Two builds from differently ordered pages give the same first twenty of fifty questions."""
    found = []
    for order in (None, 7):
        documents = list(pages(DOCUMENTS))
        asked = questions(documents, QUESTIONS)
        if order is not None:
            random.Random(order).shuffle(documents)
        began = time.perf_counter()
        index = SearchIndex(documents)
        print(f"{DOCUMENTS:,} pages indexed in {time.perf_counter() - began:.0f} s")
        found.append([[hit.page.url for hit in index.search(text, 20)] for text in asked])
        del documents, index
        gc.collect()
    assert found[0] == found[1]
    assert all(len(urls) == 20 == len(set(urls)) for urls in found[0])


@pytest.mark.soak
def test_no_query_of_twenty_thousand_raises_or_hangs() -> None:
    """Whatever is typed, among pages and posts, with any window: an answer, the same one when asked again."""
    documents, _ = corpus()
    index, posts = SearchIndex(documents), PostIndex(list(_posts(documents)))
    chance = random.Random(20_000)
    slowest, slowest_text = 0.0, ""
    for number in range(QUERIES):
        text = "".join(chance.choice(_PIECES) for _ in range(chance.randint(1, 30)))
        now = chance.choice([0, 1_740_000_000, -(2**63), 2**63])
        window = parse_window(text, now) or Window(*chance.choices([None, now, -(2**70), 2**70], k=2))
        began = time.perf_counter()
        found = index.search(text, 10, now, window=window, offset=chance.randint(0, 30))
        told = posts.search(text, 10, window=window, newest_first=chance.random() < 0.5)
        spent = time.perf_counter() - began
        moment_of(text, now)
        if spent > slowest:
            slowest, slowest_text = spent, text
        assert len(found) <= 10 and len(told) <= 10
        assert all(window.holds(hit.page.known_since) for hit in found)
        if number % 100 == 0:
            again = index.search(text, 10)
            assert digest([hit.page.url for hit in again]) == digest([hit.page.url for hit in index.search(text, 10)])
    print(f"{QUERIES:,} queries, the slowest {slowest * 1e3:.0f} ms: {slowest_text[:80]!r}")
    assert slowest < SLOWEST_S


def _posts(documents: list[Page]) -> Iterator[Post]:
    for number, page in enumerate(documents):
        moment = page.published or 0
        yield Post(str(number + 1), f"writer{number % 40}", f"${page.title} #{page.text}"[:280], moment, "1")
