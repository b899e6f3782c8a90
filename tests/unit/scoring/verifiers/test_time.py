"""Moments to the second."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.verifiers.time import TimeVerifier

VALUE = "2024-04-01T09:10:35Z"
moments = st.integers(1_262_304_000, 3_786_912_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))


def right(answer: str, value: str = VALUE, tolerance: int | None = None) -> bool | None:
    """The verdict alone."""
    return TimeVerifier().verify(AnswerSpec("time", (value,), tolerance_seconds=tolerance), answer).correct


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


@settings(max_examples=60)
@given(moments)
def test_every_form_of_a_moment_is_right(moment: datetime) -> None:
    """Zones, orders and clocks do not matter; nor do case and spaces."""
    value = f"{moment:%Y-%m-%dT%H:%M:%SZ}"
    for form in forms(moment):
        assert right(form, value) is True, form
        assert right(f"  {form.upper()} ", value) is True, form


@settings(max_examples=60)
@given(moments, st.integers(1, 200_000), st.sampled_from([" or ", ", ", " / ", "; ", " and "]))
def test_another_second_never_passes(moment: datetime, away: int, between: str) -> None:
    """A planted moment is wrong alone, and a hedge beside the right one, in every form."""
    value = f"{moment:%Y-%m-%dT%H:%M:%SZ}"
    for planted, true in zip(forms(moment + timedelta(seconds=away)), forms(moment)):
        assert right(planted, value) is False, planted
        assert right(f"{true}{between}{planted}", value) is False
        assert right(f"{planted}{between}{true}", value) is False


@settings(max_examples=100)
@given(moments, st.integers(0, 4000), st.integers(-8000, 8000))
def test_the_tolerance_counts_seconds(moment: datetime, tolerance: int, away: int) -> None:
    """Right exactly within it."""
    said = moment + timedelta(seconds=away)
    assert right(f"{said:%Y-%m-%d %H:%M:%S}", f"{moment:%Y-%m-%dT%H:%M:%SZ}", tolerance) is (abs(away) <= tolerance)


@pytest.mark.parametrize(
    "answer",
    [
        *("2024-04-01 05:10:35 EDT", "April 1, 2024, 5:10:35 a.m. Eastern Time", "2024-04-01 14:40:35 IST"),
        *(
            "2024-04-01 09:10:35 UTC (17:10:35 Beijing time)",
            "Date: 2024-04-01\nTime: 09:10:35 UTC",
            "2024-04-01T09:10:35.000Z",
        ),
        *(
            "Not 2024-04-01 10:10:35 UTC as the blog says; 2024-04-01 09:10:35 UTC",
            "2024年4月1日下午5点10分35秒（北京时间）",
        ),
        "Monday, April 1, 2024 9:10:35 AM (UTC)",
    ],
)
def test_right_moments_as_models_write_them(answer: str) -> None:
    """Zones by name, two zones at once, a rejected lie."""
    assert right(answer) is True


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "2024-04-01 09:10 UTC",
            "2024-04-01",
            "2024-04-01 09:10:35 PM UTC",
            "2024-04-01 09:10:35 EST",
            "09:10:35 UTC",
        ),
        *(
            "2024-04-01 09:10:35 CST",
            "2024-04-01 09:10:35 local time",
            "2024-04-01 09:10:35 Zurich time",
            "2024-04-01 09:10:35 NPT",
            "01/04/2024 09:10:35",
        ),
        *(
            "before 2024-04-01 09:10:35 UTC",
            "not 2024-04-01 09:10:35",
            "2024-04-01 09:10:35 or 09:10:47",
            "2024-04-01 09:10:35 UTC+8",
        ),
        *(
            "2024-04-01 09:10:35 UTC (1711962636)",
            "2024-04-01 09:10:35 UTC or April 2",
            "北京时间 2024-04-01 09:10:35",
            "unknown",
        ),
    ],
)
def test_wrong_moments_as_models_write_them(answer: str) -> None:
    """Too coarse, another zone, bounds, hedges."""
    assert right(answer) is False


def test_less_precision_needs_its_tolerance() -> None:
    """A minute is right where every second of it is."""
    assert right("2024-04-01 09:10 UTC", tolerance=60) is True
    assert right("2024-04-01 09:10 UTC", tolerance=30) is False
    assert right("2024-04-01 09:10 UTC", "2024-04-01T09:10:00Z", 58) is False
    assert right("2024-04-01 09:10 UTC", "2024-04-01T09:10:00Z", 59) is True
    assert right("2024-04-01", tolerance=86400) is True


@pytest.mark.parametrize(
    "value", ["2024-04-01", "2024-04-01T09:10Z", "2024-04-01 09:10:35", "soon", "2024-04-01 09:10:35 CST"]
)
def test_a_value_that_is_no_second_with_its_zone_is_bad_input(value: str) -> None:
    """The task's own moment leaves nothing open."""
    with pytest.raises(BadInput):
        right("x", value)


