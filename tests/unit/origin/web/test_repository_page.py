"""Repositories on their projects' sites."""

from __future__ import annotations

import pytest

from caia_replay.origin.web import repository_page
from caia_replay.origin.web.page import WebPage
from caia_replay.origin.web.site_text import slug
from caia_replay.origin.web.truth import Truth
from tests.site_law import check


@pytest.fixture(scope="module")
def pages(truth: Truth) -> tuple[WebPage, ...]:
    """Everything the writer makes of the small economy."""
    return tuple(repository_page.pages(truth))


def test_pages_keep_the_laws_of_the_web(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """Claims stand in the text, hold at their moments and are told no earlier; addresses are unique."""
    check(truth, pages)


def test_equal_truths_give_equal_pages(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """A second call makes the same pages in the same order."""
    assert tuple(repository_page.pages(truth)) == pages


def test_every_release_has_its_notes(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """A page for each release, dated within the hour of it, with a line of its notes."""
    by_url = {one.page.url: one.page for one in pages}
    for repository in truth.code.repositories.values():
        subject = truth.subjects[repository.owner.login]
        for one in repository.past.releases:
            page = by_url[repository_page.address(subject, repository, "releases", slug(one.tag))]
            assert page.published is not None and 0 < page.published - one.published_at < 3_600
            assert one.notes.splitlines()[-1].removeprefix("* ") in page.text or "* " in one.notes


def test_a_candidate_claims_no_full_release(pages: tuple[WebPage, ...], truth: Truth) -> None:
    """What is said to be the latest release is what the repository calls so at that moment."""
    claims = [claim for one in pages for claim in one.claims if claim.kind == "release"]
    assert claims and all(truth.release(claim.subject, claim.moment).words == claim.words for claim in claims)
