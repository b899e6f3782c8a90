"""How many decimals a token has, asked as what one whole token is in its smallest unit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, view

_MOST: Final = 3


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    own = [(story.scene.main, asset) for asset in story.tokens()]
    bridged = [(story.scene.rollup, asset) for _, asset in sorted(story.scene.bridged.items())]
    dollars = [one for one in (*own, *bridged) if one[1].decimals != 18]
    others = [one for one in (*own, *bridged) if one[1].decimals == 18]
    for stage, asset in (*dice.some(dollars, len(dollars)), *dice.some(others, len(others))):
        block = dice.number(stage.calendar.last_block // 4, stage.calendar.last_block)
        question = (
            f"A wallet is about to send 10000000000 of the smallest unit of {asset.project.ticker} ({asset.address}) "
            f"on {story.network(stage)}. How many decimals does that token have?"
        )
        call = view(asset.address, "decimals()(uint8)", block)
        yield Asked(question, stage, block, number(asset.decimals), gold("$1.values.0", call), asset.project.id)


SHAPE: Final = Shape(
    "token-decimals", "on-chain analysis", ("data_query",), _MOST, (2_000, 50_000),
    "A payment is a trillion times too small or too large.", 1, _asked, ("trap:decimals",),
)  # fmt: skip
