"""A day's volume of a decentralised exchange over what was locked in it as that day ended."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese, english, iso, midnights
from caia_worldgen.tasks.day_reading import CHINESE_DAY, ENGLISH_DAY, NUMBER, ON_DAY, REST_OF_DAY, stated
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_LEAST_PERCENT: Final = Fraction(1, 20)
_GUESSED: Final = (*range(13), 18, 95)
"""Numbers that are guessed too easily."""
_PER_CENT: Final = "0.5"
_APART: Final = 2 * Fraction(_PER_CENT) / 100
"""How far, of the answer, that of another day is from it, and that by what was locked as the day began."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, flow, days = story.scene.main, story.metrics.flow, midnights(story, 2, 3)
    exchanges = [one for one in story.metrics.protocols if flow.has(one, "volume")]
    for at, day in enumerate(dice.some(days, len(days))):
        one, midnight = exchanges[at % len(exchanges)], stage.calendar.midnight(day)
        end = midnight + 86_400
        held, block = story.metrics.tvl.value_e8(one, end), story.height_after(stage, end, dice)
        if not held or block is None:
            continue
        share = Fraction(flow.daily_e8(one, "volume")[day] * 100, held)
        others = [Fraction(flow.daily_e8(one, "volume")[near] * 100, held) for near in (day - 1, day + 1)]
        others.append(Fraction(flow.daily_e8(one, "volume")[day] * 100, story.metrics.tvl.value_e8(one, midnight) or 1))
        others += [Fraction(one) for one in _GUESSED]
        if share < _LEAST_PERCENT or any(abs(other - share) <= _APART * share for other in others):
            continue
        question = dice.one((
            f"How large was the trading volume of {one.name} on {english(midnight)} (UTC) as a percentage of the value "
            "locked in it (TVL) at the end of that day? Use DefiLlama's figures for both and"
            " give four decimals.",
            f"By DefiLlama, what {one.name} traded on {english(midnight)} (UTC) is how many per cent of the TVL it was "
            "left with when that day was over? Give four decimals.",
        ))  # fmt: skip
        in_chinese = (
            f"{chinese(midnight)}（UTC）当天，{one.name} 的交易量相当于当日结束时其锁仓总价值（TVL）的百分之几？"
            "两项均以 DefiLlama 的数据为准，保留四位小数。"
        )
        calls = (
            step("exchange_summary", exchange=one.slug, start=iso(midnight), end=iso(midnight)),
            step("protocol_metrics", protocol=one.slug, at=iso(end)),
            step("code_execution", code="= join('', list('from decimal import Decimal\nprint(round(Decimal(\"', "
                 "$1.window.sums.volume_usd, '\") / Decimal(\"', $2.last_up_to_it.tvl_usd, '\") * 100, 8))'))"),
        )  # fmt: skip
        claim = f"The volume of {one.name} on {stated(midnight)} came to {{planted}}% of what was locked in it."
        yield Asked(
            question,
            stage,
            block,
            number(round(share, 4), "%", _PER_CENT),
            gold("round(match($3.stdout, '[0-9.]+'), 4)", *calls),
            one.slug,
            claim,
            in_chinese,
        )


SHAPE: Final = Shape(
    "volume-turnover", "overlap", "DeFi metrics", ("exchange_summary", "protocol_metrics", "code_execution"), _MOST,
    (2_500, 25_000), "Liquidity is lent to an exchange that does not use it.", 3, _asked,
    Recipe(
        r"trading volume of (?P<project>.{3,40}) on "
        rf"{ENGLISH_DAY} \(UTC\) as a percentage",
        "{project} volume over TVL {day} {month} {year}",
        rf"volume of {{project}} on {ON_DAY}{REST_OF_DAY} came to {NUMBER}% of what was locked",
        also=(rf"By DefiLlama, what (?P<project>.{{3,40}}) traded on {ENGLISH_DAY} \(UTC\) is",
              rf"{CHINESE_DAY}（UTC）当天，"
              r"(?P<project>.{3,40}) 的交易量相当于",),
    ),
    ("trap:end-of-day",),
)  # fmt: skip
