"""What the average user of a protocol paid in fees on one UTC day: two daily figures of one index, divided."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese, english, iso, midnights
from caia_worldgen.tasks.day_reading import CHINESE_DAY, ENGLISH_DAY, NUMBER, ON_DAY, REST_OF_DAY, stated
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_LEAST_USD: Final = 1
_GUESSED: Final = (*range(13), 18, 95)
"""Numbers that are guessed too easily."""
_PER_CENT: Final = "0.5"
_APART: Final = 2 * Fraction(_PER_CENT) / 100
"""How far, of the answer, that of another day is from it, and the revenue by user."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, flow, days = story.scene.main, story.metrics.flow, midnights(story, 2, 3)
    charging = [one for one in story.metrics.protocols if flow.has(one, "fees")]
    for at, day in enumerate(dice.some(days, len(days))):
        protocol, midnight = charging[at % len(charging)], stage.calendar.midnight(day)
        users = story.metrics.activity.daily(protocol)[day].users
        block = story.height_after(stage, midnight + 86_400, dice)
        if users < 2 or block is None:
            continue
        fees, use = flow.daily_e8(protocol, "fees"), story.metrics.activity.daily(protocol)
        each = Fraction(fees[day], 10**8 * users)
        others = [Fraction(fees[near], 10**8 * (use[near].users or 1)) for near in (day - 1, day + 1)]
        others += [Fraction(fees[day], 10**8 * use[day].transactions),
                   Fraction(flow.daily_e8(protocol, "revenue")[day], 10**8 * users)]  # fmt: skip
        others += [Fraction(one) for one in _GUESSED]
        if each < _LEAST_USD or any(abs(other - each) <= _APART * each for other in others):
            continue
        question = dice.one((
            f"How much did the average user of {protocol.name} pay in fees on {english(midnight)} (UTC)? Divide all "
            "fees of that day by the number of distinct addresses that used it that day, both as DefiLlama has "
            "them, and answer in US dollars, to three decimals.",
            f"Per distinct user, how many US dollars of fees did {protocol.name} see on the UTC day "
            f"{english(midnight)}? Both figures, all fees and all users of the day, are DefiLlama's; what the "
            "protocol kept of the fees does not matter. Give three decimals.",
        ))  # fmt: skip
        in_chinese = (
            f"{chinese(midnight)}（UTC）当天，{protocol.name} 平均每位用户支付了多少美元的手续费？"
            "用 DefiLlama 记录的当日全部费用除以当日使用过它的不同地址数，保留三位小数。"
        )
        calls = (
            step("revenue_analysis", protocol=protocol.slug, measure="fees", start=iso(midnight), end=iso(midnight)),
            step("network_activity", protocol=protocol.slug, start=iso(midnight), end=iso(midnight)),
            step("code_execution", code="= join('', list('from decimal import Decimal\nprint(round(Decimal(\"', "
                 "$1.window.sums.fees_usd, '\") / ', $2.points.0.users, ', 8))'))"),
        )  # fmt: skip
        claim = f"On {stated(midnight)} a user of {protocol.name} paid {{planted}} US dollars in fees on average."
        yield Asked(
            question,
            stage,
            block,
            number(round(each, 3), "USD", _PER_CENT),
            gold("round(match($3.stdout, '[0-9.]+'), 3)", *calls),
            protocol.slug,
            claim,
            in_chinese,
        )


SHAPE: Final = Shape(
    "fees-per-user", "overlap", "DeFi metrics", ("revenue_analysis", "network_activity", "code_execution"), _MOST,
    (2_000, 20_000), "Users are bought for more than they bring.", 3, _asked,
    Recipe(
        r"average user of (?P<project>.{3,40}) pay in fees on "
        rf"{ENGLISH_DAY} \(UTC\)\?",
        "{project} fees per user {day} {month} {year}",
        rf"On {ON_DAY}{REST_OF_DAY} a user of {{project}} paid {NUMBER} US dollars in fees",
        also=(rf"US dollars of fees did (?P<project>.{{3,40}}) see on the UTC day {ENGLISH_DAY}\?",
              rf"{CHINESE_DAY}（UTC）当天，"
              r"(?P<project>.{3,40}) 平均每位用户支付",),
    ),
    ("trap:fees-and-revenue",),
)  # fmt: skip
