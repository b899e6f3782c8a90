"""How many transactions failed on a chain on one UTC day: they are in its blocks, and cost their senders gas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.origin.deed import FAILED
from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.day import english, iso, midnights
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_DAYS: Final = 5


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    for day in dice.some(midnights(story, 2, _DAYS + 3), 2 * _MOST):
        stage = dice.one(story.stages)
        first, end = stage.calendar.midnight(day), stage.calendar.midnight(day + _DAYS)
        truth = sum(deed.verb in FAILED and day <= stage.calendar.day_of(deed.block) < day + _DAYS
                    for deed in stage.deeds)  # fmt: skip
        block = story.height_after(stage, end, dice)
        if block is None or not truth:
            continue
        question = (
            f"How many transactions failed on {story.network(stage)} from {english(first)} to {english(end - 1)} "
            "(UTC days, both included)?"
        )
        call = step("network_activity", chain=story.chain(stage), start=iso(first), end=iso(end - 1))
        yield Asked(
            question, stage, block, number(truth), gold("$1.in_all.failed_transactions", call), story.chain(stage)
        )


SHAPE: Final = Shape(
    "failed-transactions", "on-chain analysis", ("network_activity",), _MOST, (1_000, 8_000),
    "A network is called reliable on the count of its successes.", 2, _asked,
)  # fmt: skip
