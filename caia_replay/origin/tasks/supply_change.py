"""By how much a dollar token's supply changed between two blocks: what was issued less what was redeemed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage, asset = story.scene.main, story.scene.assets["dollar"]
    for _ in range(12 * _MOST):
        last = dice.number(stage.calendar.last_block // 3, stage.calendar.last_block)
        first = dice.number(stage.calendar.last_block // 6, last - 3)
        before, after = (stage.ledger.supply(asset.address, block) for block in (first, last))
        if before == after:
            continue
        ticker = asset.project.ticker
        question = (
            f"By how many {ticker} did the total supply of {ticker} ({asset.address}) on {story.network(stage)} change "
            f"from the end of block {first} to the end of block {last}, issues less redemptions? Negative "
            "where it fell."
        )
        calls = (step("supply_query", asset=asset.address, block=block) for block in (first, last))
        yield Asked(question, stage, dice.number(last, stage.calendar.last_block),
                    number(Fraction(after - before, asset.unit), ticker, "0.01", direction="up"),
                    gold("$2.on_chain.0.total_supply - $1.on_chain.0.total_supply", *calls),
                    asset.project.id)  # fmt: skip


SHAPE: Final = Shape(
    "supply-change", "tokenomics", ("supply_query",), _MOST, (5_000, 50_000),
    "A run on a stable coin is missed, or seen where there is none.", 3, _asked, ("trap:net-gross",),
)  # fmt: skip
