"""Moments to the second: how they are written, zones by name, and verdicts on times."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Literal
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers import verify
from caia_replay.scoring.verifiers.moment import loose_clocks, moments
from caia_replay.scoring.verifiers.zone import NAMED, ZONE, hangs_elsewhere, offset_seconds
from tests.labelled_set import misjudged

VALUE = "2024-04-01T09:10:35Z"
SPEC = AnswerSpec("time", (VALUE,))
JUNE = date(2024, 6, 4)
seconds = st.integers(1_262_304_000, 3_786_912_000).map(lambda stamp: datetime.fromtimestamp(stamp, UTC))


def at(moment: datetime, tolerance: int | None = None) -> AnswerSpec:
    """A task whose answer is that second."""
    return AnswerSpec("time", (f"{moment:%Y-%m-%dT%H:%M:%SZ}",), tolerance_seconds=tolerance)


def forms(moment: datetime) -> list[str]:
    """The same second as people write it, in several zones."""
    beijing = moment + timedelta(hours=8)
    return [
        f"{moment:%Y-%m-%dT%H:%M:%SZ}",
        f"{moment:%Y-%m-%d %H:%M:%S} UTC",
        f"It was {moment:%B} {moment.day}, {moment.year} at {moment:%I:%M:%S %p} UTC.",
        f"{moment:%b-%d-%Y %I:%M:%S %p} +UTC",
        f"**{beijing:%Y-%m-%d %H:%M:%S} (UTC+8)**",
        f"北京时间{beijing.year}年{beijing.month}月{beijing.day}日{beijing:%H:%M:%S}",
        f"{int(moment.timestamp())}",
        f"{moment:%Y-%m-%d %H:%M:%S} UTC (Unix {int(moment.timestamp())})",
    ]


@settings(max_examples=50)
@given(seconds, st.integers(1, 200_000), st.sampled_from([" or ", ", ", " / ", "; ", " and "]))
def test_every_form_of_a_moment_is_right_and_another_second_never_passes(
    moment: datetime, away: int, between: str
) -> None:
    """Zones, orders, clocks, case and spaces do not matter; a planted moment is wrong alone and as a hedge."""
    assert misjudged(at(moment), True, [*forms(moment), *(f"  {form.upper()} " for form in forms(moment))]) == []
    for planted, true in zip(forms(moment + timedelta(seconds=away)), forms(moment)):
        hedges = (planted, f"{true}{between}{planted}", f"{planted}{between}{true}")
        assert misjudged(at(moment), False, hedges) == []


@given(seconds, st.integers(0, 4000), st.integers(-8000, 8000))
def test_the_tolerance_counts_seconds(moment: datetime, tolerance: int, away: int) -> None:
    """Right exactly within it."""
    said = moment + timedelta(seconds=away)
    assert verify(at(moment, tolerance), f"{said:%Y-%m-%d %H:%M:%S}").correct is (abs(away) <= tolerance)


def test_right_moments_as_models_write_them() -> None:
    """Zones and places by name, two zones at once, a rejected lie, timestamps, and what is no zone at all."""
    assert misjudged(SPEC, True, (
        "2024-04-01 05:10:35 EDT", "April 1, 2024, 5:10:35 a.m. Eastern Time", "2024-04-01 14:40:35 IST",
        "2024-04-01 09:10:35 UTC (17:10:35 Beijing time)", "Date: 2024-04-01\nTime: 09:10:35 UTC",
        "2024-04-01T09:10:35.000Z", "Not 2024-04-01 10:10:35 UTC as the blog says; 2024-04-01 09:10:35 UTC",
        "2024年4月1日下午5点10分35秒（北京时间）", "Monday, April 1, 2024 9:10:35 AM (UTC)",
        "2024-04-01 17:10:35 Asia/Shanghai", "2024-04-01T17:10:35+08:00[Asia/Shanghai]", "2024-04-01 17:10:35 Shanghai",
        "2024-04-01 05:10:35 America/New_York", "2024-04-01 17:10:35 Etc/GMT-8", "上海时间2024年4月1日17:10:35",
        "时间戳为1711962635", "timestamp of block 19558410 is 1711962635", "Monday, 2024-04-01 09:10:35 (Etherscan)",
        "2024-04-01 09:10:35 on Ethereum mainnet", "2024-04-01 09:10:35\nSource: Etherscan",
    )) == []  # fmt: skip


def test_wrong_moments_as_models_write_them() -> None:
    """Too coarse, bounds, hedges, counted numbers; and a zone that is not listed is never UTC."""
    assert misjudged(SPEC, False, (
        "2024-04-01 09:10 UTC", "2024-04-01", "2024-04-01 09:10:35 PM UTC", "2024-04-01 09:10:35 EST", "09:10:35 UTC",
        "2024-04-01 09:10:35 CST", "2024-04-01 09:10:35 local time", "2024-04-01 09:10:35 Zurich time",
        "2024-04-01 09:10:35 NPT", "01/04/2024 09:10:35", "before 2024-04-01 09:10:35 UTC", "not 2024-04-01 09:10:35",
        "2024-04-01 09:10:35 or 09:10:47", "2024-04-01 09:10:35 UTC+8", "2024-04-01 09:10:35 UTC (1711962636)",
        "2024-04-01 09:10:35 UTC or April 2", "北京时间 2024-04-01 09:10:35", "unknown",
        "2024-04-01 09:10:35 Asia/Shanghai", "2024-04-01 09:10:35 (America/New_York)", "Asia/Tokyo 2024-04-01 09:10:35",
        "2024-04-01 09:10:35 Etc/GMT+8", "2024-04-01 09:10:35 Europe/London", "2024-04-01 09:10:35 in Zug",
        "2024-04-01 09:10:35 (Bogota)", "2024-04-01 09:10:35 PRC", "2024-04-01 09:10:35（纽约）",
        "2024-04-01T09:10:35Z[Asia/Tokyo]", "block 1711962635", "block height: 1711962635", "区块 1711962635",
        "nonce 1711962635", "1711962635 wei", "$1711962635", "an hour before 2024-04-01 09:10:35 UTC",
        "前一小时 2024-04-01 09:10:35", "2024-04-01 09:10:35 UTC minus one hour", "by 2024-04-01 09:10:35 UTC",
        "截至2024-04-01 09:10:35", "2024-04-01, before 09:10:35 UTC", "around 2024-04-01 09:10:35",
        "Tuesday, 2024-04-01 09:10:35 UTC", "2024-04-01 09:10:35 UTC (Sunday)",
    )) == []  # fmt: skip


@pytest.mark.parametrize(("answer", "value", "tolerance", "right"), [
    ("2024-04-01 09:10 UTC", VALUE, 60, True), ("2024-04-01 09:10 UTC", VALUE, 30, False),
    ("2024-04-01 09:10 UTC", "2024-04-01T09:10:00Z", 58, False),
    ("2024-04-01 09:10 UTC", "2024-04-01T09:10:00Z", 59, True), ("2024-04-01", VALUE, 86400, True),
    ("around 2024-04-01 09:10:35 UTC", VALUE, 60, True), ("around 2024-04-01 09:10:35 UTC", VALUE, None, False),
    ("before 2024-04-01 09:10:35 UTC", VALUE, 60, False),
])  # fmt: skip
def test_less_precision_needs_its_tolerance(answer: str, value: str, tolerance: int | None, right: bool) -> None:
    """A minute is right where every second of it is; about a time is right within a tolerance, a bound never."""
    assert verify(AnswerSpec("time", (value,), tolerance_seconds=tolerance), answer).correct is right


@given(st.integers(1_000_000_000, 4_000_000_000), st.integers(-12 * 4, 14 * 4))
def test_every_writing_of_a_moment_is_its_second(stamp: int, quarters: int) -> None:
    """Any offset, order and twelve-hour clock name the same second."""
    there = datetime.fromtimestamp(stamp, UTC).astimezone(timezone(timedelta(minutes=15 * quarters)))
    offset = f"{there:%z}"[:3] + ":" + f"{there:%z}"[3:]
    for text in (
        there.isoformat(),
        f"{there:%Y-%m-%d %H:%M:%S} UTC{offset}",
        f"{there:%B} {there.day}, {there.year} at {there:%I:%M:%S %p} (UTC{offset})",
        f"{there:%H:%M:%S} UTC{offset} on {there.day} {there:%B %Y}",
        f"{there.year}年{there.month}月{there.day}日{there.hour}时{there.minute}分{there.second}秒 UTC{offset}",
        *(str(stamp), f"{stamp}000", f"{stamp:,}"),
    ):
        assert [(one.first, one.last) for one in moments(text)] == [(stamp, stamp)], text


@pytest.mark.parametrize(
    ("text", "width"), [("2024-04-01 09:10:35", 1), ("2024-04-01 09:10", 60), ("2024-04-01 at 9 AM", 3600)]
)
def test_a_moment_is_as_long_as_what_it_leaves_out(text: str, width: int) -> None:
    """Seconds, minutes and hours."""
    (one,) = moments(text)
    assert one.last - one.first + 1 == width and not one.zoned


@pytest.mark.parametrize(
    "text", ["09:10:35 UTC", "2024-04-01", "2024-04-01 25:00:00", "2024-04-01 09:10:35 CST", "12:34 in block 5"]
)
def test_no_moment(text: str) -> None:
    """A clock alone, a day alone, an impossible hour and a zone nobody can place."""
    assert moments(text) == ()


def test_a_clock_without_its_day_is_loose() -> None:
    """The second clock of a text that repeats its moment elsewhere."""
    (clock,) = loose_clocks("2024-04-01 09:10:35 UTC (17:10:35 Beijing time)")
    assert clock.first == clock.last == 9 * 3600 + 10 * 60 + 35


@pytest.mark.parametrize(("text", "hour"), [
    ("凌晨12点5分", 0), ("凌晨3点5分", 3), ("上午9点5分", 9), ("中午12点5分", 12), ("下午5点5分", 17),
    ("晚上11:05", 23), ("12:05 AM", 0),
])  # fmt: skip
def test_halves_of_a_day_are_understood(text: str, hour: int) -> None:
    """Chinese parts of the day and the twelve-hour clock."""
    (one,) = moments(f"2024-04-01 {text}")
    assert one.first % 86400 == hour * 3600 + 300


@given(st.text(alphabet="0123456789:-+/ TZapm年月日时点分秒UTCES()", max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    """Digits and marks in any order never fail."""
    assert all(one.first <= one.last for one in moments(text))


@pytest.mark.parametrize(("text", "many"), [
    ("1711962635", 1), ("timestamp 1711962635", 1), ("at 1711962635 seconds", 1), ("时间戳为1711962635", 1),
    ("block 1711962635", 0), ("block number is 1711962635", 0), ("高度1711962635", 0), ("1711962635 USDC", 0),
    ("#1711962635", 0),
])  # fmt: skip
def test_ten_digits_are_seconds_unless_they_count_or_name_something(text: str, many: int) -> None:
    """Heights, nonces and amounts are no moments."""
    assert len(moments(text)) == many


def test_a_moment_knows_where_its_day_and_its_clock_stand() -> None:
    """The clock with its zone."""
    text = "2024-04-01 at 09:10:35 UTC+8."
    (one,) = moments(text)
    assert [text[start:end] for start, end in one.spans] == ["2024-04-01", "09:10:35 UTC+8"]
    assert (one.start, one.end) == (0, len(text) - 1)


@pytest.mark.parametrize("kind", ["date", "time"])
@pytest.mark.parametrize("told", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "0001-01-01 00:00 UTC+8"])
def test_a_zone_that_leaves_the_calendar_makes_no_moment(kind: Literal["date", "time"], told: str) -> None:
    """Before the year 1 and after 9999 there is no day to name: such an answer is wrong, and breaks nothing."""
    assert moments(told) == ()
    expected = "2024-06-04" if kind == "date" else "2024-06-04T00:00:00Z"
    assert verify(AnswerSpec(kind, (expected,)), told).correct is False


def offset(text: str, day: date = JUNE, hour: int = 12) -> int | None:
    """The offset of a zone, None for one nobody can place."""
    found = ZONE.match(text)
    assert found and found.end() == len(text), text
    return offset_seconds(found, day, hour)


OFFSETS = (
    ("UTC", 0), ("Z", 0), ("+UTC", 0), ("GMT", 0), ("utc+8", 8), ("UTC+08:00", 8), ("+0530", 5.5), ("-05:00", -5),
    ("EST", -5), ("EDT", -4), ("PST", -8), ("Beijing time", 8), ("北京时间", 8), ("JST", 9), ("IST", 5.5), ("CET", 1),
    ("UTC time", 0),
)  # fmt: skip
UNPLACED = ("CST", "local time", "Zurich time", "当地时间", "+99:00", "Europe/London", "Asia/Kathmandu", "Etc/GMT+99",
            "America/Argentina/Buenos_Aires")  # fmt: skip


def test_a_listed_zone_has_its_offset_and_another_none() -> None:
    """Offsets and names alike, whatever the case; what could be two zones or is not listed is never taken for UTC."""
    for text, hours in OFFSETS:
        assert offset(text) == offset(text.lower()) == hours * 3600, text
    assert [text for text in UNPLACED if offset(text) is not None] == []


@pytest.mark.skipif("America/New_York" not in available_timezones(), reason="this machine has no zone database")
@given(st.dates(date(2007, 1, 1), date(2037, 12, 31)), st.sampled_from([0, *range(3, 24)]))
def test_american_summer_time_is_the_zone_databases(day: date, hour: int) -> None:
    """Eastern and Pacific time change their clocks when the tz database says so."""
    for name, place in (("ET", "America/New_York"), ("PT", "America/Los_Angeles")):
        away = datetime.combine(day, time(hour), ZoneInfo(place)).utcoffset()
        assert away is not None and offset(name, day, hour) == away.total_seconds()


@pytest.mark.parametrize("name", [
    "Asia/Shanghai", "Asia/Hong_Kong", "Asia/Singapore", "Asia/Tokyo", "Asia/Seoul", "Asia/Kolkata", "Asia/Dubai",
    "Etc/GMT+8", "Etc/GMT-3", "Etc/UTC", "America/New_York", "US/Pacific", "America/Chicago", "Australia/Perth",
    "Asia/Bangkok", "Asia/Jakarta", "Asia/Taipei", "Asia/Manila", "Asia/Kuala_Lumpur", "Asia/Ho_Chi_Minh",
])  # fmt: skip
def test_a_listed_place_has_the_offset_of_the_zone_database(name: str) -> None:
    """Listed here, so that the verdict needs no database."""
    if name not in available_timezones():
        pytest.skip("this machine has no zone database")
    for day in (date(2015, 1, 5), date(2020, 7, 1), date(2024, 6, 4), date(2025, 12, 31)):
        away = datetime.combine(day, time(12), ZoneInfo(name)).utcoffset()
        assert away is not None and offset(name, day) == offset(name.lower(), day) == away.total_seconds()


def test_a_word_after_a_clock_may_be_a_place() -> None:
    """Capitalised, or "in" something unlisted; plain words, blocks and sources are none, nor is a zone in a word."""
    places = (" Zug", " (Bogota)", " in Lagos", ", Accra", " WAT", " KOLKATA")
    assert all(hangs_elsewhere("09:10:35" + tail, 8) for tail in places)
    assert not any(hangs_elsewhere("09:10:35" + tail, 8) for tail in (
        "", ".", " on Ethereum", " (Etherscan)", ", Block 5", " in block 5", " in the block", " when it was mined",
        "\nSource",
    ))  # fmt: skip
    assert NAMED.search("the best protest") is None and NAMED.search("at 3 pm EST") is not None
