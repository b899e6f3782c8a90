"""The rows of the replay index beside FTS5, over corpora of a few dozen pages."""

from __future__ import annotations

import pytest

from caia_replay.bench import search
from caia_replay.errors import BadInput
from caia_replay.search.index import SearchIndex


def test_every_size_has_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two for questions, one for building, two for a campaign's pages; told beside their floors, not judged."""
    monkeypatch.setattr(search, "_SIZES", (40, 10**9))
    monkeypatch.setattr(search, "_QUESTIONS", 12)
    monkeypatch.setattr(search, "_ADDED", 5)
    rows = list(search.rows(60))
    assert [row.unit for row in rows] == ["us", "us", "s", "s", "us"] * 2
    assert all(row.value > 0 and row.floor > 0 for row in rows)
    assert "40 pages" in rows[0].name and "60 pages" in rows[5].name


def test_the_largest_size_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number of pages counts, anything else is refused before a page is made."""
    monkeypatch.setattr(search, "_SIZES", (30,))
    monkeypatch.setattr(search, "_QUESTIONS", 3)
    monkeypatch.setattr(search, "_ADDED", 2)
    monkeypatch.setenv(search.LARGEST, "35")
    assert ["35 pages" in row.name for row in search.rows()] == [False] * 5 + [True] * 3 + [False, True]
    monkeypatch.setenv(search.LARGEST, "many")
    with pytest.raises(BadInput, match="CAIA_REPLAY_BENCH_DOCUMENTS=many"):
        next(iter(search.rows()))


def test_a_page_is_a_function_of_its_number() -> None:
    """So that a larger corpus holds the smaller one, and every build the same pages."""
    ten = list(search.pages(10))
    assert ten[4:] == list(search.pages(6, 4))
    assert len({page.text for page in ten}) == 10
    assert search.questions(ten, 5) == search.questions(ten, 5)


def test_both_indexes_find_the_page_a_question_was_made_of() -> None:
    """The comparison is of two engines that both work."""
    corpus = list(search.pages(50))
    index, peer = SearchIndex(corpus), search._peer(corpus)
    for text in search.questions(corpus, 10):
        ours = [hit.page.url for hit in index.search(text, 10)]
        told = peer.execute(search._ASK, (" OR ".join(text.split()), 10)).fetchall()
        assert set(ours) & {url for url, _ in told}
    peer.close()
