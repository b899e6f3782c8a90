"""How many different accounts sent a transaction on a chain on one UTC day, failed ones among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese, english, iso, midnights
from caia_worldgen.tasks.day_reading import CHINESE_DAY, ENGLISH_DAY, ON_DAY, stated
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_FEWEST: Final = 13
_GUESSED: Final = (18, 95)
"""Fewer than the first, and these, are guessed too easily."""
_RECIPE: Final = Recipe(
    question=rf"at least one transaction on (?P<network>[A-Z][\w ]+) on {ENGLISH_DAY}",
    also=(rf"^{CHINESE_DAY}（UTC）这一天，(?P<network>[A-Z][\w ]+) 上共有",),
    query="{network} addresses sent something {day} {month} {year} distinct senders",
    # Day sheets of the explorer, which are of the main chain alone, say it without the chain's name.
    pattern=rf"(?P<answer>[0-9][0-9,]{{0,9}}) addresses sent something on (?:{{network}} on )?{ON_DAY}",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage = story.scene.main
    days, told = midnights(story, 1, 3), set[int]()
    for day in dice.some(days, len(days)):
        midnight, truth = stage.calendar.midnight(day), len(stage.senders.get(day, ()))
        block = story.height_after(stage, midnight + 86_400, dice)
        others = {len(stage.senders.get(near, ())) for near in (day - 1, day + 1)}
        if block is None or truth < _FEWEST or truth in others | told or truth in _GUESSED:
            continue
        told.add(truth)
        network = story.network(stage)
        call = step("network_activity", chain=story.chain(stage), start=iso(midnight), end=iso(midnight))
        yield Asked(
            question=f"How many different addresses sent at least one transaction on {network} on "
            f"{english(midnight)} (UTC), failed ones included?",
            chinese=f"{chinese(midnight)}（UTC）这一天，{network} 上共有多少个不同的地址发送过交易（失败的也算）？",
            stage=stage,
            block=block,
            answer=number(truth),
            gold=gold("$1.points.0.senders", call),
            project=story.chain(stage),
            claim=f"{{planted}} addresses sent something on {network} on {stated(midnight)}.",
        )


SHAPE: Final = Shape(
    "daily-senders", "on-chain analysis", "aggregate", ("network_activity",), _MOST, (1_000, 7_000),
    "A network's users are overstated to those who pay for reach.", 2, _asked, _RECIPE,
)  # fmt: skip
