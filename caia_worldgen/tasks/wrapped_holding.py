"""How much of a chain's coin somebody held wrapped: the token alone, without what lay in the account itself."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import ChainRecipe, Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_TRIES: Final = 8
_TOLERANCE: Final = "0.01"
_DECIMALS: Final = 6


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, asset = story.scene.main, story.scene.assets["native"]
    end, ticker, network = story.heights[stage.name][-1], asset.project.ticker, story.network(stage)
    roles = [story.scene.people.address(role) for role in ("market maker", "arbitrageur", "exchange", "treasury")]
    people = [*roles, *(person.address for person in story.scene.people.crowd)]
    for holder in _TRIES * dice.some(people, len(people)):
        height = dice.number(3, end)
        block = story.height_from(stage, height, dice)
        held, later = (Fraction(stage.ledger.balance(asset.address, holder, at), asset.unit) for at in (height, block))
        if not is_sayable(held, _TOLERANCE, _DECIMALS) or not is_told_apart(held, later, _TOLERANCE):
            continue
        question = (
            f"At the end of block {height}, how much wrapped {ticker} (the token {asset.address}, not the coin itself) "
            f"did the account {holder} hold on {network}? Give six decimals."
        )
        chinese = (
            f"在 {network} 的区块 {height} 结束时，账户 {holder} 持有多少封装的 {ticker}（指代币 {asset.address}，"
            "不含原生币本身）？请保留六位小数。"
        )
        yield Asked(
            question,
            stage,
            block,
            number(held, None, _TOLERANCE),
            gold("$1.amount", step("balance_query", address=holder, token=asset.address, block=height)),
            asset.project.id,
            f"At the end of block {height} the account {holder} held {{planted}} wrapped {ticker}.",
            chinese,
        )


SHAPE: Final = Shape(
    "wrapped-holding", "on-chain analysis", "point look-up", ("balance_query",), _MOST, (2_000, 25_000),
    "Gas money is counted as collateral.", 2, _asked,
    Recipe(
        r"end of block (?P<block>\d+), how much wrapped (?P<ticker>\w+) \(the token (?P<contract>0x[0-9a-f]{40}), not "
        r"the coin itself\) did the account (?P<holder>0x[0-9a-f]{40}) hold",
        "{holder} wrapped {ticker} holding block {block}",
        r"block {block} the account {holder} held (?P<answer>[0-9][0-9,]*(?:\.[0-9]+)?) wrapped {ticker}",
        ChainRecipe(
            "balance_query", {"address": "{holder}", "token": "{contract}", "block": "{block}"},
            r'"amount":"(?P<answer>[0-9.]+)"',
        ),
        (
            r"在 (?P<network>\w+ \w+) 的区块 (?P<block>\d+) 结束时，账户 (?P<holder>0x[0-9a-f]{40}) 持有多少封装的 "
            r"(?P<ticker>\w+)（指代币 (?P<contract>0x[0-9a-f]{40})",
        ),
    ),
    ("trap:wrapped",),
)  # fmt: skip
