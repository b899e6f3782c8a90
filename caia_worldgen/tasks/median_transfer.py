"""The middle one of a token's transfers of one UTC day: neither the mean nor the sum, with the token's own decimals."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from statistics import median
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese, english, iso, midnights
from caia_worldgen.tasks.day_reading import CHINESE_DAY, ENGLISH_DAY, NUMBER, ON_DAY, REST_OF_DAY, stated
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import TRANSFER, Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_LISTED: Final = 1_000
_FEWEST: Final = 3
_ETHER: Final = 18
"""The decimals that everybody expects."""
_TOLERANCE: Final = "0.01"
_DECIMALS: Final = 4


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, days, told = story.scene.main, midnights(story, 1, 2), set[Fraction]()
    tokens = [asset for asset in story.tokens() if asset.decimals != _ETHER]
    for day in dice.some(days, len(days)):
        asset, blocks = dice.one(tokens), stage.calendar.blocks_of(day)
        moved = stage.ledger.within(asset.address, blocks[0], blocks[-1]) if blocks else ()
        if not _FEWEST <= len(moved) <= _LISTED:
            continue
        amounts = [Fraction(one.amount, asset.unit) for one in moved]
        middle = median(amounts)
        mean = sum(amounts, Fraction(0)) / len(amounts)
        if (
            middle in told
            or not is_sayable(middle, _TOLERANCE, _DECIMALS)
            or not is_told_apart(middle, mean, _TOLERANCE)
        ):
            continue
        told.add(middle)
        midnight, ticker = stage.calendar.midnight(day), asset.project.ticker
        block = story.height_after(stage, midnight + 86_400, dice)
        if block is None:
            continue
        question = dice.one((
            f"What was the median size of all transfers of {ticker} ({asset.address}) on {story.network(stage)} on "
            f"{english(midnight)} (UTC)? Take every Transfer event, mints and burns as well; where their number is "
            f"even, the mean of the middle two. Answer in {ticker}, to four decimals.",
            f"Sort the {ticker} transfers that {story.network(stage)} saw on {english(midnight)} (UTC) by amount, with "
            f"mints and burns among them: how many {ticker} is the median (token {asset.address})? Between two middle "
            "ones it lies halfway. Give four decimals.",
        ))  # fmt: skip
        in_chinese = (
            f"{chinese(midnight)}（UTC）当天，{story.network(stage)} 上 {ticker}（合约 {asset.address}）"
            f"所有转账金额的中位数是多少 {ticker}？铸造和销毁也计算在内；笔数为偶数时，取中间两笔的平均值。"
            "保留四位小数。"
        )
        code = (
            "= join('', list('from fractions import Fraction\nfrom statistics import median\n"
            "middle = median(map(Fraction, [', join(', ', $1.events[*].arguments.value), '])) "
            f'/ {asset.unit}\nprint(format(float(middle), ".10f"))\'))'
        )
        calls = (
            step("data_query", contract=asset.address, event=TRANSFER, from_block=f"{iso(midnight)}T00:00:00Z",
                 to_block=iso(midnight), limit=_LISTED),
            step("code_execution", code=code),
        )  # fmt: skip
        claim = f"On {stated(midnight)} the median transfer of {ticker}, {asset.address}, was {{planted}} {ticker}."
        yield Asked(
            question,
            stage,
            block,
            number(round(middle, 6), ticker, _TOLERANCE),
            gold("round(match($2.stdout, '[0-9.]+'), 6)", *calls),
            asset.project.id,
            claim,
            in_chinese,
        )


SHAPE: Final = Shape(
    "median-transfer", "on-chain analysis", "aggregate", ("data_query", "code_execution"), _MOST, (1_500, 12_000),
    "A fee is set for the payments of a few and not for those of most.", 3, _asked,
    Recipe(
        r"median size of all transfers of (?P<ticker>\w+) \((?P<contract>0x[0-9a-f]{40})\) on .{3,60} on "
        rf"{ENGLISH_DAY} \(UTC\)",
        "{ticker} median transfer {contract} {day} {month} {year}",
        rf"On {ON_DAY}{REST_OF_DAY} the median transfer of {{ticker}}, {{contract}}, was {NUMBER} {{ticker}}",
        also=(
            rf"Sort the (?P<ticker>\w+) transfers that .{{3,60}} saw on {ENGLISH_DAY} \(UTC\).{{50,120}}"
            r"\(token (?P<contract>0x[0-9a-f]{40})\)",
            rf"{CHINESE_DAY}（UTC）当天，.{{3,60}} 上 (?P<ticker>\w+)（合约 (?P<contract>0x[0-9a-f]{{40}})）"
            "所有转账金额的中位数",
        ),
    ),
    ("trap:decimals",),
)  # fmt: skip
