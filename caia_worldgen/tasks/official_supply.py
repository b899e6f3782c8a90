"""All there is of a project's token, of the contract that its own documentation names: copies bear the same ticker."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.event import done
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step
from caia_worldgen.tasks.shelf import Shelf

_MOST: Final = 5
_TRIES: Final = 24
_TOLERANCE: Final = "0.0001"
_DECIMALS: Final = 4


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, shelf = story.scene.main, Shelf(story)
    copied = {deed.subject: deed.block for deed in done(stage.deeds, "copied")}
    for role in dice.some(sorted(copied), len(copied)) * _TRIES:
        asset, last = story.scene.assets[role], story.heights[stage.name][-1]
        project, network = asset.project, story.network(stage)
        height = dice.number(copied[role] + 1, last)
        address = f"docs.{project.site}/contracts"
        listed = shelf.height(f"https://{address}", stage, dice)
        if listed is None:
            continue
        block = story.height_from(stage, max(height, listed), dice)
        # Documentation may still tell the supply of the token's first days.
        supply, later, opening = (
            Fraction(stage.ledger.supply(asset.address, at), asset.unit) for at in (height, block, copied[role])
        )
        if not is_sayable(supply, _TOLERANCE, _DECIMALS) or not all(
            is_told_apart(supply, other, _TOLERANCE) for other in (later, opening)
        ):
            continue
        question = (
            f"More than one contract on {network} calls itself {project.ticker}. Of the one that {project.name} lists "
            f"as its token at {address}, how many {project.ticker} existed at the end of block {height}? Give four "
            "decimals."
        )
        chinese = (
            f"{network} 上自称 {project.ticker} 的合约不止一个。以 {project.name} 官方文档（{address}）所列的代币合约"
            f"为准，截至第 {height} 个区块末，{project.ticker} 的总供应量是多少？请保留四位小数。"
        )
        calls = (
            step("url_fetching", url=f"https://{address}"),
            step("supply_query", asset="= match($1.text, '0x[0-9a-f]{40}')", block=height),
        )
        yield Asked(
            question,
            stage,
            block,
            number(supply, project.ticker, _TOLERANCE),
            gold("$2.on_chain.0.total_supply", *calls),
            project.id,
            f"Of the {project.ticker} that {project.name} lists, {{planted}} existed at the end of block {height}.",
            chinese,
        )


SHAPE: Final = Shape(
    "official-supply", "project discovery", "project facts", ("url_fetching", "supply_query"), _MOST, (4_000, 45_000),
    "A valuation counts the tokens of a copycat.", 3, _asked,
    Recipe(
        r"calls itself (?P<ticker>\w+)\. Of the one that (?P<project>[A-Z][A-Za-z ]{3,40}) lists as its token at "
        r"[a-z./-]{10,80}, how many \w+ existed at the end of block (?P<block>\d+)\?",
        "{project} {ticker} token supply block {block}",
        r"(?:{ticker} that {project} lists, |block {block} (?:is|was|the supply was) )"
        r"(?P<answer>[0-9][0-9,]{0,20}(?:\.[0-9]{1,18})?)",
        also=(r"上自称 (?P<ticker>[A-Z]{2,8}) 的合约不止一个。以 (?P<project>[A-Z][A-Za-z ]{3,40}) 官方文档"
              r"（[a-z./-]{10,80}）所列的代币合约为准，截至第 (?P<block>[0-9]{1,8}) 个区块末",),
    ),
    ("trap:look-alike",),
)  # fmt: skip
