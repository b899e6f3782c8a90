"""One of the rules by which a project is governed: each contract tells its own in a unit of its own."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, view
from caia_replay.origin.view import Question

_MOST: Final = 4
_TERMS: Final = (
    ("timelock", "getMinDelay", 3_600, "hours", "how many hours must pass between queueing and executing a decision"),
    ("governor", "votingPeriod", 1, "blocks", "for how many blocks is a vote open"),
    ("governor", "votingDelay", 1, "blocks", "how many blocks lie between a proposal and the beginning of its vote"),
    ("governor", "proposalThreshold", 10**18, None, "how many whole votes does it take to make a proposal"),
)
"""Contract, function, what one unit is in its own, the unit, and the words."""


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage = story.scene.main
    for role, function, unit, name, words in dice.some(_TERMS, len(_TERMS)):
        question = Question(role, function)
        block = dice.number(next(stage.views.heights(question)), stage.calendar.last_block)
        (told,), contract = stage.views.answer(question, block), stage.contracts[role].address
        asked = f"By the rules of the {role} {contract} on {story.network(stage)}, {words}?"
        call = view(contract, f"{function}()(uint256)", block)
        yield Asked(asked, stage, block, number(Fraction(told, unit), name), gold(f"$1.values.0 / {unit}", call), role)


SHAPE: Final = Shape(
    "governance-term", "project discovery", ("data_query",), _MOST, (3_000, 25_000),
    "Holders are told of a change after they could have left.", 2, _asked, ("trap:units",),
)  # fmt: skip
