"""The highest daily close of a coin on the spot venue over a week: closes, not highs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.calendar import DAY_S
from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.day import english, iso, midnights
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_DAYS: Final = 7


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage, coins = story.scene.main, [coin for coin in story.book.coins if coin.traded]
    for day in dice.some(midnights(story, 2, _DAYS + 2), 3 * _MOST):
        first, end, coin = stage.calendar.midnight(day), stage.calendar.midnight(day + _DAYS), dice.one(coins)
        block = story.height_after(stage, end, dice)
        if block is None or coin.listed_at > first:
            continue
        closes = [story.book.day(coin, first + number * DAY_S).close_e8 for number in range(1, _DAYS + 1)]
        question = (
            f"What was the highest daily closing price of {coin.symbol.upper()} ({coin.name}) on Binance spot from "
            f"{english(first)} to {english(end - 1)} (UTC days, both included)? Closing prices, not intraday highs."
        )
        call = step(
            "price_feed", asset=f"id:{coin.id}", source="binance", interval="1d", start=iso(first), end=iso(end)
        )
        yield Asked(question, stage, block, number(Fraction(max(closes), 10**8), tolerance="0.1"),
                    gold("max($1.rows[*].close)", call), coin.id)  # fmt: skip


SHAPE: Final = Shape(
    "highest-close", "trend analysis", ("price_feed",), _MOST, (1_000, 15_000),
    "A bonus that closing prices decide is paid on a wick.", 2, _asked, ("trap:close-and-high",),
)  # fmt: skip
