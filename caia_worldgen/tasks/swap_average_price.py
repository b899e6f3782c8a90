"""At which price a pool traded over a range of blocks, each swap weighing what it moved: two sides, two decimals."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.event import ChainEvent, done
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_LISTED: Final = 1_000
_FEWEST: Final = 4
_TRIES: Final = 8
_TOLERANCE: Final = "0.01"
_DECIMALS: Final = 6
_SWAP: Final = ("Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, "
                "uint256 amount1Out, address indexed to)")  # fmt: skip


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, dollar, newest = story.scene.main, story.scene.assets["dollar"], story.heights[story.scene.main.name][-1]
    roles = sorted(role for role, other in story.scene.markets if other == "dollar" and role != "native")
    for role in _TRIES * dice.some(roles, len(roles)):
        last = dice.number(newest // 3, newest)
        first = last - dice.number(newest // 40 + 3, newest // 12 + 5)
        swaps = [deed for deed in done(stage.deeds, "swapped", f"{role}/dollar") if first <= deed.block <= last]
        if not _FEWEST <= len(swaps) <= _LISTED:
            continue
        traded = {"dollar": 0, role: 0}
        for deed in swaps:
            for what, amount in (("sold", "amount_in"), ("bought", "amount_out")):
                traded[str(dict(deed.figures)[what])] += deed.figure(amount)
        asset, market = story.scene.assets[role], story.scene.markets[role, "dollar"]
        price = Fraction(traded["dollar"] * asset.unit, traded[role] * dollar.unit)
        mean = sum((_price(deed, role) for deed in swaps), Fraction(0)) * asset.unit / dollar.unit / len(swaps)
        if not is_sayable(price, _TOLERANCE, _DECIMALS) or not is_told_apart(price, mean, _TOLERANCE):
            continue
        pair, side = market.pair.address, market.side(asset)
        ticker, quote = asset.project.ticker, dollar.project.ticker
        question = (
            f"At what average price in {quote} did the v2 pool {pair} on {story.network(stage)} trade {ticker} in "
            f"blocks {first} to {last}, both included? Weigh by volume: all {quote} that went in or out by its Swap "
            f"events over all {ticker} that did, fees included; six decimals."
        )
        in_chinese = (
            f"{story.network(stage)} 上的 v2 资金池 {pair} 在区块 {first} 至 {last}（含首尾）内，"
            f"{ticker} 以 {quote} 计的成交量加权平均价是多少？用 Swap 事件中进出的全部 {quote} "
            f"除以进出的全部 {ticker}，不扣除手续费，保留六位小数。"
        )
        own, other = (
            f"join(', ', $1.events[*].arguments.amount{at}In), ', ', join(', ', $1.events[*].arguments.amount{at}Out)"
            for at in (side, 1 - side)
        )
        code = (
            f"= join('', list('from fractions import Fraction\nown = sum([', {own}, '])\nother = sum([', {other}, "
            f"'])\nprint(format(float(Fraction(other * {asset.unit}, own * {dollar.unit})), \".10f\"))'))"
        )
        calls = (
            step("data_query", contract=pair, event=_SWAP, from_block=first, to_block=last, limit=_LISTED),
            step("code_execution", code=code),
        )
        claim = f"Over blocks {first} to {last} the pool {pair} traded {ticker} at {{planted}} {quote} on average."
        yield Asked(
            question,
            stage,
            story.height_from(stage, last, dice),
            number(round(price, 8), quote, _TOLERANCE),
            gold("round(match($2.stdout, '[0-9.]+'), 8)", *calls),
            asset.project.id,
            claim,
            in_chinese,
        )


def _price(swap: ChainEvent, role: str) -> Fraction:
    """One swap's price in the smallest units of both sides: who does not weigh takes the mean of these."""
    paid, got = swap.figure("amount_in"), swap.figure("amount_out")
    return Fraction(got, paid) if dict(swap.figures)["sold"] == role else Fraction(paid, got)


SHAPE: Final = Shape(
    "swap-average-price", "on-chain analysis", "aggregate", ("data_query", "code_execution"), _MOST, (2_000, 25_000),
    "A broker is paid for a price that was not better than the pool's.", 4, _asked,
    Recipe(
        r"average price in (?P<quote>\w+) did the v2 pool (?P<pair>0x[0-9a-f]{40}) on .{3,60} trade (?P<ticker>\w+) in "
        r"blocks (?P<first>[0-9]+) to (?P<last>[0-9]+),",
        "{ticker} {quote} pool {pair} average price blocks {first} to {last}",
        r"blocks {first} to {last} the pool {pair} traded {ticker} at "
        r"(?P<answer>[0-9][0-9,]{0,20}(?:\.[0-9]{1,20})?) {quote} on average",
        also=(r"资金池 (?P<pair>0x[0-9a-f]{40}) 在区块 (?P<first>[0-9]+) 至 (?P<last>[0-9]+)（含首尾）内，"
              r"(?P<ticker>\w+) 以 (?P<quote>\w+) 计的成交量加权平均价",),
    ),
    ("trap:decimals",),
)  # fmt: skip
