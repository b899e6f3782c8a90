"""What a bridge took in less what it gave back, of one token over some days: net, not gross."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.act.bridge import BRIDGED
from caia_replay.origin.deed import done
from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage, vault = story.scene.main, story.scene.main.contracts["bridge vault"].address
    for _ in range(8 * _MOST):
        asset = story.scene.assets[dice.one([role for role in BRIDGED if role != "native"])]
        last = dice.number(stage.calendar.last_block // 2, stage.calendar.last_block)
        first = last - dice.number(last // 6, last // 3)
        came, left = (
            sum(deed.figure("amount") for deed in done(stage.deeds, verb, asset.role) if first <= deed.block <= last)
            for verb in ("locked", "released")
        )
        if not came or not left or came == left:
            continue
        ticker = asset.project.ticker
        question = (
            f"By how much, net of withdrawals, did the {ticker} ({asset.address}) in the bridge's vault ({vault}) on "
            f"{story.network(stage)} change over blocks {first} to {last}, both included? Give whole {ticker}, "
            "negative where more left than came in."
        )
        before, after = (
            step("balance_query", address=vault, token=asset.address, block=block) for block in (first - 1, last)
        )
        yield Asked(question, stage, dice.number(last, stage.calendar.last_block),
                    number(Fraction(came - left, asset.unit), ticker, "0.01", direction="up"),
                    gold("$2.amount - $1.amount", before, after), asset.project.id)  # fmt: skip


SHAPE: Final = Shape(
    "bridge-net-flow", "on-chain analysis", ("balance_query",), _MOST, (5_000, 40_000),
    "Capital is said to move to the roll-up while it leaves.", 3, _asked, ("trap:net-gross",),
)  # fmt: skip
