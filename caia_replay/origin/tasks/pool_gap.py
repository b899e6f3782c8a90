"""How far a pool's price stood from the market's: reserves of two decimals, an hourly price, and a sign."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.day import iso_time
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step, view
from caia_replay.origin.view import Question

_MOST: Final = 5


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage, dollar, last = story.scene.main, story.scene.assets["dollar"], story.scene.main.calendar.last_block
    roles = sorted(role for role, other in story.scene.markets if other == "dollar" and role != "native")
    for _ in range(6 * _MOST):
        role, height = dice.one(roles), dice.number(last // 6, last)
        asset, market = story.scene.assets[role], story.scene.markets[role, "dollar"]
        side, moment, coin = market.side(asset), stage.calendar.times[height], story.book.coin(asset.project.id)
        price = None if coin is None else story.book.prices.price_e8(coin, moment)
        reserves = stage.views.answer(Question(f"{role}/dollar", "getReserves"), height)
        if not price:
            continue
        pool = Fraction(reserves[1 - side] * asset.unit, reserves[side] * dollar.unit)
        gap = (pool / Fraction(price, 10**8) - 1) * 100
        if abs(gap) < Fraction(1, 20):
            continue
        pair, ticker = market.pair.address, asset.project.ticker
        question = (
            f"Take the v2 pool of {ticker} and {dollar.project.ticker} ({pair}) on {story.network(stage)} at the end "
            f"of block {height}, with one {dollar.project.ticker} at one dollar. By how many per cent did its price of "
            f"{ticker} differ from CoinGecko's price of that hour? Negative where the pool was cheaper."
        )
        code = (
            "= join('', list('from fractions import Fraction as F; print(float((F(', "
            f"$1.values.{1 - side}, ' * {asset.unit // dollar.unit}, ', $1.values.{side}, "
            "') / F(\"', $2.price, '\") - 1) * 100))'))"
        )
        calls = (
            view(pair, "getReserves()(uint112,uint112,uint32)", height),
            step("price_feed", asset=f"id:{asset.project.id}", at=iso_time(moment), interval="hourly"),
            step("code_execution", code=code),
        )
        yield Asked(question, stage, dice.number(height, last), number(round(gap, 6), "%", "1", direction="up"),
                    gold("match($3.stdout, '-?[0-9.]+')", *calls), asset.project.id)  # fmt: skip


SHAPE: Final = Shape(
    "pool-gap", "overlap", ("data_query", "price_feed", "code_execution"), _MOST, (4_000, 30_000),
    "An arbitrage is paid for that does not cover its fees.", 5, _asked, ("trap:decimals",),
)  # fmt: skip
