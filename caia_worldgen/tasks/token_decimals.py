"""What an amount in a token's smallest unit is in the token: nothing but the contract says where the point goes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step, view

_MOST: Final = 3
_ETHER: Final = 18
"""The decimals that everybody expects."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    main, rollup = story.stages
    copies = [(rollup, copy) for _, copy in sorted(story.scene.bridged.items())]
    every = [*((main, asset) for asset in story.tokens()), *copies]
    # Who takes every token to have as many decimals as most is right once at the most.
    odd = [(stage, asset) for stage, asset in every if asset.decimals != _ETHER]
    usual = [(stage, asset) for stage, asset in every if asset.decimals == _ETHER]
    for stage, asset in (*dice.some(odd, len(odd)), dice.one(usual)):
        block, ticker = story.height_from(stage, stage.calendar.last_block // 4, dice), asset.project.ticker
        # Six digits behind the point at the most, however many the token has.
        amount = dice.odd(10**9, 10**12, digits=8) * asset.unit // 10**6
        question = (
            f"A wallet asks me to sign a transfer of {amount} of the smallest units of {ticker} ({asset.address}) on "
            f"{story.network(stage)}. How much is that in {ticker}, with all its decimals?"
        )
        code = (
            f"= join('', list('from decimal import Decimal; print(f\"{{Decimal({amount}).scaleb(-', $1.values.0, "
            "'):f}\")'))"
        )
        yield Asked(
            question,
            stage,
            block,
            number(Fraction(amount, asset.unit), ticker),
            gold(
                "match($2.stdout, '[0-9.]+')",
                view(asset.address, "decimals()(uint8)", block),
                step("code_execution", code=code),
            ),
            asset.project.id,
            f"Of {ticker} ({asset.address}), {amount} of the smallest units are {{planted}} {ticker}.",
        )


SHAPE: Final = Shape(
    "token-decimals", "on-chain analysis", "contract metadata", ("data_query", "code_execution"), _MOST,
    (2_000, 50_000), "A payment is a trillion times too small or too large.", 1, _asked,
    Recipe(
        r"transfer of (?P<amount>\d+) of the smallest units of (?P<ticker>\w+) \((?P<contract>0x[0-9a-f]{40})\)",
        "{ticker} {contract} decimals smallest unit {amount}",
        r"{ticker} \({contract}\), {amount} of the smallest units are (?P<answer>[0-9][0-9,]*(?:\.[0-9]+)?) {ticker}",
    ),
    ("trap:decimals", "trap:units"),
)  # fmt: skip
