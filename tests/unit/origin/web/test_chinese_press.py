"""Tests of how Chinese pages are put together: gaps, paragraphs, addresses, and the story's end."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.origin.dice import Dice
from caia_replay.origin.web.chinese_fact import ChineseFacts
from caia_replay.origin.web.chinese_press import ChinesePress, Piece, closed, paragraphs, slug
from caia_replay.origin.web.fact_sheet import FactSheet
from caia_replay.origin.web.prose import Written
from caia_replay.origin.web.truth import Truth


def test_blanks_between_chinese_characters_are_closed() -> None:
    """A blank stays beside Latin letters and digits only."""
    assert closed("日 零点，报 3.1 万美元 入账。 完") == "日零点，报 3.1 万美元入账。完"


@given(st.text(alphabet="零点报 0123456789.,万美元AZ）。", max_size=60))
def test_closing_loses_blanks_only_and_is_done_once(text: str) -> None:
    """Nothing but blanks goes, and a closed text has none to close."""
    assert closed(text).replace(" ", "") == text.replace(" ", "")
    assert closed(closed(text)) == closed(text)


@given(st.lists(st.sampled_from(["甲。", "乙。", "丙。"]), max_size=12), st.integers(0, 99))
def test_paragraphs_keep_every_sentence_in_order(said: list[str], place: int) -> None:
    """Cutting into paragraphs changes nothing but the breaks."""
    made = paragraphs([Written(one, ()) for one in said], Dice(str(place)))
    assert made.text.replace("\n\n", "") == "".join(said)


def test_an_address_is_lower_case_and_ascii() -> None:
    """Names become words joined by hyphens."""
    assert slug("LJTC 09") == "ljtc-09"
    assert slug("更正 vote_open 3") == "vote-open-3"


def test_nothing_is_printed_after_the_end(truth: Truth) -> None:
    """A piece of the last hour of the story is not published; one before it is, with the claims that it states."""
    outlet = next(one for one in truth.cast.newsrooms if one.language == "zh" and one.manner == "wire")
    press, facts = ChinesePress(truth, "test", ("chinese_wire", "chinese_context")), ChineseFacts(truth)
    at, id = truth.midnight(12), truth.subject("lend").id
    slots = FactSheet(facts.chain(at), facts.when(at), facts.coin(id, at, truth.dice("test")))
    piece = Piece("a", "flash", "kx", at + 60, slots, "title", "lede", ("coin_cap", "chain_tvl", "no such"), 3)
    page = press.article(outlet, piece)
    assert page is not None and page.page.language == "zh" and page.page.author in outlet.authors
    assert page.claims and all(one.words in page.page.text + page.page.title for one in page.claims)
    assert press.article(outlet, replace(piece, published=press.last_moment + 1)) is None
