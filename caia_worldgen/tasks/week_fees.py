"""What the users of a protocol paid in fees over seven days, whatever of it the protocol kept."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import ChainRecipe, Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import iso, midnights
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 6
_DAYS: Final = 7
_LEAST_USD: Final = 100
_PER_CENT: Final = "0.1"
_APART: Final = 2 * Fraction(_PER_CENT) / 100
"""How far, of the answer, the revenue is from it, and the fees of a week a day earlier, later, longer or shorter."""
_NEAR: Final = ((-1, -1), (1, 1), (0, -1), (1, 0))
"""By how many days the ends of other windows are moved."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, flow = story.scene.main, story.metrics.flow
    charging = [one for one in story.metrics.protocols if flow.has(one, "fees")]
    days = midnights(story, 3, _DAYS + 2)
    for day in dice.some(days, len(days)):
        protocol = dice.one(charging)
        first, end = stage.calendar.midnight(day), stage.calendar.midnight(day + _DAYS)
        fees, kept = flow.daily_e8(protocol, "fees"), flow.daily_e8(protocol, "revenue")
        value = Fraction(sum(fees[day : day + _DAYS]), 10**8)
        others = [sum(fees[day + since : day + _DAYS + until]) for since, until in _NEAR]
        others.append(sum(kept[day : day + _DAYS]))
        block = story.height_after(stage, end, dice)
        if value < _LEAST_USD or block is None:
            continue
        if any(abs(Fraction(other, 10**8) - value) <= _APART * value for other in others):
            continue
        since, until = iso(first), iso(end - 1)
        question = (
            f"How much did users of {protocol.name} pay in fees, in US dollars, from {since} to {until} (UTC days, "
            "both included), by DefiLlama? All fees, whoever received them."
        )
        chinese = (
            f"从 {since} 到 {until}（UTC，含首尾两天），{protocol.name} 的用户一共支付了多少美元的手续费？"
            "无论手续费归谁所有，都计算在内；以 DefiLlama 的数据为准。"
        )
        call = step("revenue_analysis", protocol=protocol.slug, measure="fees", start=since, end=until)
        yield Asked(
            question,
            stage,
            block,
            number(value, "USD", _PER_CENT),
            gold("$1.window.sums.fees_usd", call),
            protocol.slug,
            f"From {since} to {until} the users of {protocol.name} paid {{planted}} US dollars in fees.",
            chinese,
        )


SHAPE: Final = Shape(
    "week-fees", "trend analysis", "DeFi metrics", ("revenue_analysis",), _MOST, (2_000, 20_000),
    "A protocol is valued on income that it never had.", 2, _asked,
    Recipe(
        r"users of (?P<project>[\w ]+) pay in fees, in US dollars, from (?P<first>[0-9]{4}-[0-9]{2}-[0-9]{2}) to "
        r"(?P<last>[0-9]{4}-[0-9]{2}-[0-9]{2})",
        "{project} fees paid by users {first} to {last} US dollars",
        r"From {first} to {last} the users of {project} paid \$?(?P<answer>[0-9][0-9,]*(?:\.[0-9]+)?) US dollars",
        ChainRecipe(
            "revenue_analysis", {"protocol": "{project}", "measure": "fees", "start": "{first}", "end": "{last}"},
            r'"sums":\{"fees_usd":(?P<answer>[0-9.]+)',
        ),
        (
            r"从 (?P<first>[0-9]{4}-[0-9]{2}-[0-9]{2}) 到 (?P<last>[0-9]{4}-[0-9]{2}-[0-9]{2})（UTC，含首尾两天），"
            r"(?P<project>[\w ]+) 的用户",
        ),
    ),
    ("trap:fees-and-revenue",),
)  # fmt: skip
