"""Texts as the index reads them: letters, numbers, languages, sites, snippets, documents."""

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.world import Page, Post
from caia_replay.search.document import (
    LATEST,
    PAGES,
    POSTS,
    UNDATED,
    author_terms,
    page_document,
    page_order,
    post_document,
    post_order,
)
from caia_replay.search.language import is_stop_word, language_of, language_tag, language_terms, telling_parts
from caia_replay.search.site import site_place, site_terms
from caia_replay.search.snippet import SNIPPET_CHARS, snippet
from caia_replay.search.text import (
    SEPARATORS,
    bigram_text,
    bigrams,
    cjk_runs,
    latin,
    marks,
    normalised,
    plain_numbers,
    unigram_text,
)


def test_chinese_runs_are_parted_from_latin_words():
    """A ticker glued to Chinese text is a word of its own; pairs overlap in a run and never reach across a break."""
    assert latin("BTC价格上涨now").split() == ["BTC", "now"]
    assert cjk_runs("BTC价格上涨now以太") == ["价格上涨", "以太"]
    assert bigrams("价格上涨") == ["价格", "格上", "上涨"]
    assert bigram_text("价格, 上涨") == "价格 | 上涨" and unigram_text("上涨上 x") == "上 涨"
    assert normalised("ＢＴＣ\ud800") == "BTC\N{REPLACEMENT CHARACTER}"


@given(st.integers(0, 10**15), st.sampled_from(SEPARATORS), st.sampled_from(["", ".25", " x", ", and"]))
def test_a_number_reads_the_same_with_and_without_separators(number, separator, tail):
    """Groups of three digits behind one to three are one number; other lists of digits stay as they are."""
    grouped = f"{number:,}".replace(",", separator)
    assert plain_numbers(f"a ${grouped}{tail}") == f"a ${number}{tail}"
    for text in ("10,20,30", "2024,100 users", "1,2345", "v1,234", "1.5,000", "12,34,567", "a,b"):
        assert plain_numbers(text) == text


def test_marks_are_tags_mentions_and_tickers():
    """In lower case, each once, sorted; amounts, mail addresses and what is glued to a word are none."""
    assert marks("$AAVE up, $aave! #DeFi by @Some_One (#以太坊)") == ["#defi", "#以太坊", "$aave", "@some_one"]
    assert marks("$100 me@here.example x#y") == []


@given(st.integers(0, 60), st.integers(0, 60))
def test_thirty_percent_of_chinese_letters_make_a_chinese_text(chinese, latin):
    """The share is of letters, so that digits and signs have no say."""
    text = "价" * chinese + " 123 $% " + "a" * latin
    assert language_of(text) == ("zh" if chinese and chinese * 10 >= 3 * (chinese + latin) else "en")


def test_a_language_tag_is_read_or_is_none():
    """Tags compare in lower case; what is no tag is empty; untold or unreadable, a document's script decides."""
    tags = {"ZH": "zh", "zh_CN": "zh-cn", " en ": "en", "": "", "中文": "", "e!": "", "english": ""}
    for typed, tag in tags.items():
        assert language_tag(typed) == tag
    assert language_terms("zh-TW", "plain words") == ["zh", "zh-tw"]
    assert language_terms("", "plain words") == language_terms("?", "plain words") == ["en"]
    assert language_terms("", "以太坊质押 ETH") == ["zh"]


def test_stop_words_are_known_with_their_punctuation():
    """What, what's and "what?" are one; a word about a subject is none."""
    assert is_stop_word("What") and is_stop_word("what's") and is_stop_word("what’s") and is_stop_word('"the"?')
    assert not is_stop_word("supply") and not is_stop_word("whatever")


def test_a_chinese_question_is_parted_at_its_particles():
    """Question words and particles go, single characters between them too; alone they leave nothing."""
    assert telling_parts("代币的最大供应量是多少") == ["代币", "最大供应量"]
    assert telling_parts("请问团队持有多少") == ["团队持有"]
    assert telling_parts("量是多少最大") == ["最大"]
    assert telling_parts("是什么") == telling_parts("的") == []


def test_site_terms_are_hosts_parents_and_path_prefixes():
    """site: may name a host, a parent domain, or a host with the beginning of a path, with or without scheme."""
    terms = site_terms("https://www.docs.Aave.com:443/v3/risk?x=1#y")
    assert terms == ["docs.aave.com", "aave.com", "com", "docs.aave.com/v3", "docs.aave.com/v3/risk"]
    assert site_terms("") == site_terms("https://[broken") == [] and site_place("http://[broken") == ""
    assert site_place("https://WWW.aave.com/docs/") == site_place("aave.com/docs") == "aave.com/docs"


