"""How much of a chain's coin was burnt as base fees on one UTC day: what all of its blocks used, times their fee."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.day import english, iso, midnights
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_SQL: Final = "SELECT CAST(sum(CAST(base_fee_per_gas AS HUGEINT) * gas_used) AS VARCHAR) AS burnt FROM blocks"


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage, coin = story.scene.main, next(one for one in story.book.coins if one.role == "native")
    for day in dice.some(midnights(story, 2, 3), 3 * _MOST):
        midnight = stage.calendar.midnight(day)
        block = story.height_after(stage, midnight + 86_400, dice)
        if block is None:
            continue
        before, after = (story.book.supply(coin, midnight + seconds - 1).total for seconds in (0, 86_400))
        if before == after:
            continue
        ticker = coin.symbol.upper()
        question = (
            f"How much {ticker} was burnt as base fees on {story.network(stage)} during {english(midnight)} (UTC)? "
            "Tips do not count."
        )
        call = step(
            "data_query", sql=_SQL, from_block=f"{iso(midnight)}T00:00:00Z", to_block=f"{iso(midnight)}T23:59:59Z"
        )
        yield Asked(question, stage, block, number(Fraction(before - after, coin.unit), ticker, "0.1"),
                    gold(f"$1.rows.0.0 / {coin.unit}", call), coin.id)  # fmt: skip


SHAPE: Final = Shape(
    "burnt-fees", "tokenomics", ("data_query",), _MOST, (2_000, 12_000),
    "A coin is called deflationary by a figure that holds the tips as well.", 4, _asked, ("trap:net-gross",),
)  # fmt: skip
