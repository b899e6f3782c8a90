"""Which part of a token's supply was staked at the end of a block: a pool's figure over a contract's."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step, view
from caia_worldgen.view import ViewCall

_MOST: Final = 4
_TRIES: Final = 12
_TOLERANCE: Final = "0.05"
_DECIMALS: Final = 4
_POOLS: Final = ("arena", "storage")


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, end = story.scene.main, story.heights[story.scene.main.name][-1]
    for at in range(_TRIES * _MOST):
        role = _POOLS[at % 2]
        asset, pool = story.scene.assets[role], stage.contracts[f"{role} staking pool"].address
        question = ViewCall(f"{role} staking pool", "totalStaked")
        height = dice.number(max(end // 6, next(stage.views.heights(question))), end)
        block = story.height_from(stage, height, dice)
        share, later = (
            Fraction(stage.views.answer(question, one)[0] * 100, stage.ledger.supply(asset.address, one))
            for one in (height, block)
        )
        if not is_sayable(share, _TOLERANCE, _DECIMALS) or not is_told_apart(share, later, _TOLERANCE):
            continue
        ticker = asset.project.ticker
        words = (
            f"At the end of block {height} of {story.network(stage)}, what percentage of all {ticker} "
            f"({asset.address}) lay in the staking pool {pool}? Give four decimals."
        )
        code = (
            "= join('', list('from fractions import Fraction as F; print(f\"{float(F(100 * ', $1.values.0, "
            "', ', $2.on_chain.0.raw, ')):.10f}\")'))"
        )
        calls = (
            view(pool, "totalStaked()(uint256)", height),
            step("supply_query", asset=asset.address, block=height),
            step("code_execution", code=code),
        )
        yield Asked(
            words,
            stage,
            block,
            number(round(share, 8), "%", _TOLERANCE),
            gold("match($3.stdout, '[0-9.]+')", *calls),
            asset.project.id,
            f"At the end of block {height} the staking pool {pool} had {{planted}} % of all {ticker}.",
        )


SHAPE: Final = Shape(
    "staked-share", "overlap", "DeFi metrics", ("data_query", "supply_query", "code_execution"), _MOST, (3_000, 30_000),
    "A float is taken for scarce that is not.", 3, _asked,
    Recipe(
        r"end of block (?P<block>\d+) of (?P<network>\w+ \w+), what percentage of all (?P<ticker>\w+) "
        r"\((?P<contract>0x[0-9a-f]{40})\) lay in the staking pool (?P<pool>0x[0-9a-f]{40})",
        "{ticker} staking pool {pool} share of supply staked block {block}",
        r"block {block} the staking pool {pool} had (?P<answer>[0-9][0-9,]*(?:\.[0-9]+)?) ?% of all {ticker}",
    ),
)  # fmt: skip
