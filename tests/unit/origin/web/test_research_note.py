"""Notes of research desks."""

from __future__ import annotations

from fractions import Fraction

import pytest

from caia_replay.origin.web.page import WebPage
from caia_replay.origin.web.research_note import pages
from caia_replay.origin.web.truth import Truth
from tests.page_law import check_writer


@pytest.fixture(scope="module")
def made(truth: Truth) -> list[WebPage]:
    """Every page of the small economy."""
    return list(pages(truth))


def test_the_laws_of_all_pages_hold(truth: Truth, made: list[WebPage]) -> None:
    """As tests/page_law.py has them: addresses, claims, slots, a second writing, and few that are alike."""
    check_writer(truth, pages, made)


def test_most_notes_are_right(made: list[WebPage]) -> None:
    """A few notes are stale, wrong or repeat a rumour, most state truths alone."""
    assert Fraction(2, 100) < _share(made, "stale") < Fraction(9, 100)
    assert 0 < _share(made, "mistaken") < Fraction(5, 100) and 0 < _share(made, "rumour") < Fraction(9, 100)


def test_a_correction_links_what_it_corrects(made: list[WebPage]) -> None:
    """Each correction comes after the note it names, whose wrong figure it quotes and whose right one it claims."""
    found = [one for one in made if one.kind == "note/correction"]
    for one in found:
        past = next(other for other in made if f"({other.page.url})" in one.page.text)
        wrong = [claim for claim in past.claims if claim.status == "mistaken"]
        assert wrong and all(claim.words in one.page.text for claim in wrong)
        assert (past.page.published or 0) < (one.page.published or 0)
        assert {claim.status for claim in one.claims} == {"true"}


def test_rumours_are_called_so(made: list[WebPage]) -> None:
    """A page with a rumour says that nobody confirmed it."""
    marks = ("verify", "stand up", "unconfirmed", "rumour", "hearsay")
    told = [one for one in made if any(claim.status == "rumour" for claim in one.claims)]
    assert told and all(any(mark in one.page.text.lower() for mark in marks) for one in told)


def _share(made: list[WebPage], status: str) -> Fraction:
    return Fraction(sum(any(claim.status == status for claim in one.claims) for one in made), len(made))
