"""When the blocks of a synthetic chain are made: days from the seed, each with the same number of blocks.

Seconds since 1970, UTC. Days begin at midnight, so that what happened "on a day" means the same to the chain, to the
ledger and to a market's daily candle.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from caia_replay.errors import BadInput, nearest
from caia_worldgen.rng import Rng

DAY_S: Final = 86_400
_EARLIEST: Final = 1_704_067_200 // DAY_S
"""2024-01-01: no world begins before it."""
_SPAN_DAYS: Final = 300

OPENING: Final = 60
"""How many blocks an opening may take, at most."""
_OPENING_EVERY_S: Final = 40


@dataclass(frozen=True, slots=True)
class Calendar:
    """``times[n]`` is the timestamp of block n; block 0, the genesis, is made at the first midnight."""

    first_day: int
    days: int
    times: Sequence[int]

    def day_of(self, block: int) -> int:
        """Which day of the story a block is in, from 0."""
        return self.times[block] // DAY_S - self.first_day

    def midnight(self, day: int) -> int:
        """The moment a day of the story begins."""
        return (self.first_day + day) * DAY_S

    def blocks_of(self, day: int) -> range:
        """The blocks of one day."""
        first, last = self.midnight(day), self.midnight(day + 1)
        return range(bisect_left(self.times, first), bisect_left(self.times, last))

    def at(self, moment: int) -> int:
        """The newest block at a moment. Raises ``ValueError`` before the genesis."""
        if moment < self.times[0]:
            raise ValueError(f"{moment} is before the genesis at {self.times[0]}")
        return bisect_right(self.times, moment) - 1

    def without(self, blocks: range) -> Calendar:
        """The calendar in which some blocks are never made; those after them move up."""
        return Calendar(self.first_day, self.days, (*self.times[: blocks.start], *self.times[blocks.stop :]))

    @property
    def last_block(self) -> int:
        """The height of the story's end."""
        return len(self.times) - 1


def draw_calendar(chain: str, seed: int, days: int, blocks_per_day: int) -> Calendar:
    """The calendar of a chain: ``OPENING`` blocks in the first hour, then ``blocks_per_day`` (at most 20) every day.

    Two chains of one seed begin on the same day, at times of their own. Block intervals vary by a third of their mean,
    so that timestamps cannot be guessed from heights.
    """
    first_day = _EARLIEST + Rng(f"calendar/{seed}").number(0, _SPAN_DAYS)
    rng = Rng(f"calendar/{seed}/{chain}")
    every = DAY_S // (blocks_per_day + 1)
    times = [first_day * DAY_S]
    times += [times[0] + number * _OPENING_EVERY_S + rng.number(0, 9) for number in range(1, OPENING + 1)]
    for day in range(days):
        midnight = (first_day + day) * DAY_S
        times += [midnight + number * every + rng.number(-every // 3, every // 3)
                  for number in range(1, blocks_per_day + 1)]  # fmt: skip
    return Calendar(first_day, days, tuple(times))


@dataclass(frozen=True, slots=True)
class Scale:
    """Blocks a day on the main chain and on the roll-up, how many ordinary transactions a block has on average, and
    how many tasks the suite that is asked of it has."""

    name: str
    days: int
    main_blocks: int
    rollup_blocks: int
    transactions: int
    tasks: int = 178


SCALES: Final = {
    scale.name: scale
    for scale in (
        Scale("small", 126, 1, 1, 6, 60),
        Scale("quarter", 126, 4, 1, 10, 178),
        Scale("half", 126, 8, 2, 10, 178),
        Scale("full", 126, 16, 4, 10, 178),
    )
}


def scale_named(name: str) -> Scale:
    """Raises ``BadInput`` for an unknown size."""
    if name not in SCALES:
        raise BadInput(f"no size {name!r}", nearest=nearest(name, SCALES) or ", ".join(SCALES))
    return SCALES[name]
