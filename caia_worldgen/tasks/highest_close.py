"""The highest daily close of a coin on the spot venue over a week: closes, not highs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese, english, iso, midnights
from caia_worldgen.tasks.day_reading import CHINESE_DAY, ENGLISH_DAY, NUMBER, REST_OF_DAY, STATED_DAY, stated
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_DAYS: Final = 7
_PER_CENT: Final = "0.1"
_APART: Final = 2 * Fraction(_PER_CENT) / 100
_RECIPE: Final = Recipe(
    question=r"closing price of (?P<ticker>[A-Z0-9]+) \((?P<project>[^)]+)\) on Binance spot from "
    rf"{ENGLISH_DAY} to",
    also=(rf"^{CHINESE_DAY}至\d+年\d+月\d+日（UTC，含首尾两天），(?P<ticker>[A-Z0-9]+)（(?P<project>[^）]+)）",),
    query="{project} {ticker} highest daily close week from {day} {month} {year}",
    pattern=rf"{STATED_DAY}{REST_OF_DAY}the highest daily close of {{ticker}} was \$?{NUMBER}",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, coins = story.scene.main, [coin for coin in story.book.coins if coin.traded]
    days, told = midnights(story, 2, _DAYS + 2), set[int]()
    for day in dice.some(days, len(days)):
        first, end, coin = stage.calendar.midnight(day), stage.calendar.midnight(day + _DAYS), dice.one(coins)
        block = story.height_after(stage, end, dice)
        if block is None or coin.listed_at > first:
            continue
        candles = [story.book.day(coin, first + turn * DAY_S) for turn in range(_DAYS + 2)]
        closes = [candle.close_e8 for candle in candles]
        highest = max(closes[1:-1])
        # Highs instead of closes, and a day more at either end, are to be other answers.
        others = [max(candle.high_e8 for candle in candles[1:-1]), closes[0], closes[-1]]
        if others[0] - highest <= _APART * highest or max(others[1:]) > highest or highest in told:
            continue
        told.add(highest)
        ticker = coin.symbol.upper()
        call = step(
            "price_feed", asset=f"id:{coin.id}", source="binance", interval="1d", start=iso(first), end=iso(end)
        )
        yield Asked(
            question=f"What was the highest daily closing price of {ticker} ({coin.name}) on Binance spot from "
            f"{english(first)} to {english(end - 1)} (UTC days, both included)? Closing prices, not intraday highs, to "
            "five significant digits.",
            chinese=f"{chinese(first)}至{chinese(end - 1)}（UTC，含首尾两天），{ticker}（{coin.name}）在币安现货的"
            "日收盘价最高是多少？要收盘价，不是盘中最高价，保留五位有效数字。",
            stage=stage,
            block=block,
            answer=number(Fraction(highest, 10**8), tolerance=_PER_CENT),
            gold=gold("max($1.rows[*].close)", call),
            project=coin.id,
            claim=f"In the week from {stated(first)} the highest daily close of {ticker} was ${{planted}}.",
        )


SHAPE: Final = Shape(
    "highest-close", "trend analysis", "market price", ("price_feed",), _MOST, (1_000, 15_000),
    "A bonus that closing prices decide is paid on a wick.", 2, _asked, _RECIPE, ("trap:close-and-high",),
)  # fmt: skip
