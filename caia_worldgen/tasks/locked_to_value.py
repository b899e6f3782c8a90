"""What a protocol held as a day began over what its token was worth: an index's figure over a market's."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.tvl import Part
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese, english, iso, midnights
from caia_worldgen.tasks.day_reading import CHINESE_DAY, ENGLISH_DAY, NUMBER, ON_DAY, REST_OF_DAY, stated
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_TOLD_LATE_S: Final = 3_600
"""How long after midnight the market's figure of that midnight is told, at the most."""
_LEAST_PERCENT: Final = Fraction(1, 20)
_GUESSED: Final = (*range(13), 18, 95)
"""Numbers that are guessed too easily."""
_PER_CENT: Final = "0.5"
_APART: Final = 2 * Fraction(_PER_CENT) / 100
"""How far, of the answer, that of another midnight is from it."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, days = story.scene.main, midnights(story, 3, 2)
    owned = [one for one in story.metrics.protocols if one.role]
    for at, day in enumerate(dice.some(days, len(days))):
        protocol, midnight = owned[at % len(owned)], stage.calendar.midnight(day)
        coin, block = story.book.coin(protocol.slug), story.height_after(stage, midnight + _TOLD_LATE_S, dice)
        part: Part = "staking" if protocol.kind == "stake" else "tvl"
        if coin is None or block is None or coin.listed_at > midnight - DAY_S:
            continue
        before, share, after = (
            Fraction(story.metrics.tvl.value_e8(protocol, moment, part) * 100, story.book.cap_usd(coin, moment) * 10**8)
            for moment in (midnight - DAY_S, midnight, midnight + DAY_S)
        )
        if share < _LEAST_PERCENT or any(abs(other - share) <= _APART * share for other in (before, after, *_GUESSED)):
            continue
        ticker, words = coin.symbol.upper(), {"tvl": "locked in", "staking": "staked in"}[part]
        question = dice.one((
            f"DefiLlama tells what was {words} {protocol.name} at 00:00 UTC on {english(midnight)}, CoinGecko the "
            f"market capitalisation of {ticker} at that moment. What percentage of the second was the first? Give four "
            "decimals.",
            f"As {english(midnight)} (UTC) began, how did the value {words} {protocol.name} (by DefiLlama) compare "
            f"with the market cap of its token {ticker} (by CoinGecko)? Put it as a percentage of the market cap, to "
            "four decimals.",
        ))  # fmt: skip
        in_chinese = (
            f"{chinese(midnight)} 零点（UTC），{protocol.name} 的{'质押' if part == 'staking' else '锁仓'}价值"
            f"（DefiLlama）相当于当时 {ticker} 流通市值（CoinGecko）的百分之几？保留四位小数。"
        )
        calls = (
            step("protocol_metrics", protocol=protocol.slug, at=iso(midnight),
                 part="staking" if part == "staking" else None),
            step("price_feed", asset=f"id:{coin.id}", at=iso(midnight)),
            step("code_execution", code="= join('', list('from decimal import Decimal\nprint(round(Decimal(\"', "
                 "$1.last_up_to_it.tvl_usd, '\") / Decimal(\"', $2.market_cap, '\") * 100, 8))'))"),
        )  # fmt: skip
        claim = (f"What was {words} {protocol.name} on {stated(midnight)} came to {{planted}}% of the market cap of "
                 f"{ticker}.")  # fmt: skip
        yield Asked(
            question,
            stage,
            block,
            number(round(share, 4), "%", _PER_CENT),
            gold("round(match($3.stdout, '[0-9.]+'), 4)", *calls),
            protocol.slug,
            claim,
            in_chinese,
        )


SHAPE: Final = Shape(
    "locked-to-value", "overlap", "DeFi metrics", ("protocol_metrics", "price_feed", "code_execution"), _MOST,
    (8_000, 70_000), "A token is called cheap against deposits that are not there.", 4, _asked,
    Recipe(
        r"what was (?:locked|staked) in (?P<project>.{3,40}) at 00:00 UTC on "
        rf"{ENGLISH_DAY}, CoinGecko the market capitalisation of (?P<ticker>\w+) at",
        "{project} locked value over market cap {ticker} {day} {month} {year}",
        rf"in {{project}} on {ON_DAY}{REST_OF_DAY} came to {NUMBER}% of the market cap of {{ticker}}",
        also=(rf"As {ENGLISH_DAY} \(UTC\) began, how did the value (?:locked|staked) in (?P<project>.{{3,40}}) \(by "
              r"DefiLlama\) compare with the market cap of its token (?P<ticker>\w+) \(",
              rf"{CHINESE_DAY} 零点（UTC），"
              r"(?P<project>.{3,40}) 的(?:锁仓|质押)价值（DefiLlama）相当于当时 (?P<ticker>\w+) 流通市值",),
    ),
)  # fmt: skip
