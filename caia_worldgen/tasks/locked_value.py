"""What was locked in a protocol when a day ended, which is the figure noted as the next one began."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese, english, iso, midnights
from caia_worldgen.tasks.day_reading import CHINESE_DAY, ENGLISH_DAY, NUMBER, ON_DAY, stated
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 7
_PER_CENT: Final = "0.5"
_APART: Final = 2 * Fraction(_PER_CENT) / 100
"""How far, of the value, that of the day's beginning is from it: no other day's figure is to count as right."""
_RECIPE: Final = Recipe(
    question=rf"locked \(TVL\) in (?P<protocol>[A-Z][\w .-]+) at the end of {ENGLISH_DAY}",
    also=(rf"^{CHINESE_DAY}（UTC）结束时，(?P<protocol>[A-Z][\w .-]+) 协议的锁仓",),
    query="{protocol} total value locked TVL {day} {month} {year}",
    # Pages count at the beginning of a day; what they say of this day is the figure of the one before.
    pattern=rf"\b{{protocol}} had \${NUMBER} locked at the end of {ON_DAY}",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage = story.scene.main
    days, protocols = midnights(story, 5, 2), story.metrics.protocols
    for at, day in enumerate(dice.some(days, len(days)) * 2):
        protocol = protocols[(at + day) % len(protocols)]
        midnight = stage.calendar.midnight(day)
        value, block = story.metrics.tvl.value_e8(protocol, midnight), story.height_after(stage, midnight, dice)
        ended = midnight - 86_400
        others = [story.metrics.tvl.value_e8(protocol, at) for at in (ended, midnight + 86_400)]
        if not value or block is None or any(abs(one - value) <= _APART * value for one in others):
            continue
        call = step("protocol_metrics", protocol=protocol.slug, at=iso(midnight))
        yield Asked(
            question=f"How many US dollars were locked (TVL) in {protocol.name} at the end of {english(ended)} (UTC), "
            "by DefiLlama?",
            chinese=f"{chinese(ended)}（UTC）结束时，{protocol.name} 协议的锁仓总价值（TVL）是多少美元？"
            "以 DefiLlama 的数据为准。",
            stage=stage,
            block=block,
            answer=number(Fraction(value, 10**8), "USD", _PER_CENT),
            gold=gold("$1.last_up_to_it.tvl_usd", call),
            project=protocol.slug,
            claim=f"{protocol.name} had ${{planted}} locked at the end of {stated(ended)}.",
        )


SHAPE: Final = Shape(
    "locked-value", "trend analysis", "DeFi metrics", ("protocol_metrics",), _MOST, (3_000, 35_000),
    "A limit on deposits is set by the value of another day.", 2, _asked, _RECIPE, ("trap:end-of-day",),
)  # fmt: skip
