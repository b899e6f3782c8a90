"""Dashboards."""

from __future__ import annotations

from fractions import Fraction

import pytest

from caia_replay.origin.web import place
from caia_replay.origin.web.dashboard_page import pages
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


def test_every_protocol_has_its_board(truth: Truth, made: list[WebPage]) -> None:
    """The addresses that others link to exist, undated."""
    known = {one.page.url: one for one in made}
    for one in truth.metrics.protocols:
        board = known[place.board(truth, one.slug)]
        assert board.page.published is None and board.kind == "dashboard/board"


def test_some_boards_were_not_refreshed(made: list[WebPage]) -> None:
    """Stale pages are a few of all; on one, each figure of the lines is stale."""
    aged = [one for one in made if any(claim.status == "stale" for claim in one.claims)]
    assert Fraction(3, 100) < Fraction(len(aged), len(made)) < Fraction(10, 100)
    assert all(claim.moment < (one.page.first_seen or 0) - 11 * 86_400
               for one in aged for claim in one.claims if claim.status == "stale")  # fmt: skip
