"""How often a token moved within a range of blocks, mints and burns among it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import ChainRecipe, Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import TRANSFER, Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_FEWEST: Final = 20
"""Fewer could be guessed."""
_GUESSED: Final = (50, 100, 200, 500, 1_000)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, end = story.scene.main, story.heights[story.scene.main.name][-1]
    told: set[int] = set()
    for _ in range(12 * _MOST):
        asset, last = dice.one(story.tokens()), dice.number(end // 3, end)
        first = last - dice.number(last // 8, last // 3)
        truth = len(stage.ledger.within(asset.address, first, last))
        if truth < _FEWEST or truth in _GUESSED or truth in told:
            continue
        told.add(truth)
        ticker, network = asset.project.ticker, story.network(stage)
        question = (
            f"How many Transfer events did the token {ticker} ({asset.address}) emit on "
            f"{network} in blocks {first} to {last}, both ends included? Count mints and burns as well."
        )
        chinese = (
            f"{network} 上的代币 {ticker}（合约 {asset.address}）在区块 {first} 至 {last}（含首尾）之间一共触发了"
            "多少次 Transfer 事件？铸造和销毁也计算在内。"
        )
        call = step("data_query", contract=asset.address, event=TRANSFER, from_block=first, to_block=last)
        yield Asked(
            question,
            stage,
            story.height_from(stage, last, dice),
            number(truth),
            gold("$1.count", call),
            asset.project.id,
            f"In blocks {first} to {last} the token {ticker} ({asset.address}) emitted {{planted}} Transfer events.",
            chinese,
        )


SHAPE: Final = Shape(
    "transfer-count", "on-chain analysis", "aggregate", ("data_query",), _MOST, (1_000, 6_000),
    "A fee that follows activity is set wrongly.", 2, _asked,
    Recipe(
        r"Transfer events did the token (?P<ticker>\w+) \((?P<contract>0x[0-9a-f]{40})\) emit on (?P<network>\w+ \w+) "
        r"in blocks (?P<first>\d+) to (?P<last>\d+)",
        "{ticker} {contract} Transfer events blocks {first} to {last}",
        r"In blocks {first} to {last} the token {ticker} \({contract}\) emitted (?P<answer>[0-9][0-9,]*) Transfer",
        ChainRecipe(
            "data_query",
            {"contract": "{contract}", "event": TRANSFER, "from_block": "{first}", "to_block": "{last}"},
            r'"count":(?P<answer>[0-9]+)',
        ),
        (
            r"(?P<network>\w+ \w+) 上的代币 (?P<ticker>\w+)（合约 (?P<contract>0x[0-9a-f]{40})）在区块 "
            r"(?P<first>\d+) 至 (?P<last>\d+)（含首尾）",
        ),
    ),
)  # fmt: skip
