"""Time zones by name."""

from __future__ import annotations

from datetime import date, datetime, time
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.scoring.verifiers.zone import NAMED, ZONE, hangs_elsewhere, offset_seconds

JUNE = date(2024, 6, 4)


def offset(text: str, day: date = JUNE, hour: int = 12) -> int | None:
    """The offset of a zone, None for one nobody can place."""
    found = ZONE.match(text)
    assert found and found.end() == len(text), text
    return offset_seconds(found, day, hour)


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        *(
            ("UTC", 0),
            ("Z", 0),
            ("+UTC", 0),
            ("GMT", 0),
            ("utc+8", 8),
            ("UTC+08:00", 8),
            ("+0530", 5.5),
            ("-05:00", -5),
            ("EST", -5),
        ),
        *(
            ("EDT", -4),
            ("PST", -8),
            ("Beijing time", 8),
            ("北京时间", 8),
            ("JST", 9),
            ("IST", 5.5),
            ("CET", 1),
            ("UTC time", 0),
        ),
    ],
)
def test_a_listed_zone_has_its_offset(text: str, hours: float) -> None:
    """Offsets and names alike, whatever the case."""
    assert offset(text) == offset(text.lower()) == hours * 3600


@pytest.mark.parametrize("text", ["CST", "local time", "Zurich time", "当地时间", "+99:00"])
def test_an_unplaced_zone_has_none(text: str) -> None:
    """What could be two zones or is not listed is never taken for UTC."""
    assert offset(text) is None


@pytest.mark.skipif("America/New_York" not in available_timezones(), reason="this machine has no zone database")
@settings(max_examples=150)
@given(st.dates(date(2007, 1, 1), date(2037, 12, 31)), st.sampled_from([0, *range(3, 24)]))
def test_american_summer_time_is_the_zone_databases(day: date, hour: int) -> None:
    """Eastern and Pacific time change their clocks when the tz database says so."""
    for name, place in (("ET", "America/New_York"), ("PT", "America/Los_Angeles")):
        away = datetime.combine(day, time(hour), ZoneInfo(place)).utcoffset()
        assert away is not None and offset(name, day, hour) == away.total_seconds()


def test_a_name_in_prose_needs_its_own_word() -> None:
    """The letters of a zone inside a word are none."""
    assert NAMED.search("the best protest") is None and NAMED.search("at 3 pm EST") is not None


@pytest.mark.parametrize(
    "name",
    [
        *(
            "Asia/Shanghai",
            "Asia/Hong_Kong",
            "Asia/Singapore",
            "Asia/Tokyo",
            "Asia/Seoul",
            "Asia/Kolkata",
            "Asia/Dubai",
        ),
        *("Etc/GMT+8", "Etc/GMT-3", "Etc/UTC", "America/New_York", "US/Pacific", "America/Chicago", "Australia/Perth"),
        *("Asia/Bangkok", "Asia/Jakarta", "Asia/Taipei", "Asia/Manila", "Asia/Kuala_Lumpur", "Asia/Ho_Chi_Minh"),
    ],
)
@pytest.mark.parametrize("day", [date(2015, 1, 5), date(2020, 7, 1), date(2024, 6, 4), date(2025, 12, 31)])
def test_a_listed_place_has_the_offset_of_the_zone_database(name: str, day: date) -> None:
    """Listed here, so that the verdict needs no database."""
    if name not in available_timezones():
        pytest.skip("this machine has no zone database")
    away = datetime.combine(day, time(12), ZoneInfo(name)).utcoffset()
    assert away is not None and offset(name, day) == offset(name.lower(), day) == away.total_seconds()


@pytest.mark.parametrize("name", ["Europe/London", "Asia/Kathmandu", "America/Argentina/Buenos_Aires", "Etc/GMT+99"])
def test_a_place_that_is_not_listed_has_no_offset(name: str) -> None:
    """Its name is recognised all the same, so it is not taken for UTC."""
    assert offset(name) is None


@pytest.mark.parametrize("tail", [" Zug", " (Bogota)", " in Lagos", ", Accra", " WAT", " KOLKATA"])
def test_a_capitalised_word_after_a_clock_may_be_a_place(tail: str) -> None:
    """And what is "in" something unlisted."""
    assert hangs_elsewhere("09:10:35" + tail, 8)


@pytest.mark.parametrize(
    "tail",
    [
        "",
        ".",
        " on Ethereum",
        " (Etherscan)",
        ", Block 5",
        " in block 5",
        " in the block",
        " when it was mined",
        "\nSource",
    ],
)
def test_what_explains_a_clock_is_no_place(tail: str) -> None:
    """Plain words, blocks and sources."""
    assert not hangs_elsewhere("09:10:35" + tail, 8)
