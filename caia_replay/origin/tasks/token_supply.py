"""All there is of a token at the end of a block: what was burnt since its mint is gone, what is locked is not."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.ledger import NOBODY
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 6


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage, last = story.scene.main, story.scene.main.calendar.last_block
    burnt = [asset for asset in story.tokens()
             if any(one.recipient == NOBODY for one in stage.ledger.within(asset.address, 0, last))]  # fmt: skip
    for _ in range(3 * _MOST):
        asset, height = dice.one(burnt or story.tokens()), dice.number(last // 6, last)
        ticker, chinese = asset.project.ticker, dice.happens(30)
        question = (
            f"在区块 {height} 结束时，{story.network(stage)} 上 {ticker}（合约 {asset.address}）"
            "扣除已销毁部分后的总供应量是多少枚？"
            if chinese
            else f"What was the total supply of {ticker} ({asset.address}) on {story.network(stage)} at the end of "
            f"block {height}, net of everything burnt by then? Give whole {ticker}."
        )
        truth = Fraction(stage.ledger.supply(asset.address, height), asset.unit)
        call = step("supply_query", asset=asset.address, block=height)
        yield Asked(question, stage, dice.number(height, last), number(truth, ticker, "0.0001"),
                    gold("$1.on_chain.0.total_supply", call), asset.project.id, "zh" if chinese else "en")  # fmt: skip


SHAPE: Final = Shape(
    "token-supply", "tokenomics", ("supply_query",), _MOST, (4_000, 30_000),
    "Value per token is worked out from a supply that does not exist.", 1, _asked, ("trap:net-gross",),
)  # fmt: skip
