"""Which part of two weeks' trading on decentralised exchanges one of them had."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.day import english, iso, midnights
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_DAYS: Final = 14


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage, flow = story.scene.main, story.metrics.flow
    exchanges = [one for one in story.metrics.protocols if flow.has(one, "volume")]
    for day in dice.some(midnights(story, 2, _DAYS + 2), 3 * _MOST):
        one = dice.one(exchanges)
        first, end = stage.calendar.midnight(day), stage.calendar.midnight(day + _DAYS)
        traded = {protocol.slug: sum(flow.daily_e8(protocol, "volume")[day : day + _DAYS]) for protocol in exchanges}
        block = story.height_after(stage, end, dice)
        if not traded[one.slug] or block is None:
            continue
        share = Fraction(traded[one.slug] * 100, sum(traded.values()))
        question = (
            f"Of everything that decentralised exchanges on all chains traded from {english(first)} to "
            f"{english(end - 1)} (UTC), what share in per cent was {one.name}'s?"
        )
        call = step("exchange_overview", start=iso(first), end=iso(end - 1), limit=50)
        result = f"first(where($1.window_ranking, 'name', '{one.name}')).share_percent"
        yield Asked(question, stage, block, number(round(share, 6), "%", "0.5"), gold(result, call), one.slug)


SHAPE: Final = Shape(
    "volume-share", "on-chain analysis", ("exchange_overview",), _MOST, (1_500, 12_000),
    "Orders are routed to the exchange with the less liquidity.", 2, _asked,
)  # fmt: skip
