"""How many different accounts sent a token within a range of blocks; who was only minted to sent nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Asset
from caia_worldgen.tasks.shape import TRANSFER, Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_LISTED: Final = 1_000
"""As many events as the tool lists at once."""
_FEWEST: Final = 13
_GUESSED: Final = (18, 95)
"""Fewer than the first, and these, are guessed too easily."""
_RECIPE: Final = Recipe(
    question=r"addresses sent (?P<ticker>[A-Za-z0-9]+) \((?P<contract>0x[0-9a-f]{40})\) on "
    r"(?P<network>[A-Z][\w ]+) in blocks (?P<first>\d+) to (?P<last>\d+)",
    query="{ticker} {network} different addresses sent blocks {first} to {last}",
    pattern=r"(?P<answer>[0-9][0-9,]{0,9}) different addresses sent {ticker} in blocks {first} to {last}\b",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    tokens = [(stage, asset) for stage, assets in zip(story.stages, _minted(story), strict=True) for asset in assets]
    told: set[int] = set()
    for stage, asset in dice.some(tokens, len(tokens)) * (8 * _MOST):
        newest = story.heights[stage.name][-1]
        last = dice.number(newest // 3, newest)
        first = last - dice.number(last // 10, last // 3)
        moved = stage.ledger.within(asset.address, first, last)
        senders = {one.sender for one in moved}
        truth = len(senders - {ZERO_ADDRESS})
        # Without a mint nothing would be lost on those who count the zero address.
        if ZERO_ADDRESS not in senders or len(moved) > _LISTED:
            continue
        if truth < _FEWEST or truth in told or truth in (*_GUESSED, len(moved), len({one.recipient for one in moved})):
            continue
        told.add(truth)
        ticker = asset.project.ticker
        call = step(
            "data_query", contract=asset.address, event=TRANSFER, from_block=first, to_block=last, limit=_LISTED
        )
        yield Asked(
            question=f"How many different addresses sent {ticker} ({asset.address}) on {story.network(stage)} in "
            f"blocks {first} to {last}, both included? Count contracts, but not the zero address of mints.",
            stage=stage,
            block=story.height_from(stage, last, dice),
            answer=number(truth),
            gold=gold("count(unique($1.events[*].arguments.from)) - 1", call),
            project=asset.project.id,
            claim=f"{{planted}} different addresses sent {ticker} in blocks {first} to {last}.",
        )


def _minted(story: Story) -> tuple[tuple[Asset, ...], tuple[Asset, ...]]:
    """The tokens of either chain of which more is minted as time passes."""
    bridged = story.scene.bridged
    return (story.scene.assets["dollar"],), tuple(bridged[role] for role in sorted(bridged))


SHAPE: Final = Shape(
    "distinct-payers", "on-chain analysis", "aggregate", ("data_query",), _MOST, (1_500, 9_000),
    "A token is called used that a few accounts push around.", 3, _asked, _RECIPE, ("trap:mints",),
)  # fmt: skip
