"""Everything the English newsrooms publish, held against the laws of the web."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction

import pytest

from caia_replay.origin.web import news
from caia_replay.origin.web.page import WebPage
from caia_replay.origin.web.truth import Truth


@pytest.fixture(scope="module")
def pages(truth: Truth) -> list[WebPage]:
    """All of them."""
    return list(news.pages(truth))


def test_there_are_many_pages_by_every_outlet(truth: Truth, pages: list[WebPage]) -> None:
    """With addresses of their own, and authors of the outlet's."""
    assert len(pages) >= 1_400
    assert max(Counter(one.page.url for one in pages).values()) == 1
    sites = Counter(one.page.url.split("/")[2] for one in pages)
    english = [one for one in truth.cast.newsrooms if one.language == "en"]
    assert set(sites) == {one.site for one in english}
    assert min(sites.values()) > 100
    known = {name for one in english for name in one.authors}
    assert {one.page.author for one in pages} <= known


def test_every_claim_stands_in_its_page_letter_by_letter(pages: list[WebPage]) -> None:
    """In the title or in the text."""
    for one in pages:
        for claim in one.claims:
            assert claim.words in one.page.title or claim.words in one.page.text, (one.page.url, claim)


def test_nobody_tells_of_the_future(truth: Truth, pages: list[WebPage]) -> None:
    """Pages come after what they claim, and before the story's end."""
    for one in pages:
        assert one.page.published is not None
        assert one.page.published <= truth.midnight(truth.days) - 3_600
        assert all(claim.moment <= one.page.published for claim in one.claims), one.page.url


def test_true_prices_are_the_books(truth: Truth, pages: list[WebPage]) -> None:
    """Within half of the last digit written; mistaken ones are further off."""
    seen: Counter[str] = Counter()
    for claim in {claim for one in pages for claim in one.claims if claim.kind == "price"}:
        assert isinstance(claim.value, Fraction)
        off = abs(truth.price_usd(claim.subject, claim.moment) - claim.value)
        assert (off <= claim.step / 2) == (claim.status in ("true", "stale"))
        seen[claim.status] += 1
    assert set(seen) == {"true", "stale", "mistaken"}


def test_statuses_keep_their_shares(pages: list[WebPage]) -> None:
    """Most pages are true; some are stale, rumour or mistaken; few claim nothing."""
    shares = Counter(status for one in pages for status in {claim.status for claim in one.claims})
    assert 2 < 100 * shares["stale"] / len(pages) < 7
    assert 1 < 100 * shares["mistaken"] / len(pages) < 4
    assert 1.5 < 100 * shares["rumour"] / len(pages) < 5
    assert sum(not one.claims for one in pages) < len(pages) // 50


def test_prose_has_no_seams(pages: list[WebPage]) -> None:
    """No slot left open, no odd space; lengths of articles."""
    for one in pages:
        prose = "\n".join(line for line in one.page.text.splitlines() if not line.startswith("|"))
        assert not re.search(r"[{}|]|\[\]| ,| \.|  ", prose), one.page.url
        assert 50 <= len(one.page.text.split()) <= 450, one.page.url


def test_reprints_and_corrections_follow_what_was_written(pages: list[WebPage]) -> None:
    """Both name pages that exist."""
    known = {one.page.url for one in pages}
    copies = [one for one in pages if one.copy_of]
    assert 100 <= len(copies) <= 160
    assert {one.copy_of for one in copies} <= known
    fixed = [one for one in pages if one.kind == "correction"]
    assert fixed
    for one in fixed:
        assert any(url in known for url in re.findall(r"\]\((https://[^)]+)\)", one.page.text))
