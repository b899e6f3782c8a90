"""How far a pool's price stood from the market's: reserves of two decimals, an hourly price, and a sign."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import english, iso_time
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step, view
from caia_worldgen.view import ViewCall

_MOST: Final = 5
_HOUR_S: Final = 3_600
_TOLERANCE: Final = "0.5"
_DECIMALS: Final = 4


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, dollar = story.scene.main, story.scene.assets["dollar"]
    end, usd = story.heights[stage.name][-1], dollar.project.ticker
    roles = sorted(role for role, other in story.scene.markets if other == "dollar" and role != "native")
    for _ in range(20 * _MOST):
        role, height = dice.one(roles), dice.number(end // 6, end)
        asset, market = story.scene.assets[role], story.scene.markets[role, "dollar"]
        side, coin, block = (
            market.side(asset),
            story.book.coin(asset.project.id),
            story.height_from(stage, height, dice),
        )
        hour, later = (at - at % _HOUR_S for at in (stage.calendar.times[height], stage.calendar.times[block]))
        before = max(hour - _HOUR_S, stage.calendar.times[0])
        reserves = stage.views.answer(ViewCall(f"{role}/dollar", "getReserves"), height)
        pool = Fraction(reserves[1 - side] * asset.unit, reserves[side] * dollar.unit)
        prices = [] if coin is None else [story.book.prices.price_e8(coin, at) for at in (hour, before, later)]
        if not prices or not all(prices):
            continue
        gap, *others = ((pool / Fraction(price or 0, 10**8) - 1) * 100 for price in prices)
        if not is_sayable(gap, _TOLERANCE, _DECIMALS) or not all(
            is_told_apart(gap, other, _TOLERANCE) for other in (*others, -gap)
        ):
            continue
        pair, ticker = market.pair.address, asset.project.ticker
        question = (
            f"Take the v2 pool of {ticker} and {usd} ({pair}) on {story.network(stage)} at the end of block {height}, "
            f"with one {usd} at one dollar. By how many per cent did its price of {ticker} differ from CoinGecko's "
            f"hourly price of {hour // _HOUR_S % 24:02}:00 UTC on {english(hour)}, when the hour of that block began? "
            "Negative where the pool was cheaper; give four decimals."
        )
        code = (
            "= join('', list('from fractions import Fraction as F; print(float((F(', "
            f"$1.values.{1 - side}, ' * {asset.unit // dollar.unit}, ', $1.values.{side}, "
            "') / F(\"', $2.price, '\") - 1) * 100))'))"
        )
        calls = (
            view(pair, "getReserves()(uint112,uint112,uint32)", height),
            step("price_feed", asset=f"id:{asset.project.id}", at=iso_time(hour), interval="hourly"),
            step("code_execution", code=code),
        )
        yield Asked(
            question,
            stage,
            block,
            number(round(gap, 6), "%", _TOLERANCE, direction="up"),
            gold("match($3.stdout, '-?[0-9.]+')", *calls),
            asset.project.id,
            f"At the end of block {height} the pool {pair} of {ticker} and {usd} stood {{planted}} % off CoinGecko.",
        )


SHAPE: Final = Shape(
    "pool-gap", "overlap", "market price", ("data_query", "price_feed", "code_execution"), _MOST, (4_000, 30_000),
    "An arbitrage is paid for that does not cover its fees.", 5, _asked,
    Recipe(
        r"v2 pool of (?P<ticker>\w+) and (?P<dollar>\w+) \((?P<pair>0x[0-9a-f]{40})\) on (?P<network>\w+ \w+) at the "
        r"end of block (?P<block>\d+)",
        "{ticker} {dollar} pool {pair} price gap CoinGecko block {block}",
        r"block {block} the pool {pair} of {ticker} and {dollar} stood (?P<answer>-?[0-9][0-9,]*(?:\.[0-9]+)?) ?% off "
        r"CoinGecko",
    ),
    ("trap:decimals",),
)  # fmt: skip
