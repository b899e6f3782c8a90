"""Which part of what a token moved in a range of blocks came from its largest sender: sums by account, then a share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import TRANSFER, Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_LISTED: Final = 1_000
_FEWEST: Final = 4
_TRIES: Final = 8
_TOLERANCE: Final = "0.02"
_DECIMALS: Final = 4
_SHARES: Final = (5, 95)
"""Per cent, between which a share says something."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, tokens, newest = story.scene.main, story.tokens(), story.heights[story.scene.main.name][-1]
    for asset in _TRIES * dice.some(tokens, len(tokens)):
        last = dice.number(newest // 3, newest)
        first = last - dice.number(newest // 40 + 3, newest // 12 + 5)
        moved = stage.ledger.within(asset.address, first, last)
        sent: Counter[str] = Counter()
        for one in moved:
            if one.sender != ZERO_ADDRESS:
                sent[one.sender] += one.amount
        if len(moved) > _LISTED or len(sent) < _FEWEST:
            continue
        share = Fraction(max(sent.values()) * 100, sum(sent.values()))
        received: Counter[str] = Counter()
        for one in moved:
            received[one.recipient] += one.amount
        taken = Fraction(max(received.values()) * 100, sum(sent.values()))
        if not _SHARES[0] < share < _SHARES[1] or not is_sayable(share, _TOLERANCE, _DECIMALS):
            continue
        if not is_told_apart(share, taken, _TOLERANCE):
            continue
        ticker, block = asset.project.ticker, story.height_from(stage, last, dice)
        question = (
            f"Look at blocks {first} to {last} of {story.network(stage)}, both included: what percentage of all "
            f"{ticker} ({asset.address}) transferred in them did the single largest sender send? Nobody sends what is "
            "minted, so leave mints out of the whole as well. Give four decimals."
        )
        in_chinese = (
            f"在 {story.network(stage)} 的区块 {first} 至 {last}（含首尾）内，{ticker}（合约 {asset.address}）"
            "转账总量中，转出最多的那个地址占百分之几？铸造没有转出方，分子和分母都不计。保留四位小数。"
        )
        code = (
            "= join('', list('from collections import Counter\nfrom fractions import Fraction\nsent = Counter()\n"
            "for who, amount in zip([\"', join('\", \"', $1.events[*].arguments.from), '\"], [', "
            "join(', ', $1.events[*].arguments.value), ']):\n    if int(who, 16):\n        sent[who] += amount\n"
            'print(format(float(Fraction(max(sent.values()) * 100, sum(sent.values()))), ".10f"))\'))'
        )
        calls = (
            step("data_query", contract=asset.address, event=TRANSFER, from_block=first, to_block=last, limit=_LISTED),
            step("code_execution", code=code),
        )
        claim = f"Of all {ticker} sent in blocks {first} to {last}, {{planted}}% came from its largest sender."
        yield Asked(
            question,
            stage,
            block,
            number(round(share, 6), "%", _TOLERANCE),
            gold("round(match($2.stdout, '[0-9.]+'), 6)", *calls),
            asset.project.id,
            claim,
            in_chinese,
        )


SHAPE: Final = Shape(
    "top-sender-share", "on-chain analysis", "aggregate", ("data_query", "code_execution"), _MOST, (2_000, 20_000),
    "One account's shuffling is taken for the trade of many.", 4, _asked,
    Recipe(
        r"blocks (?P<first>[0-9]+) to (?P<last>[0-9]+) of .{3,60}, both included: what percentage of all "
        r"(?P<ticker>\w+) \((?P<contract>0x[0-9a-f]{40})\) transferred",
        "{ticker} largest sender share blocks {first} to {last} {contract}",
        r"all {ticker} sent in blocks {first} to {last}, (?P<answer>[0-9]{1,3}(?:\.[0-9]{1,20})?)%",
        also=(r"区块 (?P<first>[0-9]+) 至 (?P<last>[0-9]+)（含首尾）内，(?P<ticker>\w+)（合约 "
              r"(?P<contract>0x[0-9a-f]{40})）转账总量",),
    ),
)  # fmt: skip
