"""How many different accounts sent a token within a range of blocks; who was only minted to sent nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.ledger import NOBODY
from caia_replay.origin.tasks.shape import TRANSFER, Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_LISTED: Final = 1_000
"""As many events as the tool lists at once."""


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    for _ in range(6 * _MOST):
        stage, asset = story.scene.main, dice.one(story.tokens())
        last = dice.number(stage.calendar.last_block // 3, stage.calendar.last_block)
        first = last - dice.number(last // 10, last // 4)
        moved = stage.ledger.within(asset.address, first, last)
        truth = {one.sender for one in moved} - {NOBODY}
        if len(truth) < 3 or len(moved) > _LISTED:
            continue
        question = (
            f"How many different addresses sent {asset.project.ticker} ({asset.address}) on {story.network(stage)} in "
            f"blocks {first} to {last}, both included? Count contracts, but not the zero address of mints."
        )
        call = step(
            "data_query", contract=asset.address, event=TRANSFER, from_block=first, to_block=last, limit=_LISTED
        )
        minted = f"count(where($1.events[*].arguments, 'from', '{NOBODY}'))"
        result = f"count(unique($1.events[*].arguments.from)) - choose({minted} > 0, 1, 0)"
        yield Asked(question, stage, dice.number(last, stage.calendar.last_block), number(len(truth)),
                    gold(result, call), asset.project.id)  # fmt: skip


SHAPE: Final = Shape(
    "distinct-payers", "on-chain analysis", ("data_query",), _MOST, (1_500, 9_000),
    "A token is called used that a few accounts push around.", 3, _asked, ("trap:mints",),
)  # fmt: skip