def test_a_negative_tolerance_is_bad_input() -> None:
    """Nothing lies within it."""
    with pytest.raises(BadInput):
        right("x", tolerance=-1)


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "2024-04-01 17:10:35 Asia/Shanghai",
            "2024-04-01T17:10:35+08:00[Asia/Shanghai]",
            "2024-04-01 17:10:35 Shanghai",
        ),
        *("2024-04-01 05:10:35 America/New_York", "2024-04-01 17:10:35 Etc/GMT-8", "上海时间2024年4月1日17:10:35"),
        *("时间戳为1711962635", "timestamp of block 19558410 is 1711962635", "Monday, 2024-04-01 09:10:35 (Etherscan)"),
        *("2024-04-01 09:10:35 on Ethereum mainnet", "2024-04-01 09:10:35\nSource: Etherscan"),
    ],
)
def test_places_whose_zone_is_listed_are_converted(answer: str) -> None:
    """Names of the tz database with one offset, cities, and what is no zone at all."""
    assert right(answer) is True


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "2024-04-01 09:10:35 Asia/Shanghai",
            "2024-04-01 09:10:35 (America/New_York)",
            "Asia/Tokyo 2024-04-01 09:10:35",
        ),
        *("2024-04-01 09:10:35 Etc/GMT+8", "2024-04-01 09:10:35 Europe/London", "2024-04-01 09:10:35 in Zug"),
        *(
            "2024-04-01 09:10:35 (Bogota)",
            "2024-04-01 09:10:35 PRC",
            "2024-04-01 09:10:35（纽约）",
            "2024-04-01T09:10:35Z[Asia/Tokyo]",
        ),
        *(
            "block 1711962635",
            "block height: 1711962635",
            "区块 1711962635",
            "nonce 1711962635",
            "1711962635 wei",
            "$1711962635",
        ),
        *(
            "an hour before 2024-04-01 09:10:35 UTC",
            "前一小时 2024-04-01 09:10:35",
            "2024-04-01 09:10:35 UTC minus one hour",
        ),
        *(
            "by 2024-04-01 09:10:35 UTC",
            "截至2024-04-01 09:10:35",
            "2024-04-01, before 09:10:35 UTC",
            "around 2024-04-01 09:10:35",
        ),
        *("Tuesday, 2024-04-01 09:10:35 UTC", "2024-04-01 09:10:35 UTC (Sunday)"),
    ],
)
def test_other_places_numbers_and_bounds_are_wrong(answer: str) -> None:
    """A zone that is not listed is never UTC, a counted number no second, and a bound no moment."""
    assert right(answer) is False


def test_about_a_time_is_right_where_a_tolerance_is_given() -> None:
    """An exact second is not "around"."""
    assert right("around 2024-04-01 09:10:35 UTC", tolerance=60) is True
    assert right("around 2024-04-01 09:10:35 UTC") is right("before 2024-04-01 09:10:35 UTC", tolerance=60) is False
