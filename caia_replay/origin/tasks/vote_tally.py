"""How many votes a proposal had in favour at the end of a block, in whole votes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, view

_MOST: Final = 4
_SIDES: Final = (("against", 0), ("in favour", 1))
_FUNCTION: Final = "proposalVotes(uint256)(uint256,uint256,uint256)"


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage = story.scene.main
    known = [one for one in stage.views.questions() if (one.role, one.function) == ("governor", "proposalVotes")]
    governor = stage.contracts["governor"].address
    for question in dice.some(known, len(known)):
        height = dice.number(next(stage.views.heights(question)), stage.calendar.last_block)
        tally, (motion,) = stage.views.answer(question, height), question.arguments
        words, side = next((one for one in _SIDES if tally[one[1]]), _SIDES[0])
        if not tally[side]:
            continue
        asked = (
            f"The governor {governor} on {story.network(stage)} counts votes in units of 10^-18. How many whole votes "
            f"{words} had proposal {motion} received by the end of block {height}?"
        )
        call = view(governor, _FUNCTION, height, str(motion))
        yield Asked(asked, stage, dice.number(height, stage.calendar.last_block),
                    number(Fraction(tally[side], 10**18), None, "0.01"),
                    gold(f"$1.values.{side} / {10**18}", call), "governor")  # fmt: skip


SHAPE: Final = Shape(
    "vote-tally", "project discovery", ("data_query",), _MOST, (3_000, 20_000),
    "A position is taken on the outcome of a vote that stands otherwise.", 2, _asked, ("trap:decimals",),
)  # fmt: skip
