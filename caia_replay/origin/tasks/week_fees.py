"""What the users of a protocol paid in fees over seven days, or what of it the protocol kept."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.day import english, iso, midnights
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 6
_DAYS: Final = 7


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage, flow = story.scene.main, story.metrics.flow
    charging = [one for one in story.metrics.protocols if flow.has(one, "fees")]
    for day in dice.some(midnights(story, 3, _DAYS + 2), 4 * _MOST):
        protocol = dice.one(charging)
        first, end = stage.calendar.midnight(day), stage.calendar.midnight(day + _DAYS)
        value = sum(flow.daily_e8(protocol, "fees")[day : day + _DAYS])
        block = story.height_after(stage, end, dice)
        if not value or block is None:
            continue
        question = (
            f"How much did users of {protocol.name} pay in fees, in US dollars, from {english(first)} to "
            f"{english(end - 1)} (UTC days, both included)? All fees, whoever received them."
        )
        call = step("revenue_analysis", protocol=protocol.slug, measure="fees", start=iso(first), end=iso(end - 1))
        yield Asked(question, stage, block, number(Fraction(value, 10**8), "USD", "0.5"),
                    gold("$1.window.sums.fees_usd", call), protocol.slug)  # fmt: skip


SHAPE: Final = Shape(
    "week-fees", "on-chain analysis", ("revenue_analysis",), _MOST, (2_000, 20_000),
    "A protocol is valued on income that it never had.", 2, _asked, ("trap:fees-and-revenue",),
)  # fmt: skip
