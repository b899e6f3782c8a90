"""How much of a chain's coin somebody held wrapped: the token alone, without what lay in the account itself."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage, asset = story.scene.main, story.scene.assets["native"]
    roles = [story.scene.people.address(role) for role in ("market maker", "arbitrageur", "exchange", "treasury")]
    people = [*roles, *(person.address for person in story.scene.people.crowd)]
    for holder in dice.some(people, len(people)):
        height = dice.number(3, stage.calendar.last_block)
        held = stage.ledger.balance(asset.address, holder, height)
        if not held:
            continue
        ticker = asset.project.ticker
        question = (
            f"At the end of block {height}, how much wrapped {ticker} (the token {asset.address}, not the coin itself) "
            f"did the account {holder} hold on {story.network(stage)}?"
        )
        call = step("balance_query", address=holder, token=asset.address, block=height)
        yield Asked(question, stage, dice.number(height, stage.calendar.last_block),
                    number(Fraction(held, asset.unit), None, "0.01"), gold("$1.amount", call),
                    asset.project.id)  # fmt: skip


SHAPE: Final = Shape(
    "wrapped-holding", "on-chain analysis", ("balance_query",), _MOST, (2_000, 25_000),
    "Gas money is counted as collateral.", 2, _asked, ("trap:wrapped",),
)  # fmt: skip
