"""Days as questions and tools write them."""

from __future__ import annotations

from caia_replay.origin.tasks.day import chinese, english, iso, iso_time, midnights
from tests.shape_law import Bench

MOMENT = 1_709_164_799


def test_a_moment_is_written_by_its_utc_day() -> None:
    """The last second of 28 February 2024 is still that day, in every spelling."""
    assert (iso(MOMENT), iso_time(MOMENT)) == ("2024-02-28", "2024-02-28T23:59:59Z")
    assert (english(MOMENT), chinese(MOMENT)) == ("28 February 2024", "2024年2月28日")
    assert (english(MOMENT + 1), chinese(MOMENT + 1)) == ("29 February 2024", "2024年2月29日")


def test_days_end_before_the_story(bench: Bench) -> None:
    """From the first day wanted, up to so many before the end."""
    assert midnights(bench.story, 3, 5) == range(3, bench.story.scene.scale.days - 5)
