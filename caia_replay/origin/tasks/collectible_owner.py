"""Who owned one collectible at the end of a block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.task import AnswerSpec
from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, step

_MOST: Final = 4


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage = story.scene.main
    known = [one for one in stage.views.questions() if one.function == "ownerOf" and one.role.endswith(" collection")]
    for question in dice.some(known, len(known)):
        height = dice.number(next(stage.views.heights(question)), stage.calendar.last_block)
        (owner,), (item,) = stage.views.answer(question, height), question.arguments
        collection = stage.contracts[question.role].address
        words = (
            f"Which account owned item {item} of the collection {collection} on {story.network(stage)} when block "
            f"{height} ended?"
        )
        call = step("balance_query", token=collection, token_id=item, block=height)
        yield Asked(words, stage, dice.number(height, stage.calendar.last_block), AnswerSpec("address", (owner,)),
                    gold("$1.owner", call), collection)  # fmt: skip


SHAPE: Final = Shape(
    "collectible-owner", "on-chain analysis", ("balance_query",), _MOST, (500, 8_000),
    "A collectible is bought from somebody who does not own it.", 1, _asked,
)  # fmt: skip
