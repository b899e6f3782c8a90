"""Moments in text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers import verify
from caia_replay.scoring.verifiers.moment import loose_clocks, moments

stamps = st.integers(1_000_000_000, 4_000_000_000)


@settings(max_examples=150)
@given(stamps, st.integers(-12 * 4, 14 * 4))
def test_every_writing_of_a_moment_is_its_second(stamp: int, quarters: int) -> None:
    """Any offset, order and twelve-hour clock name the same second."""
    zone = timezone(timedelta(minutes=15 * quarters))
    there = datetime.fromtimestamp(stamp, UTC).astimezone(zone)
    offset = f"{there:%z}"[:3] + ":" + f"{there:%z}"[3:]
    for text in (
        there.isoformat(),
        f"{there:%Y-%m-%d %H:%M:%S} UTC{offset}",
        f"{there:%B} {there.day}, {there.year} at {there:%I:%M:%S %p} (UTC{offset})",
        f"{there:%H:%M:%S} UTC{offset} on {there.day} {there:%B %Y}",
        f"{there.year}年{there.month}月{there.day}日{there.hour}时{there.minute}分{there.second}秒 UTC{offset}",
        str(stamp),
        f"{stamp}000",
        f"{stamp:,}",
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


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("凌晨12点5分", 0),
        ("凌晨3点5分", 3),
        ("上午9点5分", 9),
        ("中午12点5分", 12),
        ("下午5点5分", 17),
        ("晚上11:05", 23),
        ("12:05 AM", 0),
    ],
)
def test_halves_of_a_day_are_understood(text: str, hour: int) -> None:
    """Chinese parts of the day and the twelve-hour clock."""
    (one,) = moments(f"2024-04-01 {text}")
    assert one.first % 86400 == hour * 3600 + 300


@settings(max_examples=100)
@given(st.text(alphabet="0123456789:-+/ TZapm年月日时点分秒UTCES()", max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    """Digits and marks in any order never fail."""
    assert all(one.first <= one.last for one in moments(text))


@pytest.mark.parametrize(
    ("text", "many"),
    [
        *(("1711962635", 1), ("timestamp 1711962635", 1), ("at 1711962635 seconds", 1), ("时间戳为1711962635", 1)),
        *(
            ("block 1711962635", 0),
            ("block number is 1711962635", 0),
            ("高度1711962635", 0),
            ("1711962635 USDC", 0),
            ("#1711962635", 0),
        ),
    ],
)
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
