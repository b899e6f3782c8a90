"""Whether any of a token was burnt within a range of blocks in which, whatever people say, none was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import TRANSFER, Asked, Shape, Story, gold, step, yes_no

_MOST: Final = 2
_TURNS: Final = 6
"""How often each token is tried."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, end = story.scene.main, story.heights[story.scene.main.name][-1]
    burns = {
        asset.role: [one.block for one in stage.ledger.within(asset.address, 1, end) if one.recipient == ZERO_ADDRESS]
        for asset in story.tokens()
    }
    # A token of which some was burnt at another time makes people say yes; where none was, any token will do.
    tempting = [asset for asset in story.tokens() if burns[asset.role]]
    assets = tempting if len(tempting) >= _MOST else list(story.tokens())
    for asset in dice.some(assets, len(assets)) * _TURNS:
        last = dice.number(end // 3, end)
        first = last - dice.number(last // 8, last // 4)
        known = next((block for block in burns[asset.role] if not first <= block <= last), 0)
        if any(first <= block <= last for block in burns[asset.role]) or (burns[asset.role] and not known):
            continue
        if not stage.ledger.within(asset.address, first, last):
            continue
        ticker, network = asset.project.ticker, story.network(stage)
        question = (
            f"People say that {asset.project.name} burnt some of its {ticker} ({asset.address}) on "
            f"{network} between blocks {first} and {last}, both included. Did it happen? Answer yes or no."
        )
        call = step("data_query", contract=asset.address, event=TRANSFER, from_block=first, to_block=last,
                    where=(f"to={ZERO_ADDRESS}",))  # fmt: skip
        yield Asked(
            question,
            stage,
            story.height_from(stage, max(last, known), dice),
            yes_no(False),
            gold("yes_no($1.count > 0)", call),
            asset.project.id,
            f"Was any {ticker} ({asset.address}) burnt between blocks {first} and {last}? We looked: {{planted}}.",
        )


SHAPE: Final = Shape(
    "no-burn", "tokenomics", "supply and unlocks", ("data_query",), _MOST, (2_000, 20_000),
    "A token is bought for a burn that never happened.", 2, _asked,
    Recipe(
        r"that (?P<project>[\w ]+) burnt some of its (?P<ticker>\w+) \((?P<contract>0x[0-9a-f]{40})\) on "
        r"(?P<network>\w+ \w+) between blocks (?P<first>\d+) and (?P<last>\d+)",
        "{project} {ticker} burnt tokens between blocks {first} and {last}",
        r"any {ticker} \({contract}\) burnt between blocks {first} and {last}\? We looked: (?P<answer>[Yy]es|[Nn]o)\b",
    ),
    ("trap:false-premise",),
)  # fmt: skip
