"""Which part of a token's supply its treasury or a venue held at the end of a block."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage, last = story.scene.main, story.scene.main.calendar.last_block
    holders = [story.scene.people.address(role) for role in ("treasury", "exchange", "market maker")]
    for _ in range(4 * _MOST):
        asset, holder, height = dice.one(story.tokens()), dice.one(holders), dice.number(last // 6, last)
        held, supply = (
            stage.ledger.balance(asset.address, holder, height),
            stage.ledger.supply(asset.address, height),
        )
        if not held:
            continue
        question = (
            f"What percentage of the total supply of {asset.project.ticker} ({asset.address}) on "
            f"{story.network(stage)} did the account {holder} hold at the end of block {height}?"
        )
        calls = (
            step("balance_query", address=holder, token=asset.address, block=height),
            step("supply_query", asset=asset.address, block=height),
        )
        share = round(Fraction(held * 100, supply), 8)
        yield Asked(question, stage, dice.number(height, last), number(share, "%", "0.1"),
                    gold("round($1.raw * 100 / $2.on_chain.0.raw, 8)", *calls), asset.project.id)  # fmt: skip


SHAPE: Final = Shape(
    "treasury-share", "tokenomics", ("balance_query", "supply_query"), _MOST, (5_000, 40_000),
    "One holder can decide a vote that was said to be open.", 2, _asked,
)  # fmt: skip
