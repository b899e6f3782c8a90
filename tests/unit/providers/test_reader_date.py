"""The date of a page, and by when at the latest it was out."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.providers.reader_date import FIRST_PAGE_S, RoughlyDated, page_date

DAY = 86_400
JUNE = 1_748_736_000  # 2025-06-01
ZONES = st.integers(-12 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.integers(FIRST_PAGE_S + 2 * DAY, 4_000_000_000).map(
    lambda second: datetime.fromtimestamp(second, UTC).replace(tzinfo=None)
)


@given(MOMENTS, ZONES)
def test_no_page_comes_out_after_its_date_at_the_latest(when: datetime, zone: timezone) -> None:
    """A full date is the moment itself; without its zone, or its time in UTC, the moment lies within the spread."""
    full = when.replace(tzinfo=zone)
    at = int(full.timestamp())
    for told in (full.isoformat(), format_datetime(full)):
        # RFC 5322 says -0000 for a clock whose zone is not known.
        assert page_date(told) == (at, 0)
    for told in (when.isoformat(), format_datetime(when).removesuffix(" -0000")):
        moment, spread_s = page_date(told)
        assert moment is not None and at <= moment + spread_s and spread_s == DAY // 2
    utc = when.replace(tzinfo=UTC)
    moment, spread_s = page_date(utc.date().isoformat())
    assert moment is not None and moment <= int(utc.timestamp()) <= moment + spread_s < moment + DAY


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("2025-06-01", (JUNE, DAY - 1)),
        ("20250601", (JUNE, DAY - 1)),
        ("2025-W22-7", (JUNE, DAY - 1)),
        ("2025-W22", (JUNE - 6 * DAY, 7 * DAY - 1)),
        ("2025-06-01T00:00:00", (JUNE, DAY // 2)),
        ("2025-06-01T00:00:00Z", (JUNE, 0)),
        ("Sun, 01 Jun 2025 00:00:00 XYZ", (JUNE, DAY // 2)),
        ("Sun, 01 Jun 2025 00:00:00 PDT", (JUNE + 7 * 3_600, 0)),
        ("1991-08-06", (FIRST_PAGE_S, DAY - 1)),
        ("1991-08-05T23:59:59Z", (None, 0)),
        ("1970-01-01T00:00:00Z", (None, 0)),
        ("Thu, 01 Jan 1970 00:00:00 GMT", (None, 0)),
        ("0001-01-01", (None, 0)),
        ("0001-01-01T00:00:00+14:00", (None, 0)),
        ("2025", (None, 0)),
        ("", (None, 0)),
        (None, (None, 0)),
        (20250601, (None, 0)),
        (["2025-06-01"], (None, 0)),
    ],
)
def test_every_form(told: object, expected: tuple[int | None, int]) -> None:
    """Days, weeks, times without a zone, placeholders of before the web, and what is no date."""
    assert page_date(told) == expected


@given(st.text(max_size=40) | st.lists(st.sampled_from([*"0129-:, TWZ+", "Jun", "9" * 20])).map("".join))
def test_no_text_is_a_fault(told: str) -> None:
    """Whatever stands there is a date or none."""
    moment, spread_s = page_date(told)
    assert spread_s >= 0 and (moment is None or moment >= FIRST_PAGE_S)


def test_a_day_is_known_from_its_end_or_when_the_page_was_seen_in_it() -> None:
    """Never before its date, and never later than its end."""
    page = RoughlyDated("u", "t", "x", JUNE, spread_s=DAY - 1)
    assert page.known_since == JUNE + DAY - 1
    for seen, known in ((JUNE - 5, JUNE), (JUNE + 5, JUNE + 5), (JUNE + 9 * DAY, JUNE + DAY - 1)):
        assert replace(page, first_seen=seen).known_since == known
