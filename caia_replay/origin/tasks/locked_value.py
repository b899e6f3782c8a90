"""What was locked in a protocol when a day ended, which is the figure noted as the next one began."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.day import chinese, english, iso, midnights
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 7


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage = story.scene.main
    for day in dice.some(midnights(story, 5, 2), 4 * _MOST):
        protocol = dice.one(story.metrics.protocols)
        midnight = stage.calendar.midnight(day)
        value, block = story.metrics.tvl.value_e8(protocol, midnight), story.height_after(stage, midnight, dice)
        if not value or block is None:
            continue
        ended, in_chinese = midnight - 86_400, dice.happens(35)
        question = (
            f"{chinese(ended)}（UTC）结束时，{protocol.name} 协议的锁仓总价值（TVL）是多少美元？"
            if in_chinese
            else f"How many US dollars were locked (TVL) in {protocol.name} at the end of {english(ended)} (UTC)?"
        )
        call = step("protocol_metrics", protocol=protocol.slug, at=iso(midnight))
        yield Asked(question, stage, block, number(Fraction(value, 10**8), "USD", "0.5"),
                    gold("$1.last_up_to_it.tvl_usd", call), protocol.slug, "zh" if in_chinese else "en")  # fmt: skip


SHAPE: Final = Shape(
    "locked-value", "on-chain analysis", ("protocol_metrics",), _MOST, (3_000, 35_000),
    "A limit on deposits is set by the value of another day.", 2, _asked, ("trap:end-of-day",),
)  # fmt: skip
