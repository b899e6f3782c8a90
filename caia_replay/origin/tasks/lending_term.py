"""One of a lending market's terms, which its contract tells in hundredths of a per cent."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.act.lend import COLLATERALS
from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, view
from caia_replay.origin.view import Question

_MOST: Final = 6
_TERMS: Final = (
    ("ltvBps", "how much of their collateral's worth can be borrowed"),
    ("liquidationBps", "at which debt, as a share of the collateral's worth, are positions liquidated"),
    ("bonusBps", "what discount do liquidators get on the collateral"),
    ("rateBpsPerYear", "which interest do borrowers pay per year"),
)


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage = story.scene.main
    pairs = [(role, term) for role in COLLATERALS for term in _TERMS]
    for role, (function, words) in dice.some(pairs, len(pairs)):
        question = Question(f"{role} lending market", function)
        block = dice.number(next(stage.views.heights(question)), stage.calendar.last_block)
        (points,) = stage.views.answer(question, block)
        desk, asset = stage.contracts[question.role].address, story.scene.assets[role]
        lend = story.scene.projects["lend"]
        asked = (
            f"In {lend.name}'s market for loans against {asset.project.ticker} ({desk}, {story.network(stage)}), "
            f"{words}? Answer in per cent."
        )
        yield Asked(asked, stage, block, number(Fraction(points, 100), "%"),
                    gold("$1.values.0 / 100", view(desk, f"{function}()(uint256)", block)), lend.id)  # fmt: skip


SHAPE: Final = Shape(
    "lending-term", "project discovery", ("data_query",), _MOST, (4_000, 45_000),
    "A loan is liquidated that was thought to be safe.", 2, _asked, ("trap:units",),
)  # fmt: skip
