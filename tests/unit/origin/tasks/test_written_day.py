"""Days as pages write them, and pages by their addresses."""

from __future__ import annotations

import re

import pytest

from caia_replay.origin.tasks.written_day import DAY, NUMBER, one_day, pages_of
from caia_replay.origin.web import number
from tests.shape_law import Bench

MIDNIGHT = 1_709_164_800


@pytest.mark.parametrize("written", [number.day, number.short_day, number.iso_day])
def test_every_way_of_writing_a_day_is_read(written: object) -> None:
    """Whatever writer of days a page used, the pattern finds the whole day in a sentence."""
    assert callable(written)
    for day in range(0, 400, 7):
        words = written(MIDNIGHT + day * 86_400)
        found = re.search(DAY, f"It was block 1,234 on {words}, as told.")
        assert found is not None and found[0] == words


def test_a_number_has_commas() -> None:
    """A year or a small number is none."""
    assert re.findall(NUMBER, "In 2024 there were 40 accounts and 6,759,759 tokens.") == ["6,759,759"]


def test_a_day_ends_at_midnight() -> None:
    """The last second before it is on another day than midnight, the last of the day itself is not."""
    assert not one_day(MIDNIGHT - 1, MIDNIGHT)
    assert one_day(MIDNIGHT, MIDNIGHT + 86_399)


def test_pages_are_found_by_address(bench: Bench) -> None:
    """Every page, under its own address."""
    pages = pages_of(bench.story)
    assert len(pages) == len(bench.story.web.pages)
    assert all(url == page.url for url, page in pages.items())
