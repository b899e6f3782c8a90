"""The largest single movement on one UTC day, of a token whose decimals are not those that most tokens have."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese, english, iso, midnights
from caia_worldgen.tasks.day_reading import CHINESE_DAY, ENGLISH_DAY, NUMBER, REST_OF_DAY, STATED_DAY, stated
from caia_worldgen.tasks.misreading import is_sayable
from caia_worldgen.tasks.shape import TRANSFER, Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_LISTED: Final = 1_000
_ETHER: Final = 18
"""The decimals that everybody expects."""
_TOLERANCE: Final = "0.001"
_DECIMALS: Final = 4
_RECIPE: Final = Recipe(
    question=r"largest single transfer of (?P<ticker>[A-Z0-9]+) \((?P<contract>0x[0-9a-f]{40})\) on "
    rf"(?P<network>[A-Z][\w ]+) during {ENGLISH_DAY}",
    also=(
        rf"^{CHINESE_DAY}（UTC）当天，(?P<network>[A-Z][\w ]+) 上 (?P<ticker>[A-Z0-9]+)（合约 "
        r"(?P<contract>0x[0-9a-f]{40})）最大",
    ),
    query="{ticker} {network} largest transfer {day} {month} {year}",
    pattern=rf"{STATED_DAY}{REST_OF_DAY}the largest transfer of {{ticker}} was {NUMBER} {{ticker}}",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, told = story.scene.main, set[int]()
    tokens = [asset for asset in story.tokens() if asset.decimals != _ETHER]
    for day in dice.some(midnights(story, 2, 2), story.scene.scale.days - 4):
        asset, blocks = dice.one(tokens), stage.calendar.blocks_of(day)
        moved = stage.ledger.within(asset.address, blocks[0], blocks[-1]) if blocks else ()
        if not 2 <= len(moved) <= _LISTED:
            continue
        most = max(one.amount for one in moved)
        if most in told or not is_sayable(Fraction(most, asset.unit), _TOLERANCE, _DECIMALS):
            continue
        told.add(most)
        block = story.height_after(stage, stage.calendar.midnight(day + 1), dice)
        if block is None:
            continue
        midnight, ticker, network = stage.calendar.midnight(day), asset.project.ticker, story.network(stage)
        call = step("data_query", contract=asset.address, event=TRANSFER, from_block=f"{iso(midnight)}T00:00:00Z",
                    to_block=iso(midnight), limit=_LISTED)  # fmt: skip
        yield Asked(
            question=f"How large was the largest single transfer of {ticker} ({asset.address}) on {network} during "
            f"{english(midnight)} (UTC)? Answer in {ticker}, not in its smallest unit, to four decimals.",
            chinese=f"{chinese(midnight)}（UTC）当天，{network} 上 {ticker}（合约 {asset.address}）"
            f"最大的一笔转账是多少 {ticker}？请按小数位换算，保留四位小数。",
            stage=stage,
            block=block,
            answer=number(Fraction(most, asset.unit), ticker, _TOLERANCE),
            gold=gold(f"max($1.events[*].arguments.value) / {asset.unit}", call),
            project=asset.project.id,
            claim=f"On {stated(midnight)} the largest transfer of {ticker} was {{planted}} {ticker}.",
        )


SHAPE: Final = Shape(
    "largest-transfer", "on-chain analysis", "aggregate", ("data_query",), _MOST, (2_000, 15_000),
    "A large holder's sale is missed, or seen where there is none.", 3, _asked, _RECIPE, ("trap:decimals",),
)  # fmt: skip
