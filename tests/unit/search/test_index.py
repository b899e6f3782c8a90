"""Pages and posts as they are searched."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.world import Page, Post
from caia_replay.search.index import PostIndex, SearchIndex
from caia_replay.search.window import Window, day_start

WORDS = ["aave", "price", "total", "value", "locked", "bridge", "hack", "yield", "staking", "token", "unlock", "march"]
MARCH = day_start(2025, 3, 1)


def _corpus(count: int = 60) -> list[Page]:
    draw = random.Random(7)
    pages = [
        Page(
            url=f"https://site{i % 5}.example/{i:03d}",
            title=" ".join(draw.choices(WORDS, k=4)),
            text=" ".join(draw.choices(WORDS, k=60)),
            published=None if i % 7 == 0 else 1_000 + i,
            first_seen=1_000 + i if i % 14 == 0 else None,
            author="Ilse Varn" if i % 3 == 0 else "",
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


def _since(page: Page) -> float:
    return math.inf if page.known_since is None else page.known_since


def _posts() -> list[Post]:
    draw, words = random.Random(8), [*WORDS, "$AAVE", "#DeFi", "@writer1"]
    return [
        Post(str(100 + i), f"writer{i % 4}", " ".join(draw.choices(words, k=12)), MARCH + i // 2 * 7_200, "100",
             language="zh" if i % 9 == 0 else "")
        for i in range(50)
    ]  # fmt: skip


POSTS = PostIndex(_posts())


def _ids(query: str, limit: int = 10, **how: object) -> list[str]:
    return [hit.post.id for hit in POSTS.search(query, limit, **how)]


@settings(max_examples=15)
@given(st.randoms(use_true_random=False), st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
def test_the_order_of_pages_does_not_matter(shuffler, words):
    """The same pages in any order give identical rankings, snippets included."""
    pages = _corpus()
    shuffler.shuffle(pages)
    query = " ".join(words)
    assert SearchIndex(pages).search(query, 10) == INDEX.search(query, 10)


@given(st.text(max_size=80) | st.text(alphabet='"-:*()[]{}^~\\+!?@#$ sitefrolang以太质押aAND025', max_size=40))
def test_no_query_raises(query):
    """Any text is searched among both; what finds nothing gives an empty tuple."""
    assert isinstance(INDEX.search(query, 5, 1_030), tuple)
    assert isinstance(INDEX.search(f"{query} 2024-04-07 2024年4月8日", 5), tuple)
    assert isinstance(POSTS.search(query, 5, MARCH + 9), tuple)


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3), st.integers(-(2**70), 2**70))
def test_nothing_published_later_is_returned(words, until):
    """Exactly the matching pages dated, or first seen, up to the moment are found; without one, undated ones too."""
    query = " ".join(words)
    everything = INDEX.search(query, 1_000)
    visible = INDEX.search(query, 1_000, until)
    allowed = [hit.page for hit in everything if _since(hit.page) <= until]
    assert [hit.page for hit in visible] == allowed


def test_a_title_weighs_more_than_a_body():
    """The same word ranks higher in a title; twins come in the order of their addresses, however many, each once."""
    titles = {"a": ("Notes", "restaking"), "b": ("Restaking", "notes")}
    pages = [Page(f"https://{name}.example/", title, f"{word} and other words of the day", None)
             for name, (title, word) in titles.items()]  # fmt: skip
    assert [hit.page.url[8] for hit in SearchIndex(pages).search("restaking", 2)] == ["b", "a"]
    twins = [Page(f"https://h.example/{i:04d}", "Twin", "same words", 1) for i in range(700)]
    index = SearchIndex(twins[::-1])
    shown = [hit.page.url for at in range(0, 700, 7) for hit in index.search("twin words", 7, offset=at)]
    assert shown == [page.url for page in twins]


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


def test_minus_leaves_pages_out_and_phrases_stand_in_order():
    """Excluded words and sites never appear; quoted words are found together; a plural is its singular."""
    for hit in INDEX.search("aave -hack -site:site1.example", 100):
        assert "hack" not in f"{hit.page.title} {hit.page.text}" and "site1" not in hit.page.url
    hits = INDEX.search('"total value locked"', 100)
    assert hits and all("total value locked" in f"{hit.page.title} | {hit.page.text}" for hit in hits)
    assert _urls('"threshold liquidation"') == [] and _urls('"liquidation threshold"') != []
    assert "https://docs.aave.example/v3/risk" in _urls("parameter liquidations", 100)


def test_what_is_nowhere_gives_an_empty_tuple():
    """Finding nothing is a fact about the index; an offset before the first result is a mistake of the caller's."""
    assert INDEX.search("zzzunknownzzz", 10) == INDEX.search("aave", 0) == SearchIndex([]).search("aave", 10) == ()
    assert INDEX.search("aave", 10, offset=10_000) == ()
    with pytest.raises(ValueError, match="offset is -1"):
        INDEX.search("aave", 10, offset=-1)


