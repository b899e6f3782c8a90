"""How many different accounts used a protocol on one UTC day."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.day import chinese, english, iso, midnights
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage = story.scene.main
    for day in dice.some(midnights(story, 2, 3), 6 * _MOST):
        protocol, midnight = dice.one(story.metrics.protocols), stage.calendar.midnight(day)
        users = story.metrics.activity.daily(protocol)[day].users
        block = story.height_after(stage, midnight + 86_400, dice)
        if users < 2 or block is None:
            continue
        in_chinese = dice.happens(35)
        question = (
            f"{chinese(midnight)}（UTC）当天，有多少个不同的地址使用过 {protocol.name}？"
            if in_chinese
            else f"How many distinct addresses used {protocol.name} on {english(midnight)} (UTC)?"
        )
        call = step("network_activity", protocol=protocol.slug, start=iso(midnight), end=iso(midnight))
        yield Asked(question, stage, block, number(users), gold("$1.points.0.users", call), protocol.slug,
                    "zh" if in_chinese else "en")  # fmt: skip


SHAPE: Final = Shape(
    "protocol-users", "project discovery", ("network_activity",), _MOST, (1_000, 10_000),
    "A project is backed for users that it does not have.", 2, _asked,
)  # fmt: skip
