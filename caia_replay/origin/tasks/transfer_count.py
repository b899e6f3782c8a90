"""How often a token moved within a range of blocks, mints and burns among it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import TRANSFER, Asked, Shape, Story, gold, number, step

_MOST: Final = 5


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    for _ in range(3 * _MOST):
        stage = dice.one(story.stages)
        asset = dice.one(story.tokens() if stage is story.scene.main else tuple(story.scene.bridged.values()))
        last = dice.number(stage.calendar.last_block // 3, stage.calendar.last_block)
        first = last - dice.number(last // 8, last // 3)
        truth = len(stage.ledger.within(asset.address, first, last))
        if truth < 3:
            continue
        question = (
            f"How many Transfer events did the token {asset.project.ticker} ({asset.address}) emit on "
            f"{story.network(stage)} in blocks {first} to {last}, both ends included? Count mints and burns as well."
        )
        call = step("data_query", contract=asset.address, event=TRANSFER, from_block=first, to_block=last)
        yield Asked(question, stage, dice.number(last, stage.calendar.last_block), number(truth),
                    gold("$1.count", call), asset.project.id)  # fmt: skip


SHAPE: Final = Shape(
    "transfer-count", "on-chain analysis", ("data_query",), _MOST, (1_000, 6_000),
    "A fee that follows activity is set wrongly.", 2, _asked,
)  # fmt: skip
