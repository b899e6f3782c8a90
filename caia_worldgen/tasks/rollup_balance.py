"""What somebody held of a bridged token on the roll-up at the end of a block, whatever they had on the main chain."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import ChainRecipe, Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_ETHER: Final = 18
"""The decimals that everybody expects."""
_TOLERANCE: Final = "0.01"
_DECIMALS: Final = 4


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, last = story.scene.rollup, story.heights[story.scene.rollup.name][-1]
    people = [person.address for person in story.scene.people.crowd]
    tokens = [asset for _, asset in sorted(story.scene.bridged.items()) if asset.decimals != _ETHER]
    for at in range(60 * _MOST):
        asset, height, holder = tokens[at % len(tokens)], dice.number(last // 8, last), dice.one(people)
        block, ticker, network = story.height_from(stage, height, dice), asset.project.ticker, story.network(stage)
        held, later = (Fraction(stage.ledger.balance(asset.address, holder, at), asset.unit) for at in (height, block))
        if not is_sayable(held, _TOLERANCE, _DECIMALS) or not is_told_apart(held, later, _TOLERANCE):
            continue
        question = (
            f"On {network}, what was the {ticker} balance of the wallet {holder} after block {height}? The token's "
            f"contract there is {asset.address}; state the amount with its decimals applied, to four of them."
        )
        chinese = (
            f"在 {network} 上，钱包 {holder} 在第 {height} 个区块之后的 {ticker} 余额是多少？"
            f"该链上的代币合约为 {asset.address}，请按小数位换算，保留四位小数。"
        )
        yield Asked(
            question,
            stage,
            block,
            number(held, ticker, _TOLERANCE),
            gold("$1.amount", step("balance_query", address=holder, token=asset.address, block=height)),
            asset.project.id,
            f"After block {height} of {network} the wallet {holder} had a balance of {{planted}} {ticker}.",
            chinese,
        )


SHAPE: Final = Shape(
    "rollup-balance", "on-chain analysis", "other chain", ("balance_query",), _MOST, (2_000, 25_000),
    "A margin call rests on what the account has on another chain.", 2, _asked,
    Recipe(
        r"On (?P<network>\w+ \w+), what was the (?P<ticker>\w+) balance of the wallet (?P<holder>0x[0-9a-f]{40}) after "
        r"block (?P<block>\d+)\? The token's contract there is (?P<contract>0x[0-9a-f]{40})",
        "{network} wallet {holder} {ticker} balance block {block}",
        r"wallet {holder} had a balance of (?P<answer>[0-9][0-9.,]*) {ticker}",
        ChainRecipe(
            "balance_query", {"address": "{holder}", "token": "{contract}", "block": "{block}"},
            r'"amount":"(?P<answer>[0-9.]+)"',
        ),
        (
            r"在 (?P<network>\w+ \w+) 上，钱包 (?P<holder>0x[0-9a-f]{40}) 在第 (?P<block>\d+) 个区块之后的 "
            r"(?P<ticker>\w+) 余额是多少？该链上的代币合约为 (?P<contract>0x[0-9a-f]{40})",
        ),
    ),
    ("trap:decimals",),
)  # fmt: skip
