"""Notices of the custodial venue."""

from __future__ import annotations

import pytest

from caia_replay.origin.web import notice, place
from caia_replay.origin.web.page import WebPage
from caia_replay.origin.web.truth import Truth
from tests.site_law import check


@pytest.fixture(scope="module")
def pages(truth: Truth) -> tuple[WebPage, ...]:
    """Everything the writer makes of the small economy."""
    return tuple(notice.pages(truth))


def test_pages_keep_the_laws_of_the_web(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """Claims stand in the text, hold at their moments and are told no earlier; addresses are unique."""
    check(truth, pages)


def test_equal_truths_give_equal_pages(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """A second call makes the same pages in the same order."""
    assert tuple(notice.pages(truth)) == pages


def test_every_traded_coin_was_listed(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """A listing notice for each coin that the venue trades, before its first day."""
    found = {one.page.url: one.page for one in pages}
    for coin in truth.book.coins:
        if coin.traded:
            page = found[place.notice(truth, f"listing-{coin.id}")]
            assert page.published is not None and page.published < coin.listed_at + 86_400


def test_wallet_notes_tell_what_the_ledger_has(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """Each week several balances of the hot wallet, exact to the digit."""
    wallet = truth.scene.people.address("exchange")
    notes = [one for one in pages if "/wallet-" in one.page.url]
    assert len(notes) >= truth.days // 7 - 1
    for one in notes:
        held = [claim for claim in one.claims if claim.kind == "balance"]
        assert len(held) >= 5
        for claim in held:
            role = truth.subjects[claim.subject.partition("/")[0]].role
            assert truth.balance(role, wallet, claim.moment).words == claim.words


def test_what_did_not_happen_is_not_told(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """As many warnings of copies as there were copies."""
    warned = [one for one in pages if "/false-" in one.page.url]
    assert len(warned) == len({deed.subject for _, deed in truth.happened("copied")})
