"""Forums."""

from __future__ import annotations

import re

import pytest

from caia_replay.origin.act.birth import PROJECTS
from caia_replay.origin.web import number, place
from caia_replay.origin.web.forum_thread import pages
from caia_replay.origin.web.page import WebPage
from caia_replay.origin.web.truth import Truth
from tests.page_law import check_writer


@pytest.fixture(scope="module")
def made(truth: Truth) -> list[WebPage]:
    """Every page of the small economy."""
    return list(pages(truth))


def test_the_laws_of_all_pages_hold(truth: Truth, made: list[WebPage]) -> None:
    """As tests/page_law.py has them: addresses, claims, slots, a second writing, and few that are alike."""
    check_writer(truth, pages, made)


def test_a_thread_is_a_conversation(made: list[WebPage]) -> None:
    """Three to twelve dated posts by more than one person, the last of them when the page was published."""
    for one in made:
        if one.kind != "forum/front":
            posts = re.findall(r"\d\d? [A-Z][a-z][a-z] \d{4}, \d\d:\d\d UTC", one.page.text)
            assert 3 <= len(posts) <= 12, one.page.url
            assert (
                posts[-1]
                == f"{number.short_day(one.page.published or 0)}, {number.clock_time(one.page.published or 0)}"
            )


def test_errors_are_put_right(made: list[WebPage]) -> None:
    """In most threads in which somebody errs, a later post names them."""
    erring = [one for one in made if any(claim.status == "mistaken" for claim in one.claims)]
    named = [one for one in erring if re.search(r"(?<!^)@\w+", one.page.text)]
    assert erring and len(named) * 10 >= len(erring) * 7


def test_the_lender_s_proposals_are_discussed(truth: Truth, made: list[WebPage]) -> None:
    """Every proposal has a thread in the lender's forum, and every decided one a result with its votes."""
    home = place.forum(truth.subject("lend"))
    texts = [one for one in made if one.page.url.startswith(home)]
    for _, deed in truth.happened("proposed"):
        assert any(one.kind == "forum/propose" and deed.subject in one.page.title + one.page.text for one in texts)
    assert all(any(claim.kind == "votes" for claim in one.claims) for one in texts if one.kind == "forum/result")


def test_fronts_link_threads_that_exist(truth: Truth, made: list[WebPage]) -> None:
    """A forum's front page links older threads of its own, each under its address."""
    known = {one.page.url: one for one in made}
    fronts = [one for one in made if one.kind == "forum/front"]
    assert len(fronts) == len(PROJECTS)
    for one in fronts:
        for address in re.findall(r"\((https://[^)]*/t/[^)]*)\)", one.page.text):
            assert (known[address].page.published or 0) < (one.page.first_seen or 0)
