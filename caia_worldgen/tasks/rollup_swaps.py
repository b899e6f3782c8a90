"""How often one account traded on the roll-up's pool within a range of blocks: swaps, not transfers or deposits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import ChainRecipe, Recipe
from caia_worldgen.act.rollup import POOL
from caia_worldgen.event import done
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

SWAP: Final = (
    "Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, "
    "uint128 liquidity, int24 tick)"
)
"""The event of a v3 pool; what comes into it is positive."""

_MOST: Final = 4
_FEWEST: Final = 13
_GUESSED: Final = (18, 95)
"""Fewer than the first, and these, are guessed too easily."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, heights = story.scene.rollup, story.heights[story.scene.rollup.name]
    pool, network, latest = stage.contracts[POOL].address, story.network(stage), heights[-1]
    deeds = list(done(stage.deeds, "swapped", POOL))
    asked: set[str | int] = set()
    for _ in range(8 * _MOST):
        last = dice.number(latest // 2, latest)
        first = last - dice.number(latest // 3, latest // 2)
        counts = Counter(deed.actor for deed in deeds if first <= deed.block <= last)
        busy = sorted(one for one, count in counts.items() if count >= _FEWEST and not asked & {one, count})
        if not busy or counts[who := dice.one(busy)] in _GUESSED:
            continue
        if counts[who] == sum(deed.actor == who for deed in deeds if deed.block <= last):
            continue  # the first block would not matter
        asked |= {who, counts[who]}
        question = (
            f"How many times did {who} trade on the v3 pool {pool} of {network} from block {first} to block {last} "
            "inclusive? Count the swaps whose output went to that account, whatever router they came through."
        )
        chinese = (
            f"从区块 {first} 到区块 {last}（含首尾），地址 {who} 在 {network} 的 v3 资金池 {pool} 上成交了多少笔兑换？"
            "只计兑换所得归该地址的交易。"
        )
        call = step("data_query", contract=pool, event=SWAP, where=(f"recipient={who}",), from_block=first,
                    to_block=last)  # fmt: skip
        yield Asked(
            question,
            stage,
            story.height_from(stage, last, dice),
            number(counts[who]),
            gold("$1.count", call),
            story.scene.bridged["native"].project.id,
            f"From block {first} to block {last} the account {who} made {{planted}} swaps on {network}.",
            chinese,
        )


SHAPE: Final = Shape(
    "rollup-swaps", "on-chain analysis", "other chain", ("data_query",), _MOST, (1_000, 8_000),
    "A bot is billed, or paid a rebate, for trades it did not make.", 2, _asked,
    Recipe(
        r"How many times did (?P<who>0x[0-9a-f]{40}) trade on the v3 pool (?P<contract>0x[0-9a-f]{40}) of "
        r"(?P<network>\w+ \w+) from block (?P<first>\d+) to block (?P<last>\d+) inclusive",
        "{network} v3 pool {who} swaps blocks {first} to {last}",
        r"block {first} to block {last} the account {who} made (?P<answer>[0-9][0-9,]*) swaps",
        ChainRecipe(
            "data_query",
            {"contract": "{contract}", "event": SWAP, "where": ["recipient={who}"], "from_block": "{first}",
             "to_block": "{last}"},
            r'"count":(?P<answer>[0-9]+)',
        ),
        (
            r"从区块 (?P<first>\d+) 到区块 (?P<last>\d+)（含首尾），地址 (?P<who>0x[0-9a-f]{40}) 在 "
            r"(?P<network>\w+ \w+) 的 v3 资金池 (?P<contract>0x[0-9a-f]{40})",
        ),
    ),
)  # fmt: skip
