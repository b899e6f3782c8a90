"""What somebody held when a day ended in a place that is not on UTC: which block that was comes first."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Asset
from caia_worldgen.tasks.day import chinese, english, iso, midnights
from caia_worldgen.tasks.day_reading import CHINESE_DAY, ENGLISH_DAY, NUMBER, ON_DAY, REST_OF_DAY, stated
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_TOLERANCE: Final = "0.001"
_DECIMALS: Final = 4
_ZONES: Final = (
    ("Brisbane", "布里斯班", "+10:00", 600),
    ("Seoul", "首尔", "+09:00", 540),
    ("Singapore", "新加坡", "+08:00", 480),
    ("Mumbai", "孟买", "+05:30", 330),
    ("Nairobi", "内罗毕", "+03:00", 180),
)
"""Places that have kept their offset all year for decades, in minutes."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage = story.scene.main
    late = {asset: found for asset in story.tokens() if (found := tuple(_late(story, asset)))}
    assets = sorted(late, key=lambda asset: asset.role)
    for at in range(20 * _MOST if assets else 0):
        asset = assets[at % len(assets)]
        height, holder = dice.one(late[asset])
        midnight, moved_at = stage.calendar.midnight(stage.calendar.day_of(height)), stage.calendar.times[height]
        next_day = midnight + DAY_S
        place, in_place, offset, ahead = dice.one([zone for zone in _ZONES if moved_at >= next_day - zone[3] * 60])
        block = story.height_after(stage, next_day, dice)
        if block is None:
            continue
        held, in_utc, later = (
            Fraction(stage.ledger.balance(asset.address, holder, at), asset.unit)
            for at in (*(stage.calendar.at(moment - 1) for moment in (next_day - ahead * 60, next_day)), block)
        )
        if not is_sayable(held, _TOLERANCE, _DECIMALS) or not all(
            is_told_apart(held, other, _TOLERANCE) for other in (in_utc, later)
        ):
            continue
        ticker = asset.project.ticker
        question = (
            f"When {english(midnight)} was over in {place} (UTC{offset}), how many {ticker} ({asset.address}) did the "
            f"account {holder} hold on {story.network(stage)}? Take the end of the last block before midnight there, "
            f"and answer in {ticker} to four decimals."
        )
        in_chinese = (
            f"{in_place}时间（UTC{offset}）{chinese(midnight)}结束时，即当地午夜前最后一个区块结束时，"
            f"{story.network(stage)} 上的账户 {holder} 持有多少 {ticker}（合约 {asset.address}）？请保留四位小数。"
        )
        calls = (
            step("time_conversion", time=f"{iso(midnight)}T23:59:59{offset}"),
            step("balance_query", address=holder, token=asset.address, block="$1.blocks.0.last_block.block"),
        )
        claim = f"As {stated(midnight)} ended in {place}, {holder} held {{planted}} {ticker}."
        yield Asked(question, stage, block, number(held, ticker, _TOLERANCE),
                    gold("$2.amount", *calls), asset.project.id, claim, in_chinese)  # fmt: skip


def _late(story: Story, asset: Asset) -> Iterator[tuple[int, str]]:
    """Which blocks that lie in the next day already at some place moved a person's tokens, and whose."""
    calendar, crowd = story.scene.main.calendar, {person.address.lower() for person in story.scene.people.crowd}
    days, most_ahead = midnights(story, 2, 3), max(zone[3] for zone in _ZONES) * 60
    for one in story.scene.main.ledger.within(asset.address, 1, calendar.last_block):
        day = calendar.day_of(one.block)
        if day in days and calendar.times[one.block] >= calendar.midnight(day + 1) - most_ahead:
            yield from ((one.block, holder) for holder in (one.sender, one.recipient) if holder in crowd)


SHAPE: Final = Shape(
    "balance-at-local-midnight", "on-chain analysis", "point look-up", ("time_conversion", "balance_query"), _MOST,
    (2_000, 20_000), "Books are closed on a balance of another day.", 3, _asked,
    Recipe(
        rf"When {ENGLISH_DAY} was over in \w+ \(UTC.{{6}}\), how many "
        r"(?P<ticker>\w+) \((?P<contract>0x[0-9a-f]{40})\) did the account (?P<holder>0x[0-9a-f]{40}) hold",
        "{holder} {ticker} balance {day} {month} {year}",
        rf"As {ON_DAY}{REST_OF_DAY} ended in [A-Z][a-z]{{3,11}}, {{holder}} held {NUMBER} {{ticker}}",
        also=(rf"（UTC.{{6}}）{CHINESE_DAY}结束时，.{{10,80}}的账户 "
              r"(?P<holder>0x[0-9a-f]{40}) 持有多少 (?P<ticker>\w+)（合约 (?P<contract>0x[0-9a-f]{40})）",),
    ),
    ("trap:time-zone",),
)  # fmt: skip