def test_an_index_in_a_folder_ranks_like_one_in_memory(tmp_path):
    """Built, and opened again, on disk: the same results; another corpus, and posts, have places of their own."""
    first, again = SearchIndex(_corpus(), tmp_path), SearchIndex(_corpus(), tmp_path)
    assert first.search("aave price", 20) == again.search("aave price", 20) == INDEX.search("aave price", 20)
    assert len(list(tmp_path.iterdir())) == 1
    assert len(SearchIndex(_corpus(5), tmp_path)) == 7 and len(list(tmp_path.iterdir())) == 2
    posts, posts_again = PostIndex(_posts(), tmp_path), PostIndex(_posts(), tmp_path)
    assert posts.search("aave", 20) == posts_again.search("aave", 20) == POSTS.search("aave", 20)
    assert len(list(tmp_path.iterdir())) == 3 and len(posts) == 50


@settings(max_examples=20)
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


def test_pages_are_found_by_author_language_and_day():
    """author:, lang: and a window of days, each alone and beside words; what is undated is in no window."""
    assert set(_urls("author:varn", 100)) == {page.url for page in _corpus() if page.author}
    assert _urls("lang:zh") == ["https://zh.example/1"]
    assert "https://zh.example/1" not in _urls("-lang:zh 上涨 aave", 100)
    pages = [Page(f"https://d.example/{i}", "Note", "word", MARCH + i * 43_200) for i in range(4)]
    dated = SearchIndex([*pages, Page("https://d.example/u", "Note", "word", None)])
    assert [hit.page.url[-1] for hit in dated.search("word since:2025-03-01 until:2025-03-02", 9)] == ["0", "1"]
    assert [hit.page.url[-1] for hit in dated.search("after:2025-03-02", 9)] == ["2", "3"]
    assert [hit.page.url[-1] for hit in dated.search("word", 9, window=Window(MARCH + 1, MARCH + 86_400))] == ["1"]
    assert len(dated.search("word", 9)) == 5
    assert [hit.page.url[-1] for hit in dated.search("word", 9, MARCH + 43_200)] == ["0", "1"]


@given(
    st.lists(st.sampled_from([*WORDS, "$AAVE", "#defi", "since:2025-03-01"]), min_size=1, max_size=3),
    st.lists(st.integers(1, 9), min_size=1, max_size=8),
    st.booleans(),
)
def test_pages_of_results_are_one_list(words, sizes, newest_first):
    """Result pages of any sizes follow one another without a gap or a repetition, and their ranks go on."""
    query = " ".join(words)
    whole, posts = INDEX.search(query, 100), POSTS.search(query, 100, newest_first=newest_first)
    at = 0
    for size in sizes:
        assert INDEX.search(query, size, offset=at) == whole[at : at + size]
        assert POSTS.search(query, size, offset=at, newest_first=newest_first) == posts[at : at + size]
        at += size
    assert [hit.rank for hit in posts] == list(range(1, len(posts) + 1))


def test_posts_are_found_by_handle_day_language_and_mark():
    """from:, since:, until:, lang:, a $TICKER and a #tag, together and with a minus; alone they list newest first."""
    posts = {post.id: post for post in _posts()}
    assert _ids("from:@WRITER2", 100) == [found for found in reversed(posts) if posts[found].author == "writer2"]
    assert {posts[found].author for found in _ids("aave -from:writer2", 100)} == {"writer0", "writer1", "writer3"}
    day = [found for found in reversed(posts) if MARCH <= posts[found].created < MARCH + 86_400]
    assert sorted(_ids("since:2025-03-01 until:2025-03-02", 100)) == sorted(day) and 0 < len(day) < 50
    assert _ids("lang:zh", 100) == [found for found in reversed(posts) if posts[found].language == "zh"]
    for mark in ("$AAVE", "#DeFi", "@writer1"):
        assert set(_ids(mark.lower(), 100)) == {found for found in posts if mark in posts[found].text}
    assert set(_ids("aave", 100)) > set(_ids("$aave", 100))
    assert _ids("site:x.com/writer2 lang:zh", 100) == _ids("from:writer2 lang:zh", 100)


def test_posts_come_by_relevance_or_newest_first():
    """The same posts either way, none of them from after the world's moment."""
    until = MARCH + 86_400
    ranked, newest = (
        _ids("aave bridge", 100, visible_until=until),
        _ids("aave bridge", 100, visible_until=until, newest_first=True),
    )
    created = {post.id: post.created for post in _posts()}
    assert sorted(ranked) == sorted(newest) and ranked != newest
    assert newest == sorted(newest, key=lambda found: (-created[found], -int(found)))
    assert all(created[found] <= until for found in ranked)


def test_a_base_may_be_empty():
    """A world without posts can be planted into; everything found is then planted."""
    added = Post("9", "liar", "word", MARCH, "9", altered_by="crowd")
    assert [hit.post for hit in PostIndex([added], base=PostIndex([])).search("word", 3)] == [added]
    page = Page("https://p.example/", "Word", "word", 1)
    assert [hit.page for hit in SearchIndex([page], base=SearchIndex([])).search("word", 3)] == [page]
