"""Who created a contract: the account that sent the transaction, whatever the contract calls itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.task import AnswerSpec
from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.creation import creations
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, step

_MOST: Final = 6


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    pairs = [(stage, made) for stage in story.stages for made in sorted(creations(stage).items())]
    named = {(stage.name, made.address) for stage in story.stages for made in stage.contracts.values()}
    for stage, (address, made) in dice.some(pairs, len(pairs)):
        if (stage.name, address) not in named:
            continue
        block = dice.number(made.block + 1, stage.calendar.last_block) if made.block < stage.calendar.last_block else 0
        if not block:
            continue
        chinese = dice.happens(25)
        question = (
            f"{story.network(stage)} 上的合约 {address} 是由哪个账户创建的？"
            if chinese
            else f"Which account created the contract {address} on {story.network(stage)}?"
        )
        call = step("data_query", contract=address, about="creation")
        yield Asked(question, stage, block, AnswerSpec("address", (made.creator,)), gold("$1.creator", call),
                    made.creator, "zh" if chinese else "en")  # fmt: skip


SHAPE: Final = Shape(
    "contract-creator", "on-chain analysis", ("data_query",), _MOST, (1_000, 12_000),
    "A stranger's contract is taken for the project's own.", 1, _asked,
)  # fmt: skip
