import re

from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.search.document import (
    SNIPPET_CHARS,
    bigram_text,
    bigrams,
    cjk_runs,
    latin,
    normalised,
    site_place,
    site_terms,
    snippet,
    unigram_text,
)


def test_normalised_text_can_always_be_indexed():
    """Lone surrogates go, full-width letters become ordinary ones."""
    assert normalised("ＢＴＣ\ud800") == "BTC\N{REPLACEMENT CHARACTER}"


def test_chinese_runs_are_parted_from_latin_words():
    """A ticker glued to Chinese text is a word of its own."""
    assert latin("BTC价格上涨now").split() == ["BTC", "now"]
    assert cjk_runs("BTC价格上涨now以太") == ["价格上涨", "以太"]


def test_bigrams_overlap_and_never_reach_across_a_break():
    """Pairs overlap inside a run; between two runs there is a break."""
    assert bigrams("价格上涨") == ["价格", "格上", "上涨"]
    assert bigram_text("价格, 上涨") == "价格 | 上涨"
    assert unigram_text("上涨上 x") == "上 涨"


def test_site_terms_are_hosts_parents_and_path_prefixes():
    """site: may name a host, a parent domain, or a host with the beginning of a path."""
    terms = site_terms("https://www.docs.Aave.com:443/v3/risk?x=1#y")
    assert terms == ["docs.aave.com", "aave.com", "com", "docs.aave.com/v3", "docs.aave.com/v3/risk"]
    assert site_terms("") == site_terms("https://[broken") == []


def test_a_site_reads_the_same_with_and_without_scheme():
    """What stands after site: is a host, a host and path, or a whole URL."""
    assert site_place("https://WWW.aave.com/docs/") == site_place("aave.com/docs") == "aave.com/docs"
    assert site_place("http://[broken") == ""


def test_a_snippet_shows_where_the_words_stand_together():
    """The window with most different words wins over an earlier, poorer one."""
    text = "price alone here. " + "filler words go on. " * 40 + "the price of aave in march. " + "tail " * 100
    assert "price of aave in march" in snippet(text, ["price", "aave", "march"])


def test_a_snippet_without_match_is_the_beginning():
    """Nothing found means the first characters, with an ellipsis at the cut end only."""
    text = "beginning " + "word " * 200
    shown = snippet(text, ["absent"])
    assert shown.startswith("beginning word") and shown.endswith(" …")
    assert snippet("short", ["absent"]) == "short"


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=600), st.lists(st.text(min_size=1, max_size=5), max_size=4))
def test_a_snippet_is_short_and_made_of_the_page(text, words):
    """Any text gives a snippet of bounded length whose words all stand in the page."""
    shown = snippet(text, words)
    assert len(shown) <= SNIPPET_CHARS + 4
    assert shown.removeprefix("… ").removesuffix(" …").strip() in re.sub(r"\s+", " ", text)
