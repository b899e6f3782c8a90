"""What a long position paid in funding over some days: every payment inside the window, with its sign."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.market.derivative import FUNDING_S
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import english, iso_time, midnights
from caia_worldgen.tasks.day_reading import ENGLISH_DAY, NUMBER, REST_OF_DAY, STATED_DAY, stated
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 3
_DAYS: Final = 7
_PER_CENT: Final = "0.5"
_APART: Final = 2 * Fraction(_PER_CENT) / 100
_LEAST_E8, _USUAL_E8 = 10_000, 10_000
"""The least sum to ask for, and what a venue charges when nothing moves: a hundredth of a per cent."""
_RECIPE: Final = Recipe(
    question=r"long the (?P<ticker>[A-Z0-9]+) \((?P<project>[^)]+)\) perpetual on Binance from "
    rf"{ENGLISH_DAY}, 04:00 UTC, to (?P<end>\d+ [A-Z][a-z]+ \d+)",
    query="{project} {ticker} perpetual sum of funding rates {day} {month} {year} to {end}",
    pattern=rf"{STATED_DAY}{REST_OF_DAY}to {{end}} the funding rates of the {{ticker}} perpetual added up to "
    rf"{NUMBER} ?%",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, coins = (
        story.scene.main,
        [coin for coin in story.book.coins if coin.traded and not coin.role.startswith("outsider")],
    )
    days = midnights(story, 2, _DAYS + 3)
    for day in dice.some(days, len(days)):
        first, coin = stage.calendar.midnight(day) + 4 * 3_600, dice.one(coins)
        end = first + _DAYS * 86_400
        block = story.height_after(stage, end, dice)
        if block is None or coin.listed_at > first:
            continue
        paid = range(-(-first // FUNDING_S) * FUNDING_S, end + 1, FUNDING_S)
        rates = [story.book.derivatives.funding_e8(coin, moment) for moment in paid]
        rate = sum(rates)
        # One payment more or less, as by whole UTC days, is to be another answer; so is the same one every time.
        others = [rate - rates[0], rate - rates[-1], len(rates) * _USUAL_E8]
        if abs(rate) < _LEAST_E8 or any(abs(other - rate) <= _APART * abs(rate) for other in others):
            continue
        ticker = coin.symbol.upper()
        call = step(
            "positioning_analysis", asset=f"id:{coin.id}", metric="funding", start=iso_time(first), end=iso_time(end)
        )
        yield Asked(
            question=f"Somebody was long the {ticker} ({coin.name}) perpetual on Binance from {english(first)}, 04:00 "
            f"UTC, to {english(end)}, 04:00 UTC. What was the sum of the funding rates of that time, in per cent of "
            "the position? Above zero means that longs paid; give five decimals.",
            stage=stage,
            block=block,
            answer=number(Fraction(rate, 10**6), "%", _PER_CENT, direction="up"),
            gold=gold("$1.summary.sum * 100", call),
            project=coin.id,
            claim=f"From {stated(first)} to {english(end)} the funding rates of the {ticker} perpetual added up to "
            "{planted}%.",
        )


SHAPE: Final = Shape(
    "funding-paid", "trend analysis", "market price", ("positioning_analysis",), _MOST, (2_000, 25_000),
    "A carry trade is entered that costs what it was to earn.", 3, _asked, _RECIPE, ("trap:units",),
)  # fmt: skip
