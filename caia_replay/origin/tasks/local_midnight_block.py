"""Which block was the newest when a day began somewhere that is not on UTC."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.day import chinese, english, iso, midnights
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_ZONES: Final = (("Beijing", "+08:00", 8), ("Tokyo", "+09:00", 9), ("Dubai", "+04:00", 4))
"""Places that have kept their offset all year for decades."""


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    for day in dice.some(midnights(story, 2, 6), 2 * _MOST):
        stage = dice.one(story.stages)
        place, offset, hours = dice.one(_ZONES)
        midnight = stage.calendar.midnight(day)
        moment = midnight - hours * 3_600
        block = story.height_after(stage, midnight, dice)
        if block is None:
            continue
        in_chinese = place == "Beijing" and dice.happens(60)
        question = (
            f"北京时间（UTC+8）{chinese(midnight)} 零点时，{story.network(stage)} 上最新的区块高度是多少？"
            if in_chinese
            else f"What was the height of the newest block on {story.network(stage)} when {english(midnight)} began in "
            f"{place} (UTC{offset})?"
        )
        call = step("time_conversion", time=f"{iso(midnight)}T00:00:00{offset}")
        yield Asked(question, stage, block, number(stage.calendar.at(moment), "block"),
                    gold("$1.blocks.0.last_block.block", call), story.chain(stage),
                    "zh" if in_chinese else "en")  # fmt: skip


SHAPE: Final = Shape(
    "local-midnight-block", "on-chain analysis", ("time_conversion",), _MOST, (1_500, 9_000),
    "A snapshot of holders is taken at the wrong block.", 2, _asked, ("trap:time-zone",),
)  # fmt: skip
