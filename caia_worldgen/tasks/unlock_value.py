"""What the tokens that a vesting cliff set free were worth at that moment: a calendar's amount, a market's price."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese, english, iso
from caia_worldgen.tasks.day_reading import CHINESE_DAY, ENGLISH_DAY, NUMBER, ON_DAY, REST_OF_DAY, stated
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_PER_CENT: Final = "0.5"
_APART: Final = 2 * Fraction(_PER_CENT) / 100
"""How far, of the answer, that at another midnight's price is from it, and the worth of the whole allocation."""
_TOLD_LATE_S: Final = 3_600
"""How long after midnight the market's figure of that midnight is told, at the most."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage = story.scene.main
    cliffs = [
        (one, grant.section, grant.schedule.cliff)
        for one in story.metrics.emissions.all()
        for grant in one.grants
        if stage.calendar.midnight(1) <= grant.schedule.cliff < stage.calendar.midnight(story.scene.scale.days)
    ]
    for emission, section, cliff in dice.some(cliffs, len(cliffs)):
        coin, block = story.book.coin(emission.slug), story.height_after(stage, cliff + _TOLD_LATE_S, dice)
        out = emission.unlocked(section, cliff)
        whole = sum(grant.schedule.total for grant in emission.grants if grant.section == section)
        if coin is None or block is None or cliff <= emission.known_at or coin.listed_at > cliff - DAY_S:
            continue
        moments = (cliff - DAY_S, cliff, cliff + DAY_S)
        before, price, after = (story.book.prices.price_e8(coin, moment) or 0 for moment in moments)
        if not price or any(abs(one - price) <= _APART * price for one in (before, after)):
            continue
        if whole - out <= _APART * out:
            continue
        asset = story.scene.assets[emission.role]
        name, ticker = asset.project.name, asset.project.ticker
        question = (
            f"The {section} allocation of {name} passed its cliff at 00:00 UTC on {english(cliff)}. What were the "
            f"{ticker} that this set free worth in US dollars at the market price of that moment (CoinGecko)?"
        )
        in_chinese = (
            f"{name} 的 {section} 份额的锁仓悬崖期（cliff）于 {chinese(cliff)} 零点（UTC）届满。"
            f"按当时的市价（CoinGecko），这次一次性解锁的 {ticker} 价值多少美元？"
        )
        calls = (
            step("release_schedule", asset=f"id:{emission.slug}", start=iso(cliff), end=iso(cliff + DAY_S), limit=100),
            step("price_feed", asset=f"id:{coin.id}", at=iso(cliff)),
            step("code_execution", code="= join('', list('from decimal import Decimal\nprint(round(Decimal(\"', "
                 f"first(where(where($1.events, 'kind', 'cliff'), 'allocation', '{section}')).tokens, "
                 "'\") * Decimal(\"', $2.price, '\"), 6))'))"),
        )  # fmt: skip
        claim = f"The {section} cliff of {ticker} on {stated(cliff)} set free tokens worth {{planted}} US dollars."
        yield Asked(
            question,
            stage,
            block,
            number(round(Fraction(out * price, 10**26), 2), "USD", _PER_CENT),
            gold("round(match($3.stdout, '[0-9.]+'), 2)", *calls),
            asset.project.id,
            claim,
            in_chinese,
        )


SHAPE: Final = Shape(
    "unlock-value", "tokenomics", "supply and unlocks", ("release_schedule", "price_feed", "code_execution"), _MOST,
    (15_000, 90_000), "A hedge against an unlock is bought for the wrong size.", 3, _asked,
    Recipe(
        r"The (?P<section>\w+) allocation of (?P<project>.{3,40}) passed its cliff at 00:00 UTC on "
        rf"{ENGLISH_DAY}\. What were the (?P<ticker>\w+) that",
        "{project} {ticker} {section} cliff unlock worth {day} {month} {year}",
        rf"{{section}} cliff of {{ticker}} on {ON_DAY}{REST_OF_DAY} set free tokens worth {NUMBER} US dollars",
        also=(rf"^(?P<project>.{{3,40}}) 的 (?P<section>\w+) 份额的锁仓悬崖期（cliff）于 {CHINESE_DAY} 零点"
              r".{10,50}解锁的 (?P<ticker>\w+) 价值",),
    ),
    ("trap:locked-and-unlocked",),
)  # fmt: skip
