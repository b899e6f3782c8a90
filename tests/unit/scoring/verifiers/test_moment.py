"""Moments in text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
