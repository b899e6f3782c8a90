"""Which place a coin had by market cap at the moment of asking."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage = story.scene.main
    for _ in range(3 * _MOST):
        block = dice.number(stage.calendar.last_block // 5, stage.calendar.last_block)
        ranking = story.book.ranking(stage.calendar.times[block])
        place = dice.number(2, min(20, len(ranking)))
        coin = ranking[place - 1]
        question = (
            f"By market cap, which rank does {coin.name} ({coin.symbol.upper()}) hold right now among all listed coins?"
        )
        call = step("ranking_query", symbols=(f"id:{coin.id}",))
        yield Asked(question, stage, block, number(place, "rank"), gold("$1.coins.0.position", call), coin.id)


SHAPE: Final = Shape(
    "market-cap-rank", "trend analysis", ("ranking_query",), _MOST, (500, 6_000),
    "An index admits a coin that it should not, or leaves one out.", 1, _asked,
)  # fmt: skip
