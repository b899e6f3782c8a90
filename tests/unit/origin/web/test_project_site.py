"""Projects' own sites."""

from __future__ import annotations

import pytest

from caia_replay.origin.web import place, project_site
from caia_replay.origin.web.page import WebPage
from caia_replay.origin.web.truth import ROLES, Truth
from tests.site_law import check


@pytest.fixture(scope="module")
def pages(truth: Truth) -> tuple[WebPage, ...]:
    """Everything the writer makes of the small economy."""
    return tuple(project_site.pages(truth))


def test_pages_keep_the_laws_of_the_web(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """Claims stand in the text, hold at their moments and are told no earlier; addresses are unique."""
    check(truth, pages)


def test_equal_truths_give_equal_pages(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """A second call makes the same pages in the same order."""
    assert tuple(project_site.pages(truth)) == pages


def test_every_agreed_address_is_there(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """Front page, people and questions of the story's projects; front page and people of the others."""
    found = {one.page.url for one in pages}
    for role in ROLES:
        subject = truth.subject(role)
        assert {place.home(subject), place.team(subject), place.docs(subject, "faq")} <= found
    for subject in truth.outsiders():
        assert {place.home(subject), place.team(subject)} <= found


def test_a_team_page_names_everybody(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """Each member's name and title stand on the page."""
    by_url = {one.page.url: one.page.text for one in pages}
    for role in ROLES:
        text = by_url[place.team(truth.subject(role))]
        assert all(one.name in text and one.title in text for one in truth.cast.teams[role])


def test_only_funded_projects_have_backers(truth: Truth, pages: tuple[WebPage, ...]) -> None:
    """A page on investors exists for those who raised money, and claims the sum."""
    told = {one.page.url.removesuffix("/investors"): one for one in pages if one.kind == "site backers"}
    funded = {f"https://{truth.subjects[one.project].site}" for one in truth.rounds}
    assert set(told) == funded
    assert all(any(claim.kind == "round" for claim in one.claims) for one in told.values())
