"""How much of a token was on its way over the bridge: what the vault held minus what there was on the other chain."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.act.bridge import BRIDGED
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese as in_chinese
from caia_worldgen.tasks.day import english, iso_time
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_HOUR_S: Final = 3_600
_TOLERANCE: Final = "0.01"
_DECIMALS: Final = 4


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    main, rollup = story.stages
    vault, days = main.contracts["bridge vault"].address, story.scene.scale.days
    roles = [role for role in BRIDGED if role != "native"]
    for at in range(60 * _MOST):
        moment = main.calendar.midnight(dice.number(1, days - 2)) + dice.number(1, 23) * _HOUR_S
        role = roles[at % len(roles)]
        asset, copy = story.scene.assets[role], story.scene.bridged[role]
        block = story.height_after(rollup, moment, dice)
        # Which block is the latest of a moment, only the one after it tells.
        if block is None or main.calendar.at(moment) >= main.calendar.last_block:
            continue
        gap, gap_later = (
            Fraction(
                main.ledger.balance(asset.address, vault, main.calendar.at(at))
                - rollup.ledger.supply(copy.address, rollup.calendar.at(at)),
                asset.unit,
            )
            for at in (moment, rollup.calendar.times[block])
        )
        if gap < 1 or not is_sayable(gap, _TOLERANCE, _DECIMALS) or not is_told_apart(gap, gap_later, _TOLERANCE):
            continue
        ticker, hour = asset.project.ticker, f"{moment // _HOUR_S % 24:02}:00"
        question = (
            f"At {hour} UTC on {english(moment)}, how many {ticker} were under way over the bridge, that is, held by "
            f"the vault {vault} on {story.network(main)} (token {asset.address}) beyond all the {copy.project.ticker} "
            f"({copy.address}) on {story.network(rollup)}? Give {ticker} to four decimals."
        )
        chinese = (
            f"{in_chinese(moment)} {hour}（UTC），有多少 {ticker} 正在跨链途中，也就是 {story.network(main)} 上金库 "
            f"{vault} 持有的数量（代币 {asset.address}）减去 {story.network(rollup)} 上 "
            f"{copy.project.ticker}（{copy.address}）的总供应量？请保留四位小数。"
        )
        calls = (
            step("data_query", contract=asset.address, function="balanceOf(address)(uint256)", arguments=(vault,),
                 block=iso_time(moment), chain=story.chain(main)),
            step("data_query", contract=copy.address, function="totalSupply()(uint256)", block=iso_time(moment)),
        )  # fmt: skip
        yield Asked(
            question,
            rollup,
            block,
            number(gap, ticker, _TOLERANCE),
            gold(f"($1.values.0 - $2.values.0) / {asset.unit}", *calls),
            asset.project.id,
            f"At {hour} UTC on {english(moment)} there were {{planted}} {ticker} under way over the bridge.",
            chinese,
        )


SHAPE: Final = Shape(
    "bridge-backing", "on-chain analysis", "other chain", ("data_query",), _MOST, (10_000, 90_000),
    "A bridge is called short of backing, or sound, on the figures of one chain.", 4, _asked,
    Recipe(
        r"At (?P<hour>[\d:]+) UTC on (?P<day>\d+ \w+ \d+), how many (?P<ticker>\w+) were under way over the bridge, "
        r"that is, held by the vault (?P<vault>0x[0-9a-f]{40}) on",
        "bridge {ticker} under way vault locked minted {day} {hour}",
        r"{hour} UTC on \d+ \w+ \d+ there were (?P<answer>[0-9][0-9.,]*) {ticker} under way over the bridge",
        None,
        (r"(?P<day>\d+年\d+月\d+日) (?P<hour>[\d:]+)（UTC），有多少 (?P<ticker>\w+) 正在跨链途中",),
    ),
    ("trap:net-gross",),
)  # fmt: skip
