"""What somebody held of a token at the end of a block, in whole tokens: decimals differ from token to token."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 7


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    tokens = story.tokens()
    for at in range(6 * _MOST):
        stage = story.scene.main
        asset = story.scene.assets["dollar"] if at % 2 == 0 else dice.one(tokens)
        holder, height = dice.one(story.scene.people.crowd).address, dice.number(5, stage.calendar.last_block)
        held = stage.ledger.balance(asset.address, holder, height)
        if not held:
            continue
        ticker, asked_at = asset.project.ticker, dice.number(height, stage.calendar.last_block)
        chinese = dice.happens(25)
        question = (
            f"在 {story.network(stage)} 上，截至区块 {height} 结束时，地址 {holder} 持有多少 {ticker}"
            f"（代币合约 {asset.address}）？请以整枚代币为单位作答。"
            if chinese
            else f"How many {ticker} (token contract {asset.address}) did {holder} hold on {story.network(stage)} at "
            f"the end of block {height}? Answer in whole {ticker}, not in the smallest unit."
        )
        call = step("balance_query", address=holder, token=asset.address, block=height)
        yield Asked(question, stage, asked_at, number(Fraction(held, asset.unit), ticker, "0.01"),
                    gold("$1.amount", call), asset.project.id, "zh" if chinese else "en")  # fmt: skip


SHAPE: Final = Shape(
    "token-balance", "on-chain analysis", ("balance_query",), _MOST, (2_000, 30_000),
    "Credit is given on tokens that the account does not have.", 1, _asked, ("trap:decimals",),
)  # fmt: skip
