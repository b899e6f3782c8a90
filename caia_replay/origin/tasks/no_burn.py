"""Whether any of a token was burnt within a range of blocks, asked where nothing was: the right answer is no."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.ledger import NOBODY
from caia_replay.origin.tasks.shape import TRANSFER, Asked, Shape, Story, gold, step, yes_no

_MOST: Final = 4


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage = story.scene.main
    for at in range(8 * _MOST):
        asset = dice.one(story.tokens())
        last = dice.number(stage.calendar.last_block // 3, stage.calendar.last_block)
        first = last - dice.number(last // 8, last // 4)
        moved = stage.ledger.within(asset.address, first, last)
        burnt = any(one.recipient == NOBODY for one in moved)
        # One in four is a question whose answer is yes, so that "no" is no answer to all of them.
        if burnt != (at % 4 == 3) or not moved:
            continue
        question = (
            f"People say that {asset.project.name} burnt some of its {asset.project.ticker} ({asset.address}) on "
            f"{story.network(stage)} between blocks {first} and {last}, both included. Did it happen? "
            "Answer yes or no."
        )
        call = step("data_query", contract=asset.address, event=TRANSFER, from_block=first, to_block=last,
                    where=(f"to={NOBODY}",))  # fmt: skip
        yield Asked(question, stage, dice.number(last, stage.calendar.last_block), yes_no(burnt),
                    gold("yes_no($1.count > 0)", call), asset.project.id)  # fmt: skip


SHAPE: Final = Shape(
    "no-burn", "tokenomics", ("data_query",), _MOST, (2_000, 20_000),
    "A token is bought for a burn that never happened.", 2, _asked, ("trap:false-premise",),
)  # fmt: skip
