"""By how much a dollar token's supply changed between two blocks: what was issued minus what was redeemed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_TOLERANCE: Final = "0.01"
_DECIMALS: Final = 4


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    telling = list(_drawn(story, dice, telling=True))
    # A short story may have nothing but issues; there net and gross are the same.
    yield from telling or _drawn(story, dice, telling=False)


def _drawn(story: Story, dice: Rng, *, telling: bool) -> Iterator[Asked]:
    """Questions; where they are to be telling, who counts gross, or up to another block, is wrong."""
    stage, asset = story.scene.main, story.scene.assets["dollar"]
    end, ticker = story.heights[stage.name][-1], asset.project.ticker
    for _ in range(30 * _MOST):
        last = dice.number(end // 3, end)
        first = dice.number(end // 6, last - 3)
        block = story.height_from(stage, last, dice)
        before, after, later = (
            Fraction(stage.ledger.supply(asset.address, at), asset.unit) for at in (first, last, block)
        )
        issued = sum(
            one.amount for one in stage.ledger.within(asset.address, first + 1, last) if one.sender == ZERO_ADDRESS
        )
        gross, change = Fraction(issued, asset.unit), after - before
        wrong = (gross, gross - change, later - before)
        if not is_sayable(change, _TOLERANCE, _DECIMALS):
            continue
        if telling and not all(is_told_apart(change, other, _TOLERANCE) for other in wrong):
            continue
        question = (
            f"By how many {ticker} did the total supply of {ticker} ({asset.address}) on {story.network(stage)} change "
            f"from the end of block {first} to the end of block {last}, issued minus redeemed? Negative where "
            "it fell; to four decimals."
        )
        code = (
            "= join('', list('from decimal import Decimal as D; print(D(\"', $2.on_chain.0.total_supply, "
            "'\") - D(\"', $1.on_chain.0.total_supply, '\"))'))"
        )
        calls = (*(step("supply_query", asset=asset.address, block=block) for block in (first, last)),
                 step("code_execution", code=code))  # fmt: skip
        yield Asked(
            question,
            stage,
            block,
            number(change, ticker, _TOLERANCE, direction="up"),
            gold("match($3.stdout, '-?[0-9.]+')", *calls),
            asset.project.id,
            f"From the end of block {first} to the end of block {last} the supply of {ticker} changed by {{planted}} "
            f"{ticker}.",
        )


SHAPE: Final = Shape(
    "supply-change", "tokenomics", "supply and unlocks", ("supply_query", "code_execution"), _MOST, (5_000, 50_000),
    "A run on a stable coin is missed, or seen where there is none.", 3, _asked,
    Recipe(
        r"total supply of (?P<ticker>\w+) \((?P<contract>0x[0-9a-f]{40})\) on (?P<network>\w+ \w+) change from the end "
        r"of block (?P<first>\d+) to the end of block (?P<last>\d+)",
        "{ticker} supply change issued redeemed block {first} to block {last}",
        r"block {first} to the end of block {last} the supply of {ticker} changed by "
        r"(?P<answer>-?[0-9][0-9,]*(?:\.[0-9]+)?) {ticker}",
    ),
    ("trap:net-gross",),
)  # fmt: skip
