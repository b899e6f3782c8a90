"""Projects' documentation."""

from __future__ import annotations

import pytest

from caia_replay.origin.web import docs_page, place
from caia_replay.origin.web.page import WebPage
from caia_replay.origin.web.truth import ROLES, Truth
from tests.site_law import check


@pytest.fixture(scope="module")
def pages(truth: Truth) -> tuple[WebPage, ...]:
    """Everything the writer makes of the small economy."""
    return tuple(docs_page.pages(truth))


def test_pages_keep_the_laws_of_the_web(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """Claims stand in the text, hold at their moments and are told no earlier; addresses are unique."""
    check(truth, pages)


def test_equal_truths_give_equal_pages(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """A second call makes the same pages in the same order."""
    assert tuple(docs_page.pages(truth)) == pages


def test_every_agreed_address_is_there(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """Overview, tokens and contracts of the story's projects; overview and tokens of the others."""
    found = {one.page.url for one in pages}
    for role in ROLES:
        assert {place.docs(truth.subject(role), one) for one in ("overview", "tokenomics", "contracts")} <= found
    for subject in truth.outsiders():
        assert {place.docs(subject, one) for one in ("overview", "tokenomics")} <= found


def test_a_first_edition_tells_old_figures(pages: tuple[WebPage, ...]) -> None:
    """Most pages of the old tree tell something that was the case weeks before they are found."""
    old = [one for one in pages if "/v1/" in one.page.url]
    stale = [claim for one in old for claim in one.claims if claim.status == "stale"]
    assert len(old) == 2 * len(ROLES) and len(stale) > len(old) // 2


def test_contracts_are_listed_with_their_addresses(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """The list of a project's contracts has its token, and of the lender the governor."""
    by_url = {one.page.url: one.page.text for one in pages}
    for role in ROLES[1:]:
        assert truth.address(role).words in by_url[place.docs(truth.subject(role), "contracts")]
    governor = truth.scene.main.contracts["governor"].address
    assert governor in by_url[place.docs(truth.subject("lend"), "contracts")]
