"""Reprints."""

from __future__ import annotations

from itertools import islice

from caia_replay.origin.web import market_news
from caia_replay.origin.web.syndicated import reprints
from caia_replay.origin.web.truth import Truth


def test_a_reprint_says_what_its_original_says(truth: Truth) -> None:
    """Nearly word for word, later, on the syndicate's site, and it says where it comes from."""
    originals = list(islice(market_news.pages(truth), 40))
    known = {one.page.url: one for one in originals}
    copies = list(reprints(truth, originals))
    assert len(copies) > 30
    for one in copies:
        first = known[one.copy_of]
        assert first.page.text in one.page.text
        assert set(first.claims) == set(one.claims)
        assert (one.page.published or 0) > (first.page.published or 0)
        assert one.page.url.split("/")[2] != first.page.url.split("/")[2]


def test_two_calls_give_the_same_pages(truth: Truth) -> None:
    """In the same order, word for word."""
    originals = list(islice(market_news.pages(truth), 20))
    assert list(reprints(truth, originals)) == list(reprints(truth, originals))
