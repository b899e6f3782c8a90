"""What a long position paid in funding over some days: every payment inside the window, with its sign."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.market.derivative import FUNDING_S
from caia_replay.origin.tasks.day import english, iso_time, midnights
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 3
_DAYS: Final = 7


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage, coins = story.scene.main, [coin for coin in story.book.coins if coin.traded]
    for day in dice.some(midnights(story, 2, _DAYS + 3), 3 * _MOST):
        first, coin = stage.calendar.midnight(day) + 4 * 3_600, dice.one(coins)
        end = first + _DAYS * 86_400
        block = story.height_after(stage, end, dice)
        if block is None or coin.listed_at > first:
            continue
        paid = range(-(-first // FUNDING_S) * FUNDING_S, end + 1, FUNDING_S)
        rate = sum(story.book.derivatives.funding_e8(coin, moment) for moment in paid)
        if abs(rate) < 10_000:
            continue
        question = (
            f"Somebody was long the {coin.symbol.upper()} ({coin.name}) perpetual on Binance from {english(first)}, "
            f"04:00 UTC, to {english(end)}, 04:00 UTC. What was the sum of the funding rates of that time, in per cent "
            "of the position? Above zero means that longs paid."
        )
        call = step(
            "positioning_analysis", asset=f"id:{coin.id}", metric="funding", start=iso_time(first), end=iso_time(end)
        )
        yield Asked(question, stage, block, number(Fraction(rate, 10**6), "%", "0.5", direction="up"),
                    gold("$1.summary.sum * 100", call), coin.id)  # fmt: skip


SHAPE: Final = Shape(
    "funding-paid", "trend analysis", ("positioning_analysis",), _MOST, (2_000, 25_000),
    "A carry trade is entered that costs what it was to earn.", 3, _asked, ("trap:units",),
)  # fmt: skip
