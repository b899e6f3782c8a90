"""Articles on prices."""

from __future__ import annotations

from itertools import islice

from caia_replay.origin.web import market_news
from caia_replay.origin.web.market_news import english, movers
from caia_replay.origin.web.truth import Truth


def test_two_calls_give_the_same_pages(truth: Truth) -> None:
    """In the same order, word for word."""
    assert list(islice(market_news.pages(truth), 60)) == list(islice(market_news.pages(truth), 60))


def test_movers_are_sorted_by_change(truth: Truth) -> None:
    """Best first; neither dollars nor wrapped coins among them."""
    at = truth.midnight(50)
    found = movers(truth, at, 24)
    changes = [truth.change_ppm(id, at, 24) or 0 for id in found]
    assert changes == sorted(changes, reverse=True)
    assert not {truth.subjects[id].role for id in found} & {"dollar", "wrapped"}
    assert len(found) > 20


def test_a_flash_names_coin_ticker_and_date(truth: Truth) -> None:
    """Plain questions must find it."""
    for one in islice(market_news.pages(truth), 60):
        claim = next(claim for claim in one.claims if claim.kind in ("price", "cap"))
        subject = truth.subjects[claim.subject]
        assert {subject.name in one.page.text or subject.ticker in one.page.text, "UTC" in one.page.text} == {True}


def test_english_outlets_write_english(truth: Truth) -> None:
    """All manners, and one of them alone."""
    assert {one.language for one in english(truth, "")} == {"en"}
    assert [one.manner for one in english(truth, "daily")] == ["daily", "daily"]
