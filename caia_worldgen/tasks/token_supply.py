"""All there is of a token at the end of a block: what was burnt since its mint is gone, what is locked is not."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import ChainRecipe, Recipe
from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 6
_TRIES: Final = 12
_TOLERANCE: Final = "0.0001"
_DECIMALS: Final = 4


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, end = story.scene.main, story.heights[story.scene.main.name][-1]
    burnt = [asset for asset in story.tokens()
             if any(one.recipient == ZERO_ADDRESS for one in stage.ledger.within(asset.address, 0, end))]  # fmt: skip
    told: set[Fraction] = set()
    for at in range(_TRIES * len(burnt) * _MOST):
        asset, height = burnt[at % len(burnt)], dice.number(end // 6, end)
        block = story.height_from(stage, height, dice)
        supply, later = (Fraction(stage.ledger.supply(asset.address, one), asset.unit) for one in (height, block))
        made = sum(one.amount for one in stage.ledger.within(asset.address, 0, height) if one.sender == ZERO_ADDRESS)
        if supply in told or not is_sayable(supply, _TOLERANCE, _DECIMALS):
            continue
        if not all(is_told_apart(supply, other, _TOLERANCE) for other in (later, Fraction(made, asset.unit))):
            continue
        told.add(supply)
        ticker, network = asset.project.ticker, story.network(stage)
        # Two blocks alone make no two questions, so each token is asked about once in either wording.
        wording = at // len(burnt) % 2
        question = (
            f"What was the total supply of {ticker} ({asset.address}) on {network} at the end of "
            f"block {height}, net of everything burnt by then? Give {ticker} to four decimals.",
            f"Some {ticker} ({asset.address}) had been burnt on {network} before block {height} ended. How many were "
            f"left in all at that point? State the amount in {ticker}, to four decimals.",
        )[wording]
        chinese = (
            f"在区块 {height} 结束时，{network} 上 {ticker}（合约 {asset.address}）扣除已销毁部分后的总供应量是多少？"
            f"请以 {ticker} 为单位作答，保留四位小数。",
            f"{network} 上的代币 {ticker}（合约 {asset.address}）曾有一部分被销毁，截至区块 {height} 结束时"
            f"一共还剩多少？答案以 {ticker} 计，精确到小数点后四位。",
        )[wording]
        yield Asked(
            question,
            stage,
            block,
            number(supply, ticker, _TOLERANCE),
            gold("$1.on_chain.0.total_supply", step("supply_query", asset=asset.address, block=height)),
            asset.project.id,
            f"At the end of block {height} the total supply of {ticker} stood at {{planted}} {ticker}.",
            chinese,
        )


SHAPE: Final = Shape(
    "token-supply", "tokenomics", "supply and unlocks", ("supply_query",), _MOST, (4_000, 30_000),
    "Value per token is worked out from a supply that does not exist.", 1, _asked,
    Recipe(
        r"total supply of (?P<ticker>\w+) \((?P<contract>0x[0-9a-f]{40})\) on (?P<network>\w+ \w+) at the end of block "
        r"(?P<block>\d+)",
        "total supply {ticker} {contract} block {block}",
        r"(?:[Tt]otal supply (?:of {ticker} )?stood at |As for supply: |On supply: |Total supply on "
        r"[A-Z][a-z]{2,8} [0-9]{1,2}, [0-9]{4}: )(?P<answer>[0-9][0-9,]{0,20}(?:\.[0-9]{1,18})?) {ticker}\b",
        ChainRecipe(
            "supply_query", {"asset": "{contract}", "block": "{block}"}, r'"total_supply":"(?P<answer>[0-9.]+)"'
        ),
        (
            r"Some (?P<ticker>\w+) \((?P<contract>0x[0-9a-f]{40})\) had been burnt on (?P<network>\w+ \w+) before "
            r"block (?P<block>\d+) ended",
            r"在区块 (?P<block>\d+) 结束时，(?P<network>\w+ \w+) 上 (?P<ticker>\w+)（合约 "
            r"(?P<contract>0x[0-9a-f]{40})）扣除已销毁",
            r"(?P<network>\w+ \w+) 上的代币 (?P<ticker>\w+)（合约 (?P<contract>0x[0-9a-f]{40})）曾有一部分被销毁，"
            r"截至区块 (?P<block>\d+) 结束时",
        ),
    ),
    ("trap:net-gross",),
)  # fmt: skip
