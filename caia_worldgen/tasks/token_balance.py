"""What somebody held of a token at the end of a block: of one whose decimals are not those that most tokens have."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import ChainRecipe, Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 7
_ETHER: Final = 18
"""The decimals that everybody expects."""
_TOLERANCE: Final = "0.001"
_DECIMALS: Final = 4


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage = story.scene.main
    tokens = [asset for asset in story.tokens() if asset.decimals != _ETHER]
    end, network = story.heights[stage.name][-1], story.network(stage)
    for _ in range(40 * _MOST):
        asset, holder = dice.one(tokens), dice.one(story.scene.people.crowd).address
        height = dice.number(5, end)
        block = story.height_from(stage, height, dice)
        held, later = (Fraction(stage.ledger.balance(asset.address, holder, at), asset.unit) for at in (height, block))
        if not is_sayable(held, _TOLERANCE, _DECIMALS) or not is_told_apart(held, later, _TOLERANCE):
            continue
        ticker = asset.project.ticker
        question = (
            f"How many {ticker} (token contract {asset.address}) did {holder} hold on {network} at "
            f"the end of block {height}? Answer in {ticker}, not in its smallest unit, to four decimals."
        )
        chinese = (
            f"在 {network} 上，截至区块 {height} 结束时，地址 {holder} 持有多少 {ticker}"
            f"（代币合约 {asset.address}）？请以 {ticker} 为单位作答，而非其最小单位，保留四位小数。"
        )
        yield Asked(
            question,
            stage,
            block,
            number(held, ticker, _TOLERANCE),
            gold("$1.amount", step("balance_query", address=holder, token=asset.address, block=height)),
            asset.project.id,
            f"At the end of block {height} the address {holder} held {{planted}} {ticker}.",
            chinese,
        )


SHAPE: Final = Shape(
    "token-balance", "on-chain analysis", "point look-up", ("balance_query",), _MOST, (2_000, 30_000),
    "Credit is given on tokens that the account does not have.", 1, _asked,
    Recipe(
        r"How many (?P<ticker>\w+) \(token contract (?P<contract>0x[0-9a-f]{40})\) did (?P<holder>0x[0-9a-f]{40}) hold "
        r"on (?P<network>\w+ \w+) at the end of block (?P<block>\d+)",
        "{holder} {ticker} balance {network} block {block}",
        r"block {block} the address {holder} held (?P<answer>[0-9][0-9,]*(?:\.[0-9]+)?) {ticker}",
        ChainRecipe(
            "balance_query", {"address": "{holder}", "token": "{contract}", "block": "{block}"},
            r'"amount":"(?P<answer>[0-9.]+)"',
        ),
        (
            r"在 (?P<network>\w+ \w+) 上，截至区块 (?P<block>\d+) 结束时，地址 (?P<holder>0x[0-9a-f]{40}) 持有多少 "
            r"(?P<ticker>\w+)（代币合约 (?P<contract>0x[0-9a-f]{40})）",
        ),
    ),
    ("trap:decimals",),
)  # fmt: skip
