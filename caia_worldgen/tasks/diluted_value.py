"""What all there is of a token was worth as a day began: a contract's supply times a market's price, worked out."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import english, iso, midnights
from caia_worldgen.tasks.day_reading import ENGLISH_DAY, NUMBER, REST_OF_DAY, STATED_DAY, stated
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_PER_CENT: Final = "0.5"
_APART: Final = 2 * Fraction(_PER_CENT) / 100
"""How far, of the answer, that of another midnight is from it, and the market capitalisation."""
_RECIPE: Final = Recipe(
    question=r"fully diluted value of (?P<project>[A-Z][\w ]+) \((?P<ticker>[A-Z0-9]+)\) in US dollars at 00:00 UTC on "
    rf"{ENGLISH_DAY}",
    query="{project} {ticker} fully diluted value {day} {month} {year}",
    pattern=rf"{STATED_DAY}{REST_OF_DAY}the fully diluted value of {{ticker}} was \$?{NUMBER}",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage = story.scene.main
    assets = [asset for asset in story.tokens() if asset.role != "dollar"]
    days, prices = midnights(story, 3, 2), story.book.prices
    for at, day in enumerate(dice.some(days, len(days))):
        asset, midnight = assets[at % len(assets)], stage.calendar.midnight(day)
        coin, block = story.book.coin(asset.project.id), story.height_after(stage, midnight, dice)
        if coin is None or block is None or coin.listed_at > midnight - DAY_S:
            continue
        moments = (midnight - DAY_S, midnight, midnight + DAY_S)
        before, price, after = (prices.price_e8(coin, moment) or 0 for moment in moments)
        supply, ticker = stage.ledger.supply(asset.address, stage.calendar.at(midnight)), asset.project.ticker
        locked = 1 - Fraction(story.book.supply(coin, midnight).circulating, supply)
        if not price or locked <= _APART or any(abs(one - price) <= _APART * price for one in (before, after)):
            continue
        calls = (
            step("supply_query", asset=asset.address, time=iso(midnight)),
            step("price_feed", asset=f"id:{asset.project.id}", at=iso(midnight)),
            step("code_execution", code="= join('', list('from decimal import Decimal; print(Decimal(\"', "
                 "$1.on_chain.0.total_supply, '\") * Decimal(\"', $2.price, '\"))'))"),
        )  # fmt: skip
        yield Asked(
            question=f"What was the fully diluted value of {asset.project.name} ({ticker}) in US dollars at 00:00 UTC "
            f"on {english(midnight)}: the total supply on {story.network(stage)} times CoinGecko's price then?",
            stage=stage,
            block=block,
            answer=number(Fraction(supply * price, asset.unit * 10**8), "USD", _PER_CENT),
            gold=gold("round(match($3.stdout, '[0-9.]+'), 2)", *calls),
            project=asset.project.id,
            claim=f"At 00:00 UTC on {stated(midnight)} the fully diluted value of {ticker} was ${{planted}}.",
        )


SHAPE: Final = Shape(
    "diluted-value", "overlap", "market price", ("supply_query", "price_feed", "code_execution"), _MOST,
    (10_000, 80_000), "A round is priced on a value that the supply does not bear out.", 4, _asked, _RECIPE,
    ("trap:locked-and-unlocked",),
)  # fmt: skip
