"""Addresses of pages and of captures, and by when at the latest a page was out."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import ToolError
from caia_replay.providers.reader.address import (
    FIRST_PAGE_S,
    Capture,
    RoughlyDated,
    capture_of,
    capture_url,
    is_archived,
    page_date,
    page_url,
)

MAY = int(datetime(2025, 5, 1, 12, tzinfo=UTC).timestamp())
PAGES = st.sampled_from(
    ["https://a.example/", "http://a.example/x?b=2&a=1", "https://a.example:8080/x/y", "http://b.example/%7Eada?q=https://c.example/"]
)  # fmt: skip


@given(PAGES, st.integers(820_454_400, 4_102_444_800))
def test_the_address_of_a_capture_tells_its_page_and_its_moment(page: str, moment: int) -> None:
    """What capture_url makes of a page, capture_of reads back, to the second."""
    address = capture_url(page, datetime.fromtimestamp(moment, UTC).strftime("%Y%m%d%H%M%S"))
    assert capture_of(address) == Capture(page_url(page), moment)
    assert capture_of(page_url(address)) == capture_of(address) and is_archived(address)


@pytest.mark.parametrize(
    "address",
    [
        "https://web.archive.org/web/20250501120000id_/https://a.example/x",
        "http://web.archive.org:80/web/20250501120000/https://A.example:443/x#top",
        "HTTPS://Web.Archive.Org./web/20250501120000if_/https:/a.example/x",
        "https://wayback.archive.org/web/20250501120000/https://a.example/./x",
        "https://archive.org/web/20250501120000/https://a.example/x",
    ],
)
def test_a_capture_is_known_however_it_is_written(address: str) -> None:
    """With any flag, host of the archive, port, or spelling of the page."""
    assert capture_of(address) == Capture("https://a.example/x", MAY)


def test_addresses_of_one_page_are_one() -> None:
    """Fragments, the host's case and the default port make no other page; a capture without a scheme is http."""
    assert capture_of("https://web.archive.org/web/20250501120000/a.example/x") == Capture("http://a.example/x", MAY)
    assert {page_url(url) for url in ("https://A.example", "https://a.example/", " https://a.example/#top ")} == {
        "https://a.example/"
    }
    assert page_url("https://a.example:443/") == page_url("https://a.example:/") == "https://a.example/"
    assert page_url("https://a.example:0/") == "https://a.example:0/"


@pytest.mark.parametrize(
    "rest", ["2025/https://a.example/", "https://a.example/", "20250501120000*/https://a.example/", "20259901000000/https://a.example/",
             "00010101000000/https://a.example/", "20250501120000/", "20250501120000id_/not a page"]
)  # fmt: skip
def test_what_leads_to_some_capture_is_none(rest: str) -> None:
    """Fewer digits, a calendar, a moment that no calendar or archive has: in the archive, and no capture."""
    address = f"https://web.archive.org/web/{rest}"
    assert capture_of(address) is None
    assert is_archived(address) == (" " not in rest)


def test_other_addresses_are_not_the_archives() -> None:
    """Its name in a path, in a query or in another host's name does not lead there."""
    for address in ("https://a.example/https://web.archive.org/web/20250501120000/https://a.example/",
                    "https://a.example/?u=https://web.archive.org/web/20250501120000/https://a.example/",
                    "https://web.archive.org.example/web/20250501120000/https://a.example/",
                    "https://web.archive.org/cdx/search/cdx?url=a.example",
                    "ftp://web.archive.org/web/20250501120000/https://a.example/"):  # fmt: skip
        assert not is_archived(address) and capture_of(address) is None


@given(st.text(max_size=60) | st.text(max_size=40).map(lambda text: "https://web.archive.org/web/" + text))
def test_no_text_is_too_strange(text: str) -> None:
    """Anything is a capture with a page of its own, or none."""
    capture = capture_of(text)
    assert capture is None or page_url(capture.url) == capture.url
    try:
        page_url(text)
    except ToolError:
        assert not is_archived(text)


URLISH = st.lists(
    st.sampled_from([*"/.%#?&=@:[]\\ ", "https://", "a.example", "..", "%2e", "é", "1", "\x00"]), max_size=9
)


@given(st.text(max_size=80) | URLISH.map("".join) | URLISH.map(lambda parts: "https://a.example" + "".join(parts)))
def test_an_address_is_either_canonical_or_refused(text: str) -> None:
    """page_url is idempotent on what it accepts, and refuses the rest with a ToolError."""
    try:
        once = page_url(text)
    except ToolError:
        return
    assert page_url(once) == once


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
