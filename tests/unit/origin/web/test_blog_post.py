"""Projects' blogs."""

from __future__ import annotations

import pytest

from caia_replay.origin.web import blog_post
from caia_replay.origin.web.page import WebPage
from caia_replay.origin.web.truth import Truth
from tests.site_law import check


@pytest.fixture(scope="module")
def pages(truth: Truth) -> tuple[WebPage, ...]:
    """Everything the writer makes of the small economy."""
    return tuple(blog_post.pages(truth))


def test_pages_keep_the_laws_of_the_web(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """Claims stand in the text, hold at their moments and are told no earlier; addresses are unique."""
    check(truth, pages)


def test_equal_truths_give_equal_pages(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """A second call makes the same pages in the same order."""
    assert tuple(blog_post.pages(truth)) == pages


def test_every_post_has_an_author_of_the_team(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """Who signs a post works on the project."""
    teams = {one.site: truth.cast.teams.get(one.role) or truth.cast.teams.get(one.id) or ()
             for one in truth.subjects.values()}  # fmt: skip
    for one in pages:
        site = one.page.url.removeprefix("https://blog.").partition("/")[0]
        assert one.page.author in [member.name for member in teams[site]]


def test_few_pages_are_wrong_and_rumours_are_called_so(pages: tuple[WebPage, ...]) -> None:
    """Stale and mistaken figures are rare; a rumour's text says that it is one."""
    told = [{claim.status for claim in one.claims} for one in pages]
    for status, most in (("stale", 8), ("mistaken", 8), ("rumour", 12)):
        assert sum(status in statuses for statuses in told) * 100 <= most * len(pages), status
    rumours = [one.page.text.lower() for one in pages if any(claim.status == "rumour" for claim in one.claims)]
    assert rumours and all("unconfirmed" in text or "rumour" in text for text in rumours)


def test_a_correction_names_post_and_figures(pages: tuple[WebPage, ...]) -> None:
    """A correction links to a post before it, quotes what was wrong and gives what is right."""
    by_url = {one.page.url: one for one in pages}
    corrections = [one for one in pages if one.kind == "blog correction"]
    assert corrections
    for one in corrections:
        erring = by_url[one.page.url.replace("/correction-", "/")]
        wrong = next(claim for claim in erring.claims if claim.status == "mistaken")
        assert erring.page.url in one.page.text and wrong.words in one.page.text
        assert one.page.published is not None and erring.page.published is not None
        assert one.page.published > erring.page.published


def test_a_release_is_announced_after_it_is_out(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """The announced tag is the latest of its repository at the post's moment, where it is claimed to be."""
    claims = [claim for one in pages if one.kind == "blog release" for claim in one.claims if claim.kind == "release"]
    assert claims and all(truth.release(claim.subject, claim.moment).words == claim.words for claim in claims)
