"""What all there is of a token was worth as a day began: a contract's supply times a market's price, worked out."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.day import english, iso, midnights
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage = story.scene.main
    assets = [asset for asset in story.tokens() if asset.role != "dollar"]
    for day in dice.some(midnights(story, 3, 2), 3 * _MOST):
        asset, midnight = dice.one(assets), stage.calendar.midnight(day)
        coin, block = story.book.coin(asset.project.id), story.height_after(stage, midnight, dice)
        price = None if coin is None else story.book.prices.price_e8(coin, midnight)
        if price is None or block is None:
            continue
        supply = stage.ledger.supply(asset.address, stage.calendar.at(midnight))
        question = (
            f"What was the fully diluted value of {asset.project.name} ({asset.project.ticker}) in US dollars at 00:00 "
            f"UTC on {english(midnight)}: the total supply on {story.network(stage)} times the market price then?"
        )
        calls = (
            step("supply_query", asset=asset.address, time=iso(midnight)),
            step("price_feed", asset=f"id:{asset.project.id}", at=iso(midnight)),
            step("code_execution", code="= join('', list('from decimal import Decimal; print(Decimal(\"', "
                 "$1.on_chain.0.total_supply, '\") * Decimal(\"', $2.price, '\"))'))"),
        )  # fmt: skip
        yield Asked(question, stage, block, number(Fraction(supply * price, asset.unit * 10**8), "USD", "0.5"),
                    gold("round(match($3.stdout, '[0-9.]+'), 2)", *calls), asset.project.id)  # fmt: skip


SHAPE: Final = Shape(
    "diluted-value", "overlap", ("supply_query", "price_feed", "code_execution"), _MOST, (10_000, 80_000),
    "A round is priced on a value that the supply does not bear out.", 4, _asked, ("trap:units",),
)  # fmt: skip
