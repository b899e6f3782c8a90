"""How many different accounts sent a transaction on a chain on one UTC day, failed ones among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.day import chinese, english, iso, midnights
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    for day in dice.some(midnights(story, 1, 3), 3 * _MOST):
        stage = dice.one(story.stages)
        midnight, truth = stage.calendar.midnight(day), len(stage.senders.get(day, ()))
        block = story.height_after(stage, midnight + 86_400, dice)
        if block is None or truth < 2:
            continue
        in_chinese = dice.happens(35)
        question = (
            f"{chinese(midnight)}（UTC）这一天，{story.network(stage)} 上共有多少个不同的地址发送过交易（失败的也算）？"
            if in_chinese
            else f"How many different addresses sent at least one transaction on {story.network(stage)} on "
            f"{english(midnight)} (UTC), failed ones included?"
        )
        call = step("network_activity", chain=story.chain(stage), start=iso(midnight), end=iso(midnight))
        yield Asked(question, stage, block, number(truth), gold("$1.points.0.senders", call), story.chain(stage),
                    "zh" if in_chinese else "en")  # fmt: skip


SHAPE: Final = Shape(
    "daily-senders", "on-chain analysis", ("network_activity",), _MOST, (1_000, 7_000),
    "A network's users are overstated to those who pay for reach.", 2, _asked,
)  # fmt: skip