@given(st.text(max_size=60))
def test_any_text_names_a_site_or_none(text):
    """Nothing raises, and what can be read is one of the terms of its own address."""
    place = site_place(text)
    assert not place or place.partition("/")[0] in site_terms(text)


def test_a_snippet_shows_where_the_words_stand_together():
    """The window with most different words wins over an earlier, poorer one; without a match, the beginning."""
    text = "price alone here. " + "filler words go on. " * 40 + "the price of aave in march. " + "tail " * 100
    assert "price of aave in march" in snippet(text, ["price", "aave", "march"])
    shown = snippet("beginning " + "word " * 200, ["absent"])
    assert shown.startswith("beginning word") and shown.endswith(" …")
    assert snippet("short", ["absent"]) == "short"


@given(st.text(max_size=600), st.lists(st.text(min_size=1, max_size=5), max_size=4))
def test_a_snippet_is_short_and_made_of_the_page(text, words):
    """Any text gives a snippet of bounded length whose words all stand in the page."""
    shown = snippet(text, words)
    assert len(shown) <= SNIPPET_CHARS + 4
    assert shown.removeprefix("… ").removesuffix(" …").strip() in re.sub(r"\s+", " ", text)


def test_a_snippet_finds_numbers_and_chinese_pairs():
    """1234567 stands on the page as 1,234,567; a pair needs no beginning of a word, Latin beginnings do."""
    text = "word " * 200 + "the treasury held 1,234,567 dollars " + "tail " * 200
    assert "held 1,234,567 dollars" in snippet(text, ["1234567"])
    text = "开头" * 200 + "质押收益很高" + "结尾" * 200
    assert "质押收益" in snippet(text, ["收益"])
    assert snippet("xx restaking " + "y " * 300, ["staking"]).startswith("xx")


def test_more_words_than_the_limit_cost_no_more():
    """Only the first words of a list decide where to cut."""
    text = "alpha " + "filler " * 100 + "omega"
    words = [f"absent{i}" for i in range(40)]
    assert snippet(text, [*words, "omega"]).startswith("alpha")
    assert "omega" in snippet(text, ["omega", *words])


PAGE = Page("https://a.example/", "Title", "words", 20, "", "Ilse Varn", "en", 10)
POST = Post("12", "some_one", "words", 30, "12")


def test_a_page_is_dated_by_its_date_and_undated_by_its_first_sight():
    """Neither known, there is no moment, which the index holds before any other; a post has no title."""
    assert page_document(PAGE).moment == 20
    assert page_document(replace(PAGE, published=None)).moment == 10
    never = page_document(Page("https://a.example/", "Title", "words", None))
    assert never.moment is None and never.stored_moment == UNDATED
    read = post_document(POST)
    assert (read.title, read.text, read.moment, read.author) == ("", "words", 30, "some_one")
    assert read.url == "https://x.com/some_one/status/12"


@given(st.integers(-(2**80), 2**80), st.integers(-(2**80), 2**80))
def test_moments_keep_their_order_in_the_index(one, other):
    """Moments beyond what the index can hold are kept at its ends, and are never undated."""
    first, second = (page_document(Page("u", "", "", moment)).stored_moment for moment in sorted((one, other)))
    assert UNDATED < first <= second <= LATEST


def test_authors_are_named_whole_or_by_a_word_of_their_name():
    """Case, an @ and white space do not count."""
    assert author_terms(" Ilse  Varn ") == ["ilse", "ilse varn", "varn"]
    assert author_terms("@Some_One") == ["some_one"]
    assert author_terms("") == []


def test_pages_stand_by_address_and_posts_newest_first():
    """The higher id is the newer of two posts of one second, whatever its number of digits."""
    pages = [Page(f"https://{name}.example/", "", "", None) for name in "bac"]
    assert [page.url[8] for page in sorted(pages, key=page_order)] == ["a", "b", "c"]
    posts = [Post(name, "a", "", created, "1") for name, created in (("9", 5), ("10", 5), ("1", 7), ("x", 5))]
    assert [post.id for post in sorted(posts, key=post_order)] == ["1", "10", "9", "x"]


def test_the_order_tells_any_two_apart():
    """Documents that differ in one field alone have different places."""
    changes = dict.fromkeys(("title", "text", "url", "altered_by", "author", "language"), "x") | {"published": None}
    pages = [PAGE, *(replace(PAGE, **{name: value}) for name, value in (changes | {"first_seen": 11}).items())]
    assert len({PAGES.order(page) for page in pages}) == len(pages) == 9
    changes = dict.fromkeys(("created", "likes", "reposts", "replies"), 7)
    changes |= dict.fromkeys(("id", "author", "text", "thread", "reply_to", "language", "altered_by"), "7")
    posts = [POST, *(replace(POST, **{name: value}) for name, value in changes.items())]
    assert len({POSTS.order(post) for post in posts}) == len(posts) == 12
