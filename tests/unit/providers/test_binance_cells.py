"""Tests for caia_replay.providers.binance_cells."""

from __future__ import annotations

from caia_replay.providers.binance_cells import funding_cells, grid_cells
from caia_replay.providers.binance_klines import GridKind
from caia_replay.providers.endpoint import Endpoint

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
    """Neighbouring questions share them; they name no end, so that they reach the first rows of a later market."""
    start = 400 * CELL + 5 * HOUR
    for shift in (0, HOUR):
        found = cells(KLINES, symbol="AB", interval="1h", startTime=str(start + shift), limit="10")
        assert found == [{"symbol": "AB", "interval": "1h", "limit": "1000", "startTime": str(400 * CELL)}]
    long = cells(KLINES, interval="1h", startTime=str(start), limit="1000")
    assert [cell["startTime"] for cell in long] == [str(400 * CELL), str(401 * CELL)]


def test_the_last_cell_ends_now() -> None:
    """Nothing is asked of what has not happened."""
    found = cells(KLINES, interval="1h", startTime=str(NOW * 1000 - HOUR))
    assert found[-1]["endTime"] == str(NOW * 1000)
    assert cells(KLINES, interval="1h", startTime=str(NOW * 1000 + 1)) == [
        {"interval": "1h", "startTime": str(NOW * 1000 + 1)}
    ]


def test_a_question_without_a_start_is_recorded_backwards() -> None:
    """The cell of its end and the one before it: a short reply shows that there is nothing earlier."""
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
    """The vendor's error is recorded for the very question."""
    for asked in ({"interval": "7h"}, {"interval": "1h", "limit": "0"}, {"interval": "1h", "startTime": "x"}):
        assert cells(KLINES, **asked) == [asked]
    wrong = Endpoint("", "", {"symbol": "AB", "limit": "1001"})
    assert list(funding_cells(GridKind("", 100, 1000, strict=True), wrong, NOW)) == [wrong.parameters]


def test_funding_is_recorded_for_the_better_part_of_a_year_at_once() -> None:
    """A thousand payments, eight hours apart."""
    found = funding_cells(
        GridKind("", 100, 1000, strict=True), Endpoint("", "", {"startTime": str(8000 * HOUR * 50)}), NOW
    )
    assert [dict(cell) for cell in found] == [{"startTime": str(8000 * HOUR * 50), "limit": "1000"}]
