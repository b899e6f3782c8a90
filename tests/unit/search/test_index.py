import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.world import Page
from caia_replay.search.index import SearchIndex

WORDS = ["aave", "price", "total", "value", "locked", "bridge", "hack", "yield", "staking", "token", "unlock", "march"]


def _corpus(count: int = 60) -> list[Page]:
    draw = random.Random(7)
    pages = [
        Page(
            url=f"https://site{i % 5}.example/{i:03d}",
            title=" ".join(draw.choices(WORDS, k=4)),
            text=" ".join(draw.choices(WORDS, k=60)),
            published=None if i % 7 == 0 else 1_000 + i,
        )
        for i in range(count)
    ]
    return [
        *pages,
        Page("https://zh.example/1", "以太坊质押收益", "以太坊的质押收益在三月上涨, BTC价格下跌。", 1_000),
        Page("https://docs.aave.example/v3/risk", "Risk parameters", "The liquidation threshold of WBTC is 78%.", None),
    ]


INDEX = SearchIndex(_corpus())


def _urls(query: str, limit: int = 10, until: int | None = None) -> list[str]:
    return [hit.page.url for hit in INDEX.search(query, limit, until)]


@settings(max_examples=15, deadline=None)
@given(st.randoms(use_true_random=False), st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
def test_the_order_of_pages_does_not_matter(shuffler, words):
    """The same pages in any order give identical rankings, snippets included."""
    pages = _corpus()
    shuffler.shuffle(pages)
    query = " ".join(words)
    assert SearchIndex(pages).search(query, 10) == INDEX.search(query, 10)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80) | st.text(alphabet='"-:*()[]{}^~\\+!? site以太质押aAND', max_size=40))
def test_no_query_raises(query):
    """Any text is searched; what finds nothing gives an empty tuple."""
    assert isinstance(INDEX.search(query, 5, 1_030), tuple)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3), st.integers(-(2**70), 2**70))
def test_nothing_published_later_is_returned(words, until):
    """Pages after the moment stay hidden, and exactly the matching pages up to it and undated ones are found."""
    query = " ".join(words)
    everything = INDEX.search(query, 1_000)
    visible = INDEX.search(query, 1_000, until)
    allowed = [hit.page for hit in everything if hit.page.published is None or hit.page.published <= until]
    assert [hit.page for hit in visible] == allowed


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3), st.integers(1, 20))
def test_a_longer_list_begins_with_the_shorter(words, limit):
    """Asking for fewer results only cuts the list; ranks count from 1."""
    query = " ".join(words)
    longer = INDEX.search(query, 40)
    assert INDEX.search(query, limit) == longer[:limit]
    assert [hit.rank for hit in longer] == list(range(1, len(longer) + 1))


def test_a_title_weighs_more_than_a_body():
    """The same word ranks higher in a title."""
    pages = [
        Page("https://a.example/", "Notes", "restaking and other words of the day", None),
        Page("https://b.example/", "Restaking", "notes and other words of the day", None),
    ]
    assert [hit.page.url for hit in SearchIndex(pages).search("restaking", 2)] == [
        "https://b.example/",
        "https://a.example/",
    ]


def test_equal_scores_are_ordered_by_url():
    """Twins in everything but their address come in the order of their addresses."""
    pages = [Page(f"https://h.example/{name}", "Twin", "same words", None) for name in "cab"]
    assert [hit.page.url[-1] for hit in SearchIndex(pages).search("twin", 3)] == ["a", "b", "c"]


def test_chinese_is_found_by_parts_of_a_run():
    """A word inside an unspaced run is found, a single character too, and pairs across a break are not."""
    assert _urls("质押收益") == ["https://zh.example/1"]
    assert _urls("涨") == ["https://zh.example/1"]
    assert _urls('"收益在三月"') == ["https://zh.example/1"]
    assert _urls('"上涨价格"') == []
    assert _urls("比特币矿工") == []


def test_site_is_a_must():
    """Only pages of that site, by host, parent domain or path; alone it lists them by URL."""
    assert set(_urls("aave site:site2.example", 100)) == {
        url for url in _urls("aave", 100) if url.startswith("https://site2.example/")
    }
    assert _urls("site:docs.aave.example/v3") == ["https://docs.aave.example/v3/risk"]
    assert _urls("threshold site:aave.example") == ["https://docs.aave.example/v3/risk"]
    assert _urls("threshold site:site2.example") == []
    assert _urls("site:site1.example", 3) == [f"https://site1.example/{i:03d}" for i in (1, 6, 11)]


def test_minus_leaves_pages_out():
    """Excluded words, phrases and sites never appear."""
    for hit in INDEX.search("aave -hack -site:site1.example", 100):
        assert "hack" not in f"{hit.page.title} {hit.page.text}" and "site1" not in hit.page.url


def test_a_phrase_must_stand_in_this_order():
    """Quoted words are found together or not at all."""
    hits = INDEX.search('"total value locked"', 100)
    assert hits
    assert all("total value locked" in f"{hit.page.title} | {hit.page.text}" for hit in hits)
    assert _urls('"threshold liquidation"') == [] and _urls('"liquidation threshold"') != []


def test_word_forms_are_one_word():
    """A plural finds the singular."""
    assert "https://docs.aave.example/v3/risk" in _urls("parameter liquidations", 100)


def test_what_is_nowhere_gives_an_empty_tuple():
    """Finding nothing is a fact about the index, not an error."""
    assert INDEX.search("zzzunknownzzz", 10) == ()
    assert INDEX.search("aave", 0) == ()
    assert SearchIndex([]).search("aave", 10) == ()


def test_an_index_in_a_folder_ranks_like_one_in_memory(tmp_path):
    """Built, and opened again, on disk: the same results; another corpus has its own place."""
    first, again = SearchIndex(_corpus(), tmp_path), SearchIndex(_corpus(), tmp_path)
    assert first.search("aave price", 20) == again.search("aave price", 20) == INDEX.search("aave price", 20)
    assert len(list(tmp_path.iterdir())) == 1
    assert len(SearchIndex(_corpus(5), tmp_path)) == 7
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("moment", [None, -(2**80), 2**80])
def test_any_date_can_be_indexed(moment):
    """Dates no clock shows are kept in order instead of breaking the index."""
    page = Page("https://a.example/", "Dated", "words", moment)
    hits = SearchIndex([page]).search("dated", 1, 0)
    assert bool(hits) == (moment is None or moment <= 0)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from(["burn", "supply", "treasury", "vote", "fee"]), min_size=1, max_size=4), st.integers(1, 8)
)
def test_added_pages_push_recorded_ones_down_and_never_reorder_them(words: list[str], limit: int) -> None:
    """Without the added pages, a ranking over a base is the base's own; it differs nowhere else."""
    said = ["burn supply", "supply", "treasury vote vote", "vote fee", "fee fee burn", "treasury", "supply fee vote"]
    pages = [Page(f"https://r.example/{i}", text, f"{text} page", 10 + i) for i, text in enumerate(said)]
    added = [Page("https://p.example/1", "burn burn supply", "burn " * 9, 12, altered_by="seo-page")]
    base = SearchIndex(pages)
    query = " ".join(words)
    over = [found.page for found in SearchIndex([*pages, *added], base=base).search(query, limit)]
    alone = [found.page for found in base.search(query, limit)]
    kept = [page for page in over if not page.altered_by]
    assert kept == alone[: len(kept)]
    assert kept == alone or len(over) == limit
