"""Which part of a token's supply was staked at the end of a block: a pool's figure over a contract's."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step, view
from caia_replay.origin.view import Question

_MOST: Final = 4
_POOLS: Final = ("arena", "storage")


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage, last = story.scene.main, story.scene.main.calendar.last_block
    for at in range(3 * _MOST):
        role = _POOLS[at % 2]
        asset, pool = story.scene.assets[role], stage.contracts[f"{role} staking pool"].address
        question = Question(f"{role} staking pool", "totalStaked")
        height = dice.number(max(last // 6, next(stage.views.heights(question))), last)
        (staked,) = stage.views.answer(question, height)
        if not staked:
            continue
        share = round(Fraction(staked * 100, stage.ledger.supply(asset.address, height)), 8)
        words = (
            f"At the end of block {height} of {story.network(stage)}, what percentage of all {asset.project.ticker} "
            f"({asset.address}) lay in the staking pool {pool}?"
        )
        calls = view(pool, "totalStaked()(uint256)", height), step("supply_query", asset=asset.address, block=height)
        yield Asked(words, stage, dice.number(height, last), number(share, "%", "0.1"),
                    gold("round($1.values.0 * 100 / $2.on_chain.0.raw, 8)", *calls), asset.project.id)  # fmt: skip


SHAPE: Final = Shape(
    "staked-share", "overlap", ("data_query", "supply_query"), _MOST, (3_000, 30_000),
    "A float is taken for scarce that is not.", 3, _asked, ("trap:decimals",),
)  # fmt: skip
