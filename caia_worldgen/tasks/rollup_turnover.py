"""What a v3 pool turned over of one of its tokens: signed amounts of one side, with the decimals of that side."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.act.rollup import POOL
from caia_worldgen.event import ChainEvent, done
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import iso, midnights
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.rollup_swaps import SWAP
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_FORMS: Final = (("dollar", True), ("native", False), ("dollar", False), ("native", True))
"""Which side is counted, and whether blocks bound the range or days: each once, for there is one pool."""
_PAIR: Final = ("native", "dollar")
_TRIES: Final = 16
_TOLERANCE: Final = "0.01"
_DECIMALS: Final = 4


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    for role, by_blocks in _FORMS:
        made = (_one(story, dice, role, by_blocks=by_blocks) for _ in range(_TRIES))
        yield from [one for one in made if one is not None][:1]


def _one(story: Story, dice: Rng, role: str, *, by_blocks: bool) -> Asked | None:
    stage, pool = story.scene.rollup, story.scene.rollup.contracts[POOL].address
    calendar, network, asset = stage.calendar, story.network(stage), story.scene.bridged[role]
    first_day = dice.one(midnights(story, 3, 14))
    last_day = first_day + dice.number(3, 10)
    first, last = calendar.blocks_of(first_day)[0], calendar.blocks_of(last_day)[-1]
    swaps = [deed for deed in done(stage.deeds, "swapped", POOL) if first <= deed.block <= last]
    block = story.height_after(stage, calendar.midnight(last_day + 1), dice)
    if len(swaps) < 2 or block is None:
        return None
    total, paid_in = (
        Fraction(sum(_amount(one, asset.role) for one in some), asset.unit)
        for some in (swaps, [one for one in swaps if dict(one.figures)["sold"] == asset.role])
    )
    if not is_sayable(total, _TOLERANCE, _DECIMALS) or not all(
        is_told_apart(total, other, _TOLERANCE) for other in (paid_in, total - paid_in)
    ):
        return None
    ticker, pair = asset.project.ticker, sorted(story.scene.bridged[one].address for one in _PAIR)
    begin, end = str(first), str(last)
    if not by_blocks:
        begin, end = (iso(calendar.midnight(day)) for day in (first_day, last_day))
    question = (
        f"Between blocks {begin} and {end} (both count), what was the swap volume of the v3 pool {pool} on {network} "
        f"in {ticker}? Take the {ticker} side ({asset.address}) of every swap, paid in or paid out, to four decimals."
        if by_blocks
        else f"Over the days {begin} through {end} (UTC), {ticker} ({asset.address}) went into the {network} v3 "
        f"pool {pool} and out of it in swaps. What do both directions add up to in {ticker}, to four decimals?"
    )
    span = f"区块 {begin} 至 {end}（首尾均计入）" if by_blocks else f"{begin} 至 {end}（UTC，含首尾两日）"
    chinese = (
        f"{network} 上的 v3 资金池 {pool} 在{'' if by_blocks else ' '}{span}期间，以 {ticker}（{asset.address}）"
        f"计的兑换成交量是多少？每笔兑换无论付入还是付出，都按 {ticker} 一侧的数额相加，保留四位小数。"
    )
    side = pair.index(asset.address)  # a pool's token 0 is the one with the smaller address
    code = (
        f"= join('', list('values = \"', $1.events[*].arguments.amount{side}, "
        '\'".split("; "); print(sum(abs(int(one)) for one in values))\'))'
    )
    calls = (
        step("data_query", contract=pool, event=SWAP, from_block=first if by_blocks else f"{begin}T00:00:00Z",
             to_block=last if by_blocks else end, limit=1_000),
        step("code_execution", code=code),
    )  # fmt: skip
    return Asked(
        question,
        stage,
        block,
        number(total, ticker, _TOLERANCE),
        gold(f"match($2.stdout, '[0-9]+') / {asset.unit}", *calls),
        asset.project.id,
        f"From {begin} to {end} swaps in the v3 pool on {network} moved {{planted}} {ticker}.",
        chinese,
    )


def _amount(swap: ChainEvent, role: str) -> int:
    return swap.figure("amount_in" if dict(swap.figures)["sold"] == role else "amount_out")


SHAPE: Final = Shape(
    "rollup-turnover", "on-chain analysis", "other chain", ("data_query", "code_execution"), _MOST, (3_000, 20_000),
    "Fees are forecast from a volume that counts one direction only.", 4, _asked,
    Recipe(
        r"Between blocks (?P<first>\d+) and (?P<last>\d+) \(both count\), what was the swap volume of the v3 pool "
        r"(?P<contract>0x[0-9a-f]{40}) on (?P<network>\w+ \w+) in (?P<ticker>\w+)\?",
        "{network} v3 pool swap volume {ticker} {first} to {last}",
        r"From {first} to {last} swaps in the v3 pool on {network} moved (?P<answer>[0-9][0-9.,]*) {ticker}",
        None,
        (
            r"Over the days (?P<first>[\d-]+) through (?P<last>[\d-]+) \(UTC\), (?P<ticker>\w+) \(0x[0-9a-f]{40}\) "
            r"went into the (?P<network>\w+ \w+) v3 pool (?P<contract>0x[0-9a-f]{40})",
            r"(?P<network>\w+ \w+) 上的 v3 资金池 (?P<contract>0x[0-9a-f]{40}) 在(?:区块)? ?(?P<first>[\d-]+) 至 "
            r"(?P<last>[\d-]+)（[^）]+）期间，以 (?P<ticker>\w+)（",
        ),
    ),
    ("trap:net-gross",),
)  # fmt: skip
