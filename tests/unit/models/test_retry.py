"""How long an endpoint is waited for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.models.retry import Patience, Retries, retry_after_s


def retries(waits: list[float], most: int = 6, **bounds: Any) -> Retries:
    """Retries that note their waits."""
    return Retries(Patience(sleep=waits.append, **bounds), most)


def test_own_waits_double_up_to_a_bound_and_a_count() -> None:
    """Half a second, one, two; never more than thirty; no more often than allowed."""
    waits: list[float] = []
    trying = retries(waits, most=9, total_s=1_000)
    while trying.again("server"):
        pass
    assert waits == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


@given(
    st.lists(st.tuples(st.sampled_from(["server", "connection", "timeout"]), st.none() | st.floats(-5, 1e9))),
    st.floats(0, 100),
    st.integers(0, 20),
)
def test_no_server_can_make_us_wait_longer_than_the_budget(
    asked: list[tuple[str, float | None]], total_s: float, most: int
) -> None:
    """Whatever it asks for, the sum of waits, each wait and their number stay within bounds."""
    waits: list[float] = []
    trying = retries(waits, most=most, total_s=total_s, longest_s=20)
    for reason, wait in asked:
        trying.again(reason, wait)
    assert sum(waits) <= total_s + 1e-6 and len(waits) <= most and all(0 <= wait <= 20 for wait in waits)


def test_a_wait_that_is_asked_for_is_kept_or_refused_whole() -> None:
    """Less than was asked for would be no use: either all of it or none."""
    waits: list[float] = []
    trying = retries(waits, longest_s=60)
    assert trying.again("server", 60) and not trying.again("server", 86_400) and not trying.again("server", 61)
    assert waits == [60]


def test_silence_is_tried_once_more() -> None:
    """A second deadline that passes is the last."""
    waits: list[float] = []
    trying = retries(waits)
    assert trying.again("timeout") and not trying.again("timeout") and trying.again("connection")


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "Mon, 99 Nov 2026 00:00:00 GMT"}, None),
        ({"retry-after": "Tue, 24 Nov 2026 00:01:00 GMT", "date": "Tue, 24 Nov 2026 00:00:00 GMT"}, 60),
        ({"retry-after": "Tue, 24 Nov 2026 00:01:00 -0000", "date": "Tue, 24 Nov 2026 00:00:00 GMT"}, 60),
    ],
)
def test_every_form_of_the_header_is_read(headers: dict[str, str], wait: float | None) -> None:
    """Milliseconds first, then seconds, then a date by the server's own clock; nonsense is no wait."""
    assert retry_after_s(headers) == wait


def test_an_infinite_wait_is_none_that_is_waited() -> None:
    """Infinity is read as what it says, and refused."""
    assert not retries([]).again("server", retry_after_s({"retry-after": "1e999"}))


def test_a_date_without_the_servers_clock_is_read_by_ours() -> None:
    """A day from now is about a day."""
    wait = retry_after_s({"retry-after": format_datetime(datetime.now(UTC) + timedelta(days=1), usegmt=True)})
    assert wait is not None and abs(wait - 86_400) < 600
