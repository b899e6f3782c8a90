"""Articles on money and people."""

from __future__ import annotations

import pytest

from caia_replay.origin.web import funding_news
from caia_replay.origin.web.page import WebPage
from caia_replay.origin.web.truth import Truth


@pytest.fixture(scope="module")
def pages(truth: Truth) -> list[WebPage]:
    """All of them."""
    return list(funding_news.pages(truth))


def test_two_calls_give_the_same_pages(truth: Truth, pages: list[WebPage]) -> None:
    """In the same order, word for word."""
    assert list(funding_news.pages(truth)) == pages


def test_each_round_is_told_by_several_outlets(truth: Truth, pages: list[WebPage]) -> None:
    """After it closed, with its sum, in different words."""
    rounds = {one.project: one for one in truth.rounds}
    told = [one for one in pages if one.kind == "funding"]
    tellers: dict[str, set[str]] = {}
    for page in told:
        claim = next(claim for claim in page.claims if claim.kind == "round")
        tellers.setdefault(claim.subject, set()).add(page.page.text)
        assert page.page.published is not None
        assert page.page.published > rounds[claim.subject].closed_at
    assert set(tellers) == set(rounds)
    assert min(len(texts) for texts in tellers.values()) >= 3


def test_rumours_are_marked_as_such(pages: list[WebPage]) -> None:
    """In plain words, on the page that tells them."""
    doubtful = [one for one in pages if one.page.url.split("/")[3] == "rumours"]
    assert doubtful
    for one in doubtful:
        text = (one.page.title + one.page.text).lower()
        assert any(word in text for word in ("rumour", "unconfirmed", "not to be named"))


def test_a_denial_links_to_the_rumour(pages: list[WebPage]) -> None:
    """To a page that came before it, where it links at all."""
    known = {one.page.url: one.page.published or 0 for one in pages}
    linked = [
        (url, one.page.published)
        for one in pages
        for url in known
        if f"]({url})" in one.page.text and one.page.url != url
    ]
    assert linked
    for url, published in linked:
        assert published is not None
        assert known[url] < published


def test_every_listing_tells_the_first_price(truth: Truth, pages: list[WebPage]) -> None:
    """Of each coin that has one."""
    listed = {claim.subject for one in pages if one.kind == "listing" for claim in one.claims if claim.kind == "price"}
    expected = {id for id, one in truth.subjects.items() if one.role not in ("dollar", "wrapped")}
    assert len(expected & listed) > len(expected) * 3 // 4
