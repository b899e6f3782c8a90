"""What a coin cost when a day began in Beijing, which is eight hours before it began in UTC."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.day import chinese, english, iso, midnights
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_AHEAD_S: Final = 8 * 3_600


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage, coins = story.scene.main, [coin for coin in story.book.coins if coin.traded]
    for day in dice.some(midnights(story, 3, 2), 3 * _MOST):
        midnight, coin = stage.calendar.midnight(day), dice.one(coins)
        block = story.height_after(stage, midnight, dice)
        if block is None or coin.listed_at > midnight - 86_400:
            continue
        price = story.book.prices.price_e8(coin, midnight - _AHEAD_S)
        if not price or price == story.book.prices.price_e8(coin, midnight):
            continue
        in_chinese = dice.happens(60)
        question = (
            f"北京时间 {chinese(midnight)} 零点整，一枚 {coin.symbol.upper()}（{coin.name}）的价格是多少美元？"
            if in_chinese
            else f"What did one {coin.symbol.upper()} ({coin.name}) cost in US dollars at midnight Beijing time "
            f"(UTC+8) as {english(midnight)} began?"
        )
        call = step("price_feed", asset=f"id:{coin.id}", at=f"{iso(midnight)}T00:00:00+08:00")
        yield Asked(question, stage, block, number(Fraction(price, 10**8), "USD", "0.1"), gold("$1.price", call),
                    coin.id, "zh" if in_chinese else "en")  # fmt: skip


SHAPE: Final = Shape(
    "local-midnight-price", "trend analysis", ("price_feed",), _MOST, (1_000, 20_000),
    "A settlement is made at the price of another hour.", 2, _asked, ("trap:time-zone",),
)  # fmt: skip
