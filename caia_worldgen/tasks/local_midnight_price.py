"""What a coin cost when a day began in Beijing, which is eight hours before it began in UTC."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese, english, iso, midnights
from caia_worldgen.tasks.day_reading import CHINESE_DAY, ENGLISH_DAY, NUMBER, REST_OF_DAY, STATED_DAY, stated
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_AHEAD_S: Final = 8 * 3_600
_RECIPE: Final = Recipe(
    question=r"did one (?P<ticker>[A-Z0-9]+) \((?P<project>[^)]+)\) cost in US dollars at midnight Beijing time "
    rf"\(UTC\+8\) as {ENGLISH_DAY} began",
    also=(rf"^北京时间 {CHINESE_DAY} 零点整，一枚 (?P<ticker>[A-Z0-9]+)（(?P<project>[^）]+)）",),
    query="{project} {ticker} price midnight Beijing time {day} {month} {year}",
    pattern=rf"{STATED_DAY}{REST_OF_DAY}began in Beijing, one {{ticker}} cost \$?{NUMBER}",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, coins = story.scene.main, [coin for coin in story.book.coins if coin.traded]
    for day in dice.some(midnights(story, 3, 2), 3 * _MOST):
        midnight, coin = stage.calendar.midnight(day), dice.one(coins)
        block = story.height_after(stage, midnight, dice)
        if block is None or coin.listed_at > midnight - 86_400:
            continue
        price = story.book.prices.price_e8(coin, midnight - _AHEAD_S)
        if not price or price == story.book.prices.price_e8(coin, midnight):
            continue
        ticker = coin.symbol.upper()
        call = step("price_feed", asset=f"id:{coin.id}", at=f"{iso(midnight)}T00:00:00+08:00")
        yield Asked(
            question=f"What did one {ticker} ({coin.name}) cost in US dollars at midnight Beijing time (UTC+8) as "
            f"{english(midnight)} began?",
            chinese=f"北京时间 {chinese(midnight)} 零点整，一枚 {ticker}（{coin.name}）的价格是多少美元？",
            stage=stage,
            block=block,
            answer=number(Fraction(price, 10**8), "USD", "0.1"),
            gold=gold("$1.price", call),
            project=coin.id,
            claim=f"As {stated(midnight)} began in Beijing, one {ticker} cost ${{planted}}.",
        )


SHAPE: Final = Shape(
    "local-midnight-price", "trend analysis", "market price", ("price_feed",), _MOST, (1_000, 20_000),
    "A settlement is made at the price of another hour.", 2, _asked, _RECIPE, ("trap:time-zone",),
)  # fmt: skip
