import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**15), st.sampled_from(SEPARATORS), st.sampled_from(["", ".25", " x", ", and"]))
def test_a_number_reads_the_same_with_and_without_separators(number, separator, tail):
    """Groups of three digits behind one to three are one number, whatever stands between them and behind."""
    grouped = f"{number:,}".replace(",", separator)
    assert plain_numbers(f"a ${grouped}{tail}") == f"a ${number}{tail}"


@pytest.mark.parametrize("text", ["10,20,30", "2024,100 users", "1,2345", "v1,234", "1.5,000", "12,34,567", "a,b"])
def test_other_lists_of_digits_stay_as_they_are(text):
    """A comma that parts no thousands is left alone."""
    assert plain_numbers(text) == text


def test_marks_are_tags_mentions_and_tickers():
    """In lower case, each once, sorted; amounts, mail addresses and what is glued to a word are none."""
    assert marks("$AAVE up, $aave! #DeFi by @Some_One (#以太坊)") == ["#defi", "#以太坊", "$aave", "@some_one"]
    assert marks("$100 me@here.example x#y") == []
