"""At which heights the tasks of a suite stand, and at which moments what is the case has to be recorded for them.

What is the case at a moment holds for a quarter of an hour around it. So a block of the roll-up that follows a block of
the main chain within that time needs no recording of its own, and such pairs are what a suite stands on first.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Final

from caia_replay.providers.endpoint import AS_OF_NOW_S
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Scene
from caia_worldgen.stage import Stage
from caia_worldgen.venue import HOUR_S

_EARLIEST: Final = 5
"""Nothing is asked in the first fifth of a story's days: too little has happened."""
_MAINS: Final = 43
_ROLLUPS: Final = 31
"""Per hundred tasks, how many heights of either chain there are to stand at."""


def draw_heights(scene: Scene, count: int) -> dict[str, tuple[int, ...]]:
    """Heights by stage for ``count`` tasks, ascending; the last that may be is among them."""
    rng = Rng(f"tasks/{scene.seed}/heights")
    mains, rollups = _open_to(scene, scene.main), _open_to(scene, scene.rollup)
    pairs = {after: before for after, before in pairs_of(scene).items() if after in rollups and before in mains}
    seconds = rng.some(sorted(pairs), min(len(pairs), _share(_ROLLUPS, count)))
    firsts = {pairs[after] for after in seconds} | {mains[-1]}
    alone = [block for block in mains if block not in firsts]
    firsts |= set(rng.some(alone, max(0, min(len(alone), _share(_MAINS, count) - len(firsts)))))
    fewest = _share(_ROLLUPS, count) // 3
    if len(seconds) < fewest:  # a story of few blocks, whose chains hardly ever meet
        later = [block for block in rollups if block not in seconds]
        seconds += rng.some(later, min(len(later), fewest - len(seconds)))
    return {"main": tuple(sorted(firsts)), "rollup": tuple(sorted(seconds))}


def _open_to(scene: Scene, stage: Stage) -> range:
    """The blocks at which tasks may stand: not in the story's beginning, when little has happened, and not on its last
    day, which no recording of a later day and no later header of the other chain tells to be over."""
    calendar, days = stage.calendar, scene.scale.days
    first = next(block for block in range(len(calendar.times)) if calendar.day_of(block) >= days // _EARLIEST)
    last = max(block for block in range(len(calendar.times)) if calendar.day_of(block) < days - 1)
    return range(first, last + 1)


def pairs_of(scene: Scene) -> dict[int, int]:
    """The roll-up's blocks that follow one of the main chain within a quarter of an hour and its hour, with that."""
    times, found = scene.main.calendar.times, {}
    for block, moment in enumerate(scene.rollup.calendar.times):
        before = bisect_right(times, moment) - 1
        if before >= 0 and _holds(times[before], moment):
            found[block] = before
    return found


def moments_of(scene: Scene, heights: Mapping[str, Sequence[int]]) -> tuple[int, ...]:
    """The moments at which what is the case is asked, so that it is known at every height; seconds, ascending."""
    found = [scene.main.calendar.times[block] for block in heights["main"]]
    for block in heights["rollup"]:
        moment = scene.rollup.calendar.times[block]
        if not any(_holds(one, moment) for one in found):
            found.append(moment)
    return tuple(sorted(set(found)))


def _holds(recorded: int, moment: int) -> bool:
    """Within one hour, since prices outside change with the hour, and what an index tells of its days with the day."""
    return 0 <= moment - recorded <= AS_OF_NOW_S and recorded // HOUR_S == moment // HOUR_S


def _share(per_hundred: int, count: int) -> int:
    return -(-per_hundred * count // 100)
