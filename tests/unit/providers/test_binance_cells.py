"""Binance's grids: where candles open, and which cells a question is recorded in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.providers.binance.interval import STEPS_MS, Interval, interval_of
from caia_replay.providers.binance.klines import GridKind, funding_cells, grid_cells
from caia_replay.providers.endpoint import Endpoint

FRIDAY_MS = 1_717_171_717_171
"""2024-05-31 16:08:37.171, a Friday."""


@pytest.mark.parametrize(
    ("name", "zone", "opening", "after"),
    [("1m", "0", 1_717_171_680_000, 1_717_171_740_000), ("1h", "0", 1_717_171_200_000, 1_717_174_800_000),
     ("1h", "05:45", 1_717_168_500_000, 1_717_172_100_000), ("1d", "0", 1_717_113_600_000, 1_717_200_000_000),
     ("1d", "8", 1_717_171_200_000, 1_717_257_600_000), ("1w", "0", 1_716_768_000_000, 1_717_372_800_000),
     ("1M", "0", 1_714_521_600_000, 1_717_200_000_000), ("1M", "8", 1_717_171_200_000, 1_719_763_200_000)],
)  # fmt: skip
def test_candles_open_where_the_vendors_do(name: str, zone: str, opening: int, after: int) -> None:
    """Weeks on Monday, months on the first, and everything moved by the zone."""
    grid = interval_of(name, zone)
    assert grid is not None
    assert (grid.floor(FRIDAY_MS), grid.next(opening), grid.ceil(FRIDAY_MS)) == (opening, after, after)


@given(st.sampled_from(sorted(STEPS_MS)), st.integers(0, 4 * 10**12), st.integers(-720, 840))
def test_a_moment_lies_between_two_openings(name: str, moment: int, minutes: int) -> None:
    """Floor is at or before it, the next opening after it; an opening is its own floor and ceiling."""
    grid = Interval(name, minutes * 60_000)
    opening = grid.floor(moment)
    assert opening <= moment < grid.next(opening) <= opening + grid.longest_ms
    assert grid.floor(opening) == opening == grid.ceil(opening) and grid.floor(grid.next(opening) - 1) == opening


def test_which_candles_make_up_which() -> None:
    """Those that divide the longer ones and open with them; what is no interval or no zone is none."""
    assert [interval_of(*asked) for asked in (("7h", "0"), ("1h", "15"), ("1h", "-12:01"), ("1h", "1:60"))] == [
        None
    ] * 4
    assert interval_of("1h", "-12") == Interval("1h", -43_200_000)
    assert not Interval("3d").is_sure and Interval("1d").is_sure
    assert interval_of("1h", "\u0668") is None and interval_of("1h", "8") is not None
    made = [("1d", "8h"), ("1w", "1d"), ("1M", "12h"), ("12h", "6h"), ("4h", "1s")]
    not_made = [("1M", "1w"), ("12h", "8h"), ("3d", "1d"), ("1w", "3d"), ("1h", "1h"), ("1h", "1d"), ("1d", "1M")]
    assert all(Interval(long).is_made_of(Interval(small)) for long, small in made)
    assert not any(Interval(long).is_made_of(Interval(small)) for long, small in not_made)
    shifted = Interval("1d", 45 * 60_000)
    assert shifted.is_made_of(Interval("15m")) and not shifted.is_made_of(Interval("1h"))


HOUR = 3_600_000
DAY = 24 * HOUR
NOW = 1_717_200_000 + 100
KLINES = GridKind("interval", 500, 1000)
STATISTICS = GridKind("period", 30, 500, strict=True, forgets=True, sure=False)
CELL = 1000 * HOUR


def cells(kind: GridKind, **asked: str) -> list[dict[str, str]]:
    """The windows of a question."""
    return [dict(cell) for cell in grid_cells(kind, Endpoint("", "", asked), NOW)]


def test_a_start_is_recorded_in_aligned_cells() -> None:
    """Neighbours share them; they name no end, but for the last, which ends now; without a start they go backwards."""
    start = 400 * CELL + 5 * HOUR
    for shift in (0, HOUR):
        found = cells(KLINES, symbol="AB", interval="1h", startTime=str(start + shift), limit="10")
        assert found == [{"symbol": "AB", "interval": "1h", "limit": "1000", "startTime": str(400 * CELL)}]
    long = cells(KLINES, interval="1h", startTime=str(start), limit="1000")
    assert [cell["startTime"] for cell in long] == [str(400 * CELL), str(401 * CELL)]
    found = cells(KLINES, interval="1h", startTime=str(NOW * 1000 - HOUR))
    assert found[-1]["endTime"] == str(NOW * 1000)
    assert cells(KLINES, interval="1h", startTime=str(NOW * 1000 + 1)) == [
        {"interval": "1h", "startTime": str(NOW * 1000 + 1)}
    ]
    found = cells(KLINES, interval="1h", endTime=str(400 * CELL + 7), limit="20")
    assert [cell["endTime"] for cell in found] == [str(400 * CELL - 1), str(401 * CELL - 1)]
    assert all("startTime" not in cell for cell in found)
    assert cells(KLINES, interval="1h")[-1]["endTime"] == str(NOW * 1000)


def test_statistics_are_asked_for_thirty_days_at_most() -> None:
    """No cell begins earlier than the vendor keeps; a window of unknown end is recorded as it is, too."""
    oldest = NOW * 1000 - 30 * DAY
    found = cells(STATISTICS, period="1h", startTime=str(oldest + HOUR), endTime=str(oldest + 9 * HOUR))
    assert len(found) == 1 and int(found[0]["startTime"]) >= oldest
    asked = {"period": "1h", "startTime": str(oldest + HOUR), "limit": "5"}
    assert cells(STATISTICS, **asked)[-1] == asked
    assert cells(STATISTICS, period="1h", startTime=str(oldest - 1)) == [{"period": "1h", "startTime": str(oldest - 1)}]


def test_wrong_questions_are_their_own() -> None:
    """The vendor's error is recorded for the very question; funding is for the better part of a year at once."""
    for asked in ({"interval": "7h"}, {"interval": "1h", "limit": "0"}, {"interval": "1h", "startTime": "x"}):
        assert cells(KLINES, **asked) == [asked]
    wrong = Endpoint("", "", {"symbol": "AB", "limit": "1001"})
    assert list(funding_cells(GridKind("", 100, 1000, strict=True), wrong, NOW)) == [wrong.parameters]
    found = funding_cells(
        GridKind("", 100, 1000, strict=True), Endpoint("", "", {"startTime": str(8000 * HOUR * 50)}), NOW
    )
    assert [dict(cell) for cell in found] == [{"startTime": str(8000 * HOUR * 50), "limit": "1000"}]
