"""All there is of a bridged token on the roll-up at a block: the copy's own supply, not the original's."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import ChainRecipe, Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_TRIES: Final = 12
_TOLERANCE: Final = "0.01"
_DECIMALS: Final = 4


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, last = story.scene.rollup, story.heights[story.scene.rollup.name][-1]
    for role in _TRIES * dice.some(sorted(story.scene.bridged), len(story.scene.bridged)):
        asset, height = story.scene.bridged[role], dice.number(last // 8, last)
        block, ticker, network = story.height_from(stage, height, dice), asset.project.ticker, story.network(stage)
        supply, later = (Fraction(stage.ledger.supply(asset.address, at), asset.unit) for at in (height, block))
        if not is_sayable(supply, _TOLERANCE, _DECIMALS) or not is_told_apart(supply, later, _TOLERANCE):
            continue
        question = (
            f"Once block {height} of {network} was made, how many {ticker} were in circulation there? Count all of the "
            f"bridged token {asset.address} that had been minted and not burnt, to four decimals."
        )
        chinese = (
            f"{network} 出完第 {height} 个区块时，跨链代币 {ticker}（合约 {asset.address}）在该链上已铸造而未销毁的"
            f"总量是多少枚？请保留四位小数。"
        )
        yield Asked(
            question,
            stage,
            block,
            number(supply, ticker, _TOLERANCE),
            gold("$1.on_chain.0.total_supply", step("supply_query", asset=asset.address, block=height)),
            asset.project.id,
            f"With block {height} of {network} made, {{planted}} {ticker} were in circulation there.",
            chinese,
        )


SHAPE: Final = Shape(
    "rollup-supply", "on-chain analysis", "other chain", ("supply_query",), _MOST, (4_000, 30_000),
    "The backing of a bridged token is judged by the wrong chain's supply.", 2, _asked,
    Recipe(
        r"Once block (?P<block>\d+) of (?P<network>\w+ \w+) was made, how many (?P<ticker>\w+) were in circulation "
        r"there\? Count all of the bridged token (?P<contract>0x[0-9a-f]{40})",
        "{network} bridged {ticker} circulation total supply block {block}",
        r"block {block} of {network} made, (?P<answer>[0-9][0-9.,]*) {ticker} were in circulation",
        ChainRecipe(
            "supply_query", {"asset": "{contract}", "block": "{block}"}, r'"total_supply":"(?P<answer>[0-9.]+)"'
        ),
        (
            r"(?P<network>\w+ \w+) 出完第 (?P<block>\d+) 个区块时，跨链代币 (?P<ticker>\w+)（合约 "
            r"(?P<contract>0x[0-9a-f]{40})）",
        ),
    ),
    ("trap:wrapped",),
)  # fmt: skip
