"""Recording beside asking, limits beside the least they allow, and growth."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.bench import recording, table
from caia_replay.bench.recording import Clock, Limited, least
from caia_replay.bench.row import Row
from caia_replay.origin.services.service import Asked

ASKED = Asked("GET", "/x", {"n": "1"})


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return list(recording.rows(requests=40, few=3, many=12))


def test_every_row_is_judged(rows: list[Row]) -> None:
    """Two of throughput, three of limits, two of growth; each has a limit and a floor."""
    assert [row.unit for row in rows] == ["requests/s"] * 2 + ["s"] * 3 + ["us"] * 2
    assert all(row.limit is not None and row.value > 0 and row.floor > 0 for row in rows)
    assert [row.at_least for row in rows] == [True] * 2 + [False] * 5


def test_simulated_time_is_the_same_on_every_machine(rows: list[Row]) -> None:
    """What is waited is the recorder's and the limit's matter alone: no machine's clock is in it."""
    host, two, apart = rows[2:5]
    assert (round(host.value, 1), host.floor) == (61.1, 60.0) and host.ok
    assert (round(two.value, 1), two.floor) == (63.1, 60.0) and two.ok
    assert (apart.value, apart.floor) == (19.5, 19.5)


def test_a_recorder_that_waits_too_long_breaks_the_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Such as one that waits twice what it was told."""
    wait = Clock.wait
    monkeypatch.setattr(Clock, "wait", lambda clock, seconds: wait(clock, seconds * (2 if seconds > 1 else 1)))
    row = recording._limited(tmp_path, 40, {"https://one.example": 30})
    assert not row.ok


def test_a_limited_host_counts_by_the_minute() -> None:
    """It answers so many, tells the seconds that are left, and answers again after them."""
    clock = Clock()
    host = Limited("https://one.example", 2, clock)
    assert [host.answer(ASKED, 0).status for _ in range(3)] == [200, 200, 429]
    told = int(host.answer(ASKED, 0).headers["Retry-After"])
    clock.wait(told - 2)
    assert host.answer(ASKED, 0).status == 429
    clock.wait(2)
    assert [host.answer(ASKED, 0).status for _ in range(3)] == [200, 200, 429]


@pytest.mark.parametrize(("requests", "seconds"), [(1, 0), (30, 0), (31, 60), (60, 60), (61, 120), (300, 540)])
def test_the_least_time_is_of_whole_minutes(requests: int, seconds: int) -> None:
    """The first of a minute's requests may be made at its beginning, all of them at once."""
    assert least(requests, 30) == seconds


def test_the_group_has_planning_and_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other."""
    monkeypatch.setattr("caia_replay.bench.planning.rows", lambda: iter([Row("plan", 1, "s", 1)]))
    monkeypatch.setattr("caia_replay.bench.recording.rows", lambda: iter([Row("record", 1, "s", 1)]))
    assert [row.name for row in table.GROUPS["recording"]()] == ["plan", "record"]
