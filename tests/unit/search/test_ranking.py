"""One ranking for both kinds: the same everywhere, and good enough for plain questions."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from caia_replay.core.world import Page, Post
from caia_replay.errors import CheckFailed
from caia_replay.search import ranking as module
from caia_replay.search.document import PAGES, POSTS
from caia_replay.search.ranking import Ranking
from caia_replay.search.window import ALWAYS
from tests.search_corpus import Question, corpus

PROJECT = Path(__file__).resolve().parents[3]
PAGE = Page("https://a.example/", "Title", "words here", 20, "", "Ilse Varn", "en", 10)
POST = Post("12", "some_one", "words here", 30, "12")
_CHILD = """
import sys, random
from concurrent.futures import ThreadPoolExecutor
from caia_replay.canonical import digest
from caia_replay.search.index import SearchIndex
from tests.search_corpus import corpus
pages, questions = corpus()
random.Random(sys.argv[1]).shuffle(pages)
index = SearchIndex(pages)
with ThreadPoolExecutor(int(sys.argv[2])) as threads:
    found = list(threads.map(lambda asked: index.search(asked.text, 20, offset=3), questions[::12]))
print(digest([[[hit.rank, hit.page.url, hit.snippet] for hit in hits] for hits in found]))
"""


Asked = tuple[Ranking[Page], list[Question]]


@pytest.fixture(scope="module")
def asked() -> Asked:
    """Three thousand pages, and what is asked about them."""
    pages, questions = corpus()
    assert len(pages) == 3_000
    return Ranking(PAGES, pages), questions


def _missed(ranking: Ranking[Page], questions: list[Question]) -> list[str]:
    """The questions whose answer is not within the first ten."""
    found = {one.text: ranking.found(one.text, 10, 0, ALWAYS, in_order=False)[0] for one in questions}
    return [one.text for one in questions if one.answered_by not in [page.url for page in found[one.text]]]


def test_every_fact_is_found_by_a_plain_question(asked: Asked) -> None:
    """Among 3,000 pages, fifty of which name the project, each within the first ten: a part of the questions."""
    ranking, questions = asked
    assert not _missed(ranking, questions[::8])


@pytest.mark.check
def test_rankings_are_equal_under_any_locale_hash_seed_thread_count_and_order() -> None:
    """Three processes that differ in all of them print one digest of 145 rankings with their snippets."""
    digests = set()
    for locale, hash_seed, threads in (("C", "0", "1"), ("tr_TR.UTF-8", "1", "8"), ("zh_CN.GB18030", "4242", "2")):
        environment = os.environ | {"LC_ALL": locale, "LANG": locale, "PYTHONHASHSEED": hash_seed, "PYTHONUTF8": "1"}
        command = [sys.executable, "-c", _CHILD, hash_seed, threads]
        child = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=True)
        digests.add(child.stdout)
    assert len(digests) == 1 and "sha256:" in digests.pop()


@pytest.mark.check
def test_an_index_is_one_segment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus that does not fit is refused: with segments of random names a ranking would not repeat."""
    texts = [" ".join(f"w{i * 97 + k}" for k in range(400)) for i in range(3_000)]
    pages = [Page(f"https://a.example/{i}", "", text, 1) for i, text in enumerate(texts)]
    assert len(Ranking(PAGES, pages)) == 3_000
    monkeypatch.setattr(module, "_MOST_WRITER_BYTES", 15_000_000)
    with pytest.raises(CheckFailed, match="one index segment"):
        Ranking(PAGES, pages)


def test_scores_that_round_alike_are_one_score_on_every_page(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    """However coarse the rounding, and so however many ties: pages of results are slices of one list."""
    monkeypatch.setattr(module, "_SCORE_DIGITS", -1)
    ranking, questions = asked
    for question in [one for one in questions if not one.chinese][::400]:
        whole, _ = ranking.found(question.text, 3_000, 0, ALWAYS, in_order=False)
        assert len(whole) > 155
        for offset in (0, 7, 150):
            assert ranking.found(question.text, 5, offset, ALWAYS, in_order=False)[0] == whole[offset : offset + 5]


def test_a_kept_index_is_of_exactly_its_pages(tmp_path: Path) -> None:
    """Whatever indexed field differs, another index is built; the same pages find theirs again; twins count once."""
    assert len(Ranking(PAGES, [PAGE, PAGE])) == 1
    changes = {"url": "https://b.example/", "title": "x", "text": "x", "published": 21, "author": "x", "language": "zh"}
    for at, (name, value) in enumerate([*changes.items(), ("published", None)]):
        for page in (PAGE, replace(PAGE, **{name: value}), PAGE):
            Ranking(PAGES, [page], tmp_path / str(at))
        assert len(list((tmp_path / str(at)).iterdir())) == 2, name


def test_a_kept_index_is_of_its_kind_version_and_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages and posts, an older version, and what is added to a base have places of their own."""
    built: list[Callable[[], object]] = [
        lambda: Ranking(POSTS, [POST], tmp_path),
        lambda: Ranking(PAGES, [PAGE], tmp_path),
        lambda: Ranking(PAGES, [PAGE], tmp_path, Ranking(PAGES, [])),
    ]
    for count, build in enumerate(built, 1):
        build()
        assert len(list(tmp_path.iterdir())) == count
    monkeypatch.setattr(module, "INDEX_VERSION", module.INDEX_VERSION + 1)
    Ranking(PAGES, [PAGE], tmp_path)
    assert len(list(tmp_path.iterdir())) == 4


def test_an_added_document_is_found_behind_any_number_of_recorded_ones() -> None:
    """What is added is looked for alone, so that more recorded twins than are fetched cannot hide it."""
    twins = [Page(f"https://h.example/{i:04d}", "", "same words", 1) for i in range(400)]
    base = Ranking(PAGES, twins)
    added = Page("https://h.example/0000a", "", "same words", 1, "crowd")
    found, _ = Ranking(PAGES, [*twins, added], base=base).found("same", 3, 0, ALWAYS, in_order=False)
    assert added in found or base.found("same", 3, 0, ALWAYS, in_order=False)[0] == found
    listed, _ = Ranking(PAGES, [*twins, added], base=base).found("site:h.example", 3, 0, ALWAYS, in_order=False)
    assert [page.url[-5:] for page in listed] == ["/0000", "0000a", "/0001"]
