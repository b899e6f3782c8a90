"""What holds of every page that any writer of the web makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from caia_replay.origin.web.page import WebPage
from caia_replay.origin.web.shingle import alike, shingles
from caia_replay.origin.web.truth import Truth

MOST_ALIKE = Fraction(1, 100)
"""The share of a writer's pages that may have a near copy, names and numbers masked."""


def known(one: WebPage) -> int:
    """From when on a page is there."""
    moment = one.page.known_since
    assert moment is not None, one.page.url
    return moment


def check_pages(truth: Truth, pages: Sequence[WebPage]) -> None:
    """Addresses are unique and within the story, claims are printed letter by letter and not before they could be
    known, and no slot of a phrase book is left open. Raises ``AssertionError``."""
    addresses = Counter(one.page.url for one in pages)
    assert [url for url, times in addresses.items() if times > 1] == []
    last = truth.midnight(truth.days) - 3_600
    for one in pages:
        page = one.page
        assert page.url == page.url.lower() and ".example/" in page.url
        assert known(one) <= last, page.url
        assert not {"{", "}"} & set(page.title + page.text), page.url
        for claim in one.claims:
            assert claim.words in page.title or claim.words in page.text, (page.url, claim.words)
            assert claim.moment <= known(one), (page.url, claim.kind)


def check_writer(truth: Truth, write: Callable[[Truth], Iterable[WebPage]], pages: Sequence[WebPage]) -> None:
    """``check_pages``, and: a second writing is the first one again, and few pages are alike."""
    check_pages(truth, pages)
    assert list(write(truth)) == list(pages)
    sets = [shingles(one.page.text, frozenset()) for one in pages]
    found = {place for pair in alike(sets, Fraction(1, 2)) for place in (pair.first, pair.second)}
    assert len(found) < MOST_ALIKE * len(pages)
