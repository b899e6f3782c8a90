"""What the story makes happen, on blogs."""

from __future__ import annotations

import pytest

from caia_replay.origin.web.blog_event import events
from caia_replay.origin.web.blog_post import BOOKS
from caia_replay.origin.web.page import WebPage
from caia_replay.origin.web.site_text import Voice, last_moment
from caia_replay.origin.web.truth import Truth
from tests.site_law import check


@pytest.fixture(scope="module")
def told(truth: Truth) -> tuple[WebPage, ...]:
    """Every post about a deed."""
    return tuple(one.page for one in events(truth, Voice.of(*BOOKS)))


def test_posts_keep_the_laws_of_the_web(truth: Truth, told: tuple[WebPage, ...]) -> None:
    """As every page's claims, those about deeds hold."""
    check(truth, told)


def test_each_burn_is_told_after_it_was_done(truth: Truth, told: tuple[WebPage, ...]) -> None:
    """A post for each burn that left time for one, later than the burn, with the amount."""
    by_url = {one.page.url: one.page for one in told}
    for at, deed in truth.happened("burned"):
        if at + 86_400 < last_moment(truth):
            page = by_url[f"https://blog.{truth.subject(deed.subject).site}/burn-done"]
            assert page.published is not None and at < page.published
            assert f"{deed.figure('amount') // 10**18:,}"[:-1] in page.title + page.text


def test_results_of_votes_tell_the_outcome(truth: Truth, told: tuple[WebPage, ...]) -> None:
    """Every vote that was counted has a post."""
    ended = [deed for verb in ("succeeded", "defeated") for _, deed in truth.happened(verb)]
    assert len([one for one in told if "/result-" in one.page.url]) == len(ended)
