import re

from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.search.snippet import SNIPPET_CHARS, snippet


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


def test_a_number_is_shown_with_its_separators():
    """What is typed as 1234567 stands on the page as 1,234,567, and is where the snippet begins to be cut."""
    text = "word " * 200 + "the treasury held 1,234,567 dollars " + "tail " * 200
    assert "held 1,234,567 dollars" in snippet(text, ["1234567"])


def test_chinese_pairs_are_found_inside_a_run():
    """A pair needs no beginning of a word; Latin beginnings of words do."""
    text = "开头" * 200 + "质押收益很高" + "结尾" * 200
    assert "质押收益" in snippet(text, ["收益"])
    assert snippet("xx restaking " + "y " * 300, ["staking"]).startswith("xx")


def test_more_words_than_the_limit_cost_no_more():
    """Only the first words of a list decide where to cut."""
    text = "alpha " + "filler " * 100 + "omega"
    words = [f"absent{i}" for i in range(40)]
    assert snippet(text, [*words, "omega"]).startswith("alpha")
    assert "omega" in snippet(text, ["omega", *words])
