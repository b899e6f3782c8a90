"""Which code a proxy ran at a block: the address behind it, not its own, and not today's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from eth_utils.crypto import keccak

from caia_replay.core.task import AnswerSpec
from caia_replay.origin.act.govern import VAULT
from caia_replay.origin.deed import done
from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.creation import creations
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, step

_MOST: Final = 2
_SLOT: Final = f"0x{int.from_bytes(keccak(text='eip1967.proxy.implementation'), 'big') - 1:064x}"
"""EIP-1967's: the hash of the name, less one."""


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage = story.scene.main
    proxy, made = stage.contracts[VAULT].address, creations(stage)
    upgraded = [deed.block for deed in done(stage.deeds, "upgraded", VAULT)]
    last = stage.calendar.last_block
    spans = [(made[proxy].block, (upgraded or [last + 1])[0] - 1, 1), *((block, last, 2) for block in upgraded[:1])]
    for first, until, version in dice.some(spans, len(spans)):
        height = dice.number(first, until)
        answer = AnswerSpec("address", (stage.contracts[f"fee vault code {version}"].address,))
        question = (
            f"The fee vault at {proxy} on {story.network(stage)} is an EIP-1967 proxy. Which contract held the code "
            f"it ran at the end of block {height}?"
        )
        call = step("data_query", contract=proxy, slot=_SLOT, block=height)
        result = "join('', list('0x', match($1.value, '[0-9a-f]{40}$')))"
        yield Asked(question, stage, dice.number(height, last), answer, gold(result, call), proxy)


SHAPE: Final = Shape(
    "proxy-implementation", "on-chain analysis", ("data_query",), _MOST, (5_000, 60_000),
    "A review covers code that did not run.", 3, _asked, ("trap:proxy",),
)  # fmt: skip
