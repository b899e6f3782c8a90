"""What a venue's notices announce, drawn again."""

from __future__ import annotations

from caia_replay.origin.tasks.venue_notice import fees, stops
from caia_replay.origin.tasks.written_day import pages_of
from caia_replay.origin.web import number
from tests.shape_law import Bench


def test_every_stop_stands_in_its_notice(bench: Bench) -> None:
    """The notice at its address was published at its moment, and names the coin and the day."""
    pages, truth = pages_of(bench.story), bench.story.truth
    found = list(stops(truth))
    assert found
    for one in found:
        page = pages[one.url]
        opening = page.text.partition("\n")[0]
        assert page.published == one.published
        assert number.day(one.due) in opening and truth.subject(one.role).ticker in opening, opening


def test_every_fee_stands_in_its_notice(bench: Bench) -> None:
    """The notice at its address was published at its moment, and names the fee and the day from which it holds."""
    pages, truth = pages_of(bench.story), bench.story.truth
    found = list(fees(truth))
    assert found
    for one in found:
        page, ticker = pages[one.url], truth.subject(one.role).ticker
        opening = page.text.partition("\n")[0]
        assert page.published == one.published
        assert f"{number.plain(one.fee, 2).words} {ticker}" in opening and number.day(one.due) in opening, opening
