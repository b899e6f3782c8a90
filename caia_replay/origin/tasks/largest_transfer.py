"""The largest single movement of a token on one UTC day, in whole tokens."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.day import chinese, english, iso, midnights
from caia_replay.origin.tasks.shape import TRANSFER, Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_LISTED: Final = 1_000


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage = story.scene.main
    for day in dice.some(midnights(story, 2, 2), min(6 * _MOST, story.scene.scale.days - 4)):
        asset, blocks = dice.one([story.scene.assets["dollar"], *story.tokens()]), stage.calendar.blocks_of(day)
        moved = stage.ledger.within(asset.address, blocks[0], blocks[-1]) if blocks else ()
        if len(moved) < 2 or len(moved) > _LISTED or not (most := max(one.amount for one in moved)):
            continue
        block = story.height_after(stage, stage.calendar.midnight(day + 1), dice)
        if block is None:
            continue
        midnight, ticker, in_chinese = stage.calendar.midnight(day), asset.project.ticker, dice.happens(35)
        question = (
            f"{chinese(midnight)}（UTC）当天，{story.network(stage)} 上 {ticker}（合约 {asset.address}）"
            "最大的一笔转账是多少枚？"
            if in_chinese
            else f"How large, in whole {ticker}, was the largest single transfer of {ticker} ({asset.address}) on "
            f"{story.network(stage)} during {english(midnight)} (UTC)?"
        )
        call = step("data_query", contract=asset.address, event=TRANSFER, from_block=f"{iso(midnight)}T00:00:00Z",
                    to_block=iso(midnight), limit=_LISTED)  # fmt: skip
        yield Asked(question, stage, block, number(Fraction(most, asset.unit), ticker, "0.01"),
                    gold(f"max($1.events[*].arguments.value) / {asset.unit}", call), asset.project.id,
                    "zh" if in_chinese else "en")  # fmt: skip


SHAPE: Final = Shape(
    "largest-transfer", "on-chain analysis", ("data_query",), _MOST, (2_000, 15_000),
    "A large holder's sale is missed, or seen where there is none.", 3, _asked, ("trap:decimals",),
)  # fmt: skip
