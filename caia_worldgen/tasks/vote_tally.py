"""How many votes a proposal had on one side at the end of a block, with the votes' decimals."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, view

_MOST: Final = 4
_TRIES: Final = 24
_TOLERANCE: Final = "0.0001"
_DECIMALS: Final = 4
_SIDES: Final = (("against", 0), ("in favour", 1), ("to abstain", 2))
_FUNCTION: Final = "proposalVotes(uint256)(uint256,uint256,uint256)"


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, end = story.scene.main, story.heights[story.scene.main.name][-1]
    known = [one for one in stage.views.questions() if (one.role, one.function) == ("governor", "proposalVotes")
             and next(stage.views.heights(one)) <= end]  # fmt: skip
    governor = stage.contracts["governor"].address
    for question in _TRIES * dice.some(known, len(known)):
        # Votes come in for some days alone; before the last of them a tally is not the final one.
        height = dice.number(next(stage.views.heights(question)), min(end, max(stage.views.heights(question))))
        block = story.height_from(stage, height, dice)
        (words, side), (motion,) = dice.one(_SIDES), question.arguments
        votes, later = (Fraction(stage.views.answer(question, at)[side], 10**18) for at in (height, block))
        if not is_sayable(votes, _TOLERANCE, _DECIMALS) or not is_told_apart(votes, later, _TOLERANCE):
            continue
        asked = (
            f"The governor {governor} on {story.network(stage)} counts votes in units of 10^-18. How many votes "
            f"{words} had proposal {motion} received by the end of block {height}? Apply the decimals and "
            "give four of them."
        )
        yield Asked(
            asked,
            stage,
            block,
            number(votes, None, _TOLERANCE),
            gold(f"$1.values.{side} / {10**18}", view(governor, _FUNCTION, height, str(motion))),
            "governor",
            f"By the end of block {height} proposal {motion} had received {{planted}} votes {words}.",
        )


SHAPE: Final = Shape(
    "vote-tally", "project discovery", "project facts", ("data_query",), _MOST, (3_000, 20_000),
    "A position is taken on the outcome of a vote that stands otherwise.", 2, _asked,
    Recipe(
        r"The governor (?P<governor>0x[0-9a-f]{40}) .* How many votes (?P<side>against|in favour|to abstain) had "
        r"proposal (?P<proposal>\d+) received by the end of block (?P<block>\d+)",
        "governor {governor} proposal {proposal} votes {side} block {block}",
        r"block {block} proposal {proposal} had received (?P<answer>[0-9][0-9,]*(?:\.[0-9]+)?) votes {side}",
    ),
    ("trap:decimals",),
)  # fmt: skip
