"""What a spender may still take: an approval that was used up or revoked is nothing, one without limit is all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, step, yes_no

_MOST: Final = 4
_TOKEN: Final = "dollar token"


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage, asset = story.scene.main, story.scene.assets["dollar"]
    known = [one for one in stage.views.questions() if (one.role, one.function) == (_TOKEN, "allowance")]
    for question in dice.some(known, len(known)):
        first = next(stage.views.heights(question))
        height = dice.number(first, stage.calendar.last_block)
        owner, spender = question.arguments
        (left,) = stage.views.answer(question, height)
        words = (
            f"At the end of block {height} of {story.network(stage)}, could {spender} still move any "
            f"{asset.project.ticker} ({asset.address}) out of {owner} by an approval? Answer yes or no."
        )
        call = step("data_query", contract=asset.address, about="allowance", arguments=(owner, spender), block=height)
        asked_at = dice.number(height, stage.calendar.last_block)
        yield Asked(words, stage, asked_at, yes_no(left > 0), gold("yes_no($1.raw > 0)", call), asset.project.id)


SHAPE: Final = Shape(
    "open-allowance", "on-chain analysis", ("data_query",), _MOST, (3_000, 40_000),
    "A wallet is called safe that can be emptied, or given up although it is safe.", 2, _asked,
    ("trap:revoked-approval",),
)  # fmt: skip
