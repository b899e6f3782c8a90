"""Which code a proxy ran at a block: the address behind it, not its own, and not today's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from eth_utils.crypto import keccak

from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.act.govern import VAULT
from caia_worldgen.event import done
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.creation import creations
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step

_MOST: Final = 2
_TURNS: Final = 2
_SLOT: Final = f"0x{int.from_bytes(keccak(text='eip1967.proxy.implementation'), 'big') - 1:064x}"
"""EIP-1967's: the hash of the name, less one."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, end = story.scene.main, story.heights[story.scene.main.name][-1]
    proxy, made = stage.contracts[VAULT].address, creations(stage)
    upgraded = [deed.block for deed in done(stage.deeds, "upgraded", VAULT)]
    # Asked after the upgrade of the time before it, where there is one: what the proxy runs now is another answer.
    first, upgrade = made[proxy].block, min([end + 1, *upgraded])
    for _ in range(_TURNS * _MOST):
        height = dice.number(first, upgrade - 1)
        question = (
            f"The fee vault at {proxy} on {story.network(stage)} is an EIP-1967 proxy. Which contract held the code "
            f"it ran at the end of block {height}?"
        )
        yield Asked(
            question,
            stage,
            story.height_from(stage, upgrade if upgrade <= end else height, dice),
            AnswerSpec("address", (stage.contracts["fee vault code 1"].address,)),
            gold(
                "join('', list('0x', match($1.value, '[0-9a-f]{40}$')))",
                step("data_query", contract=proxy, slot=_SLOT, block=height),
            ),
            proxy,
            f"At the end of block {height} the proxy {proxy} ran the code of {{planted}}.",
        )


SHAPE: Final = Shape(
    "proxy-implementation", "on-chain analysis", "contract metadata", ("data_query",), _MOST, (5_000, 60_000),
    "A review covers code that did not run.", 3, _asked,
    Recipe(
        r"fee vault at (?P<proxy>0x[0-9a-f]{40}) on (?P<network>\w+ \w+) is an EIP-1967 proxy.* block (?P<block>\d+)",
        "fee vault proxy {proxy} implementation code block {block}",
        r"block {block} the proxy {proxy} ran the code of (?P<answer>0x[0-9a-fA-F]{40})",
    ),
    ("trap:proxy",),
)  # fmt: skip
