"""Texts as the index reads them: letters, numbers, languages, sites, snippets, documents."""

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.world import Page, Post
from caia_replay.search.document import LATEST, PAGES, POSTS, UNDATED, page_document
from caia_replay.search.language import language_of, language_tag, language_terms
from caia_replay.search.site import site_place, site_terms
from caia_replay.search.snippet import SNIPPET_CHARS, snippet
from caia_replay.search.text import SEPARATORS, plain_numbers


@given(st.integers(0, 10**15), st.sampled_from(SEPARATORS), st.sampled_from(["", ".25", " x", ", and"]))
def test_a_number_reads_the_same_with_and_without_separators(number, separator, tail):
    """Groups of three digits behind one to three are one number; other lists of digits stay as they are."""
    grouped = f"{number:,}".replace(",", separator)
    assert plain_numbers(f"a ${grouped}{tail}") == f"a ${number}{tail}"
    for text in ("10,20,30", "2024,100 users", "1,2345", "v1,234", "1.5,000", "12,34,567", "a,b"):
        assert plain_numbers(text) == text


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


@given(st.integers(-(2**80), 2**80), st.integers(-(2**80), 2**80))
def test_moments_keep_their_order_in_the_index(one, other):
    """Moments beyond what the index can hold are kept at its ends, and are never undated."""
    first, second = (page_document(Page("u", "", "", moment)).stored_moment for moment in sorted((one, other)))
    assert UNDATED < first <= second <= LATEST


def test_the_order_tells_any_two_apart():
    """Documents that differ in one field alone have different places."""
    changes = dict.fromkeys(("title", "text", "url", "altered_by", "author", "language"), "x") | {"published": None}
    pages = [PAGE, *(replace(PAGE, **{name: value}) for name, value in (changes | {"first_seen": 11}).items())]
    assert len({PAGES.order(page) for page in pages}) == len(pages) == 9
    changes = dict.fromkeys(("created", "likes", "reposts", "replies"), 7)
    changes |= dict.fromkeys(("id", "author", "text", "thread", "reply_to", "language", "altered_by"), "7")
    posts = [POST, *(replace(POST, **{name: value}) for name, value in changes.items())]
    assert len({POSTS.order(post) for post in posts}) == len(posts) == 12
