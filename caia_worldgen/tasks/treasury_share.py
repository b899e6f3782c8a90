"""Which part of a token's supply its treasury or a venue held at the end of a block."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_TOLERANCE: Final = "0.01"
_DECIMALS: Final = 4


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, end = story.scene.main, story.heights[story.scene.main.name][-1]
    holders = [story.scene.people.address(role) for role in ("treasury", "exchange", "market maker")]
    told: set[tuple[str, Fraction]] = set()
    for _ in range(40 * _MOST):
        asset, holder, height = dice.one(story.tokens()), dice.one(holders), dice.number(end // 6, end)
        block = story.height_from(stage, height, dice)
        share, later = (
            round(
                Fraction(stage.ledger.balance(asset.address, holder, at) * 100, stage.ledger.supply(asset.address, at)),
                8,
            )
            for at in (height, block)
        )
        # An account that nobody touched yet has the round share it was given.
        if share.denominator == 1 or not is_sayable(share, _TOLERANCE, _DECIMALS) or (asset.role, share) in told:
            continue
        if not is_told_apart(share, later, _TOLERANCE):
            continue
        told.add((asset.role, share))
        ticker, network = asset.project.ticker, story.network(stage)
        question = (
            f"What percentage of the total supply of {ticker} ({asset.address}) on {network} did the account "
            f"{holder} hold at the end of block {height}? Give four decimals."
        )
        chinese = (
            f"在区块 {height} 结束时，账户 {holder} 持有的 {ticker}（{network} 上的合约 {asset.address}）占其总供应量的"
            "百分之多少？请保留四位小数。"
        )
        calls = (
            step("balance_query", address=holder, token=asset.address, block=height),
            step("supply_query", asset=asset.address, block=height),
        )
        yield Asked(
            question,
            stage,
            block,
            number(share, "%", _TOLERANCE),
            gold("round($1.raw * 100 / $2.on_chain.0.raw, 8)", *calls),
            asset.project.id,
            f"At the end of block {height} the account {holder} held {{planted}} % of all {ticker}.",
            chinese,
        )


SHAPE: Final = Shape(
    "treasury-share", "tokenomics", "supply and unlocks", ("balance_query", "supply_query"), _MOST, (5_000, 40_000),
    "One holder can decide a vote that was said to be open.", 2, _asked,
    Recipe(
        r"total supply of (?P<ticker>\w+) \((?P<contract>0x[0-9a-f]{40})\) on (?P<network>\w+ \w+) did the account "
        r"(?P<holder>0x[0-9a-f]{40}) hold at the end of block (?P<block>\d+)",
        "{ticker} share of total supply held by {holder} block {block}",
        r"block {block} the account {holder} held (?P<answer>[0-9][0-9,]*(?:\.[0-9]+)?) ?% of all {ticker}",
        also=(
            r"在区块 (?P<block>\d+) 结束时，账户 (?P<holder>0x[0-9a-f]{40}) 持有的 (?P<ticker>\w+)（"
            r"(?P<network>\w+ \w+) 上的合约 (?P<contract>0x[0-9a-f]{40})）",
        ),
    ),
)  # fmt: skip
