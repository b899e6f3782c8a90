"""Tests of the Chinese newsrooms: what they state, when, how often they err, and that they hardly repeat themselves."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from caia_replay.origin.web import chinese_news
from caia_replay.origin.web.page import WebPage
from caia_replay.origin.web.shingle import alike, shingles
from caia_replay.origin.web.truth import Truth
from caia_replay.origin.web.web import masked_names, page_faults


@pytest.fixture(scope="module")
def pages(truth: Truth) -> list[WebPage]:
    """Everything the newsrooms publish."""
    return list(chinese_news.pages(truth))


def test_every_page_keeps_the_rules(truth: Truth, pages: list[WebPage]) -> None:
    """Claims stand in the text, nothing is told before it was the case, addresses are unique, all is Chinese."""
    assert [(made.page.url, fault) for made in pages for fault in page_faults(made, truth)] == []
    assert len({made.page.url for made in pages}) == len(pages) > 400
    assert {made.page.language for made in pages} == {"zh"}
    assert all(made.page.published is not None for made in pages)


def test_two_calls_give_equal_pages(truth: Truth, pages: list[WebPage]) -> None:
    """Chance follows from names alone."""
    assert list(chinese_news.pages(truth)) == pages


def test_few_pages_err(pages: list[WebPage]) -> None:
    """Most pages are true; some tell an old figure, some a wrong one, some a rumour that is called one."""
    share = Counter(status for made in pages for status in {claim.status for claim in made.claims})
    assert 0.02 < share["stale"] / len(pages) < 0.07
    assert 0.005 < share["mistaken"] / len(pages) < 0.04
    assert 0.01 < share["rumour"] / len(pages) < 0.05
    told = [made for made in pages if any(claim.status == "rumour" for claim in made.claims)]
    marks = ("传言", "未经证实", "传闻", "爆料", "流传", "未获证实", "真假难辨", "无法独立核实")
    assert all(any(mark in made.page.text for mark in marks) for made in told)


def test_true_prices_are_the_prices_of_their_hour(truth: Truth, pages: list[WebPage]) -> None:
    """A price that is told as true is within half a step of the book's."""
    for claim in (claim for made in pages for claim in made.claims):
        if (claim.kind, claim.status) == ("price", "true") and not isinstance(claim.value, str):
            assert abs(claim.value - truth.price_usd(claim.subject, claim.moment)) <= claim.step / 2


def test_no_page_is_another_with_a_name_swapped(truth: Truth, pages: list[WebPage]) -> None:
    """With names and numbers masked, fewer than one page in a hundred is like another."""
    names = masked_names(truth)
    pairs = alike([shingles(made.page.text, names) for made in pages], Fraction(1, 2))
    assert len({place for pair in pairs for place in (pair.first, pair.second)}) < len(pages) / 100


def test_the_mover_that_is_called_best_is_best(truth: Truth) -> None:
    """Movers are in the order of their change, and dollars are none of them."""
    at = truth.midnight(40) + 3_600
    moved = chinese_news.movers(truth, at)
    change = [truth.change_ppm(id, at, 24) or 0 for id in moved]
    assert change == sorted(change, reverse=True)
    assert truth.subject("dollar").id not in moved


def test_a_correction_names_the_page_and_the_right_price(pages: list[WebPage]) -> None:
    """It links to a page that told a mistaken price, comes after it, and states a true one."""
    by_url = {made.page.url: made for made in pages}
    for made in (made for made in pages if made.kind == "correction"):
        wrong = next(one for url, one in by_url.items() if f"({url})" in made.page.text)
        assert any(claim.status == "mistaken" for claim in wrong.claims)
        assert (made.page.published or 0) > (wrong.page.published or 0)
        assert {claim.status for claim in made.claims} == {"true"}
