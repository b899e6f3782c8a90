"""At which heights tasks stand, and which moments that takes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from caia_replay.origin.calendar import OPENING, draw_calendar
from caia_replay.origin.scene import Scene
from caia_replay.origin.tasks.height import draw_heights, moments_of, pairs_of
from caia_replay.origin.venue import HOUR_S
from caia_replay.providers.endpoint import AS_OF_NOW_S


def scene(seed: int, mains: int, rollups: int) -> Scene:
    """A story's calendars, and nothing else of it."""
    stages = {
        name: SimpleNamespace(calendar=draw_calendar(name, seed, 126, blocks).without(range(9, OPENING + 1)))
        for name, blocks in (("main", mains), ("rollup", rollups))
    }
    return cast("Scene", cast("Any", SimpleNamespace(seed=seed, scale=SimpleNamespace(days=126), **stages)))


@pytest.mark.parametrize("seed", range(1, 6))
def test_every_height_has_a_moment_that_holds_for_it(seed: int) -> None:
    """Made at it or at most a quarter of an hour before, in the same hour; pairs spare moments."""
    story = scene(seed, 16, 4)
    heights = draw_heights(story, 178)
    moments = moments_of(story, heights)
    for name, calendar in (("main", story.main.calendar), ("rollup", story.rollup.calendar)):
        assert list(heights[name]) == sorted(set(heights[name]))
        assert {calendar.day_of(block) for block in heights[name]} <= set(range(126 // 5, 125))
        for block in heights[name]:
            at = calendar.times[block]
            assert any(0 <= at - one <= AS_OF_NOW_S and one // HOUR_S == at // HOUR_S for one in moments)
    assert sum(map(len, heights.values())) >= 120 and len(moments) <= len(heights["main"]) + 1


def test_a_pair_is_a_block_and_the_one_before_it() -> None:
    """No block of the main chain lies between the two."""
    story = scene(1, 16, 4)
    pairs = pairs_of(story)
    assert len(pairs) > 55
    for after, before in pairs.items():
        moment, times = story.rollup.calendar.times[after], story.main.calendar.times
        assert times[before] <= moment and (before + 1 == len(times) or times[before + 1] > moment)


def test_a_short_story_has_heights_as_well() -> None:
    """Where the chains hardly ever meet, some of the roll-up's blocks have moments of their own."""
    story = scene(3, 1, 1)
    heights = draw_heights(story, 60)
    assert len(heights["main"]) > 15 and len(heights["rollup"]) > 5
    assert len(moments_of(story, heights)) > len(heights["main"])
