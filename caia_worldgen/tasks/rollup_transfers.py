"""How much of a bridged token changed hands on the roll-up on one UTC day: what the bridge minted or burnt is none."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import iso, midnights
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_TOLERANCE: Final = "0.01"
_DECIMALS: Final = 4


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, network = story.scene.rollup, story.network(story.scene.rollup)
    days = midnights(story, 2, 2)
    roles = sorted(story.scene.bridged)
    pairs = [(day, role) for day in days for role in roles]
    for day, role in dice.some(pairs, len(pairs)):
        midnight, blocks = stage.calendar.midnight(day), stage.calendar.blocks_of(day)
        asset = story.scene.bridged[role]
        block = story.height_after(stage, stage.calendar.midnight(day + 1), dice)
        if block is None or not blocks:
            continue
        every = stage.ledger.within(asset.address, blocks[0], blocks[-1])
        moved = [one.amount for one in every if ZERO_ADDRESS not in (one.sender, one.recipient)]
        crossed = [one.amount for one in every if ZERO_ADDRESS in (one.sender, one.recipient)]
        total = Fraction(sum(moved), asset.unit)
        # Without a crossing on that day gross and net would be the same.
        if len(moved) < 2 or not is_sayable(total, _TOLERANCE, _DECIMALS):
            continue
        if not is_told_apart(total, total + Fraction(sum(crossed), asset.unit), _TOLERANCE):
            continue
        ticker = asset.project.ticker
        question = (
            f"Add up the {ticker} that moved from one account to another on {network} on the UTC day "
            f"{iso(midnight)}, leaving out what the bridge minted or burnt. How many {ticker} is that, to four "
            f"decimals (contract {asset.address})?"
        )
        chinese = (
            f"{iso(midnight)}（UTC）全天，{network} 上 {ticker}（合约 {asset.address}）在账户之间的转账合计多少枚？"
            "跨链桥的铸造和销毁不计在内，保留四位小数。"
        )
        statement = (
            "SELECT CAST(sum(value) AS VARCHAR) AS moved FROM erc20_transfers "
            f"WHERE erc20 = '{asset.address}' AND from_address <> '{ZERO_ADDRESS}' AND to_address <> '{ZERO_ADDRESS}'"
        )
        call = step("data_query", sql=statement, from_block=f"{iso(midnight)}T00:00:00Z", to_block=iso(midnight))
        yield Asked(
            question,
            stage,
            block,
            number(total, ticker, _TOLERANCE),
            gold(f"$1.rows.0.0 / {asset.unit}", call),
            asset.project.id,
            f"On {iso(midnight)} {{planted}} {ticker} moved between accounts on {network}.",
            chinese,
        )


SHAPE: Final = Shape(
    "rollup-transfers", "on-chain analysis", "other chain", ("data_query",), _MOST, (2_000, 15_000),
    "Crossings of the bridge are sold as use of the roll-up.", 3, _asked,
    Recipe(
        r"Add up the (?P<ticker>\w+) that moved from one account to another on (?P<network>\w+ \w+) on the UTC day "
        r"(?P<day>[\d-]+), leaving out.+contract (?P<contract>0x[0-9a-f]{40})",
        "{network} {ticker} moved between accounts {day}",
        r"On {day} (?P<answer>[0-9][0-9.,]*) {ticker} moved between accounts on {network}",
        None,
        (
            r"(?P<day>[\d-]+)（UTC）全天，(?P<network>\w+ \w+) 上 (?P<ticker>\w+)（合约 "
            r"(?P<contract>0x[0-9a-f]{40})）",
        ),
    ),
    ("trap:net-gross",),
)  # fmt: skip
