"""What a bridge took in minus what it gave back, of one token over some days: net, not gross."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.act.bridge import BRIDGED
from caia_worldgen.event import done
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day_reading import NUMBER
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_TRIES: Final = 24
_TOLERANCE: Final = "0.01"
_DECIMALS: Final = 4
_RECIPE: Final = Recipe(
    question=r"did the (?P<ticker>[A-Z0-9]+) \((?P<contract>0x[0-9a-f]{40})\) in the bridge's vault "
    r"\((?P<vault>0x[0-9a-f]{40})\) on (?P<network>[A-Z][\w ]+) change over blocks (?P<first>\d+) to (?P<last>\d+)",
    query="{network} bridge vault {ticker} net change blocks {first} to {last} deposits withdrawals",
    pattern=rf"{{ticker}} in the bridge's vault changed by {NUMBER} {{ticker}} net over blocks {{first}} to {{last}}\b",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, vault = story.scene.main, story.scene.main.contracts["bridge vault"].address
    newest = story.heights[stage.name][-1]
    roles = [role for role in BRIDGED if role != "native"]
    # Every token once: two questions about one, in other blocks, would be the same.
    for role in dice.some(roles, len(roles)):
        asset = story.scene.assets[role]
        windows = [_window(newest, dice) for _ in range(_TRIES)]
        found = next((one for one in windows if _is_telling(*_flow(story, role, *one))), None)
        if found is None:
            continue
        (first, last), (came, left) = found, _flow(story, role, *found)
        ticker = asset.project.ticker
        before, after = (
            step("balance_query", address=vault, token=asset.address, block=block) for block in (first - 1, last)
        )
        yield Asked(
            question=f"By how much, net of withdrawals, did the {ticker} ({asset.address}) in the bridge's vault "
            f"({vault}) on {story.network(stage)} change over blocks {first} to {last}, both included? Give "
            f"{ticker} to four decimals, negative where more left than came in.",
            stage=stage,
            block=story.height_from(stage, last, dice),
            answer=number(came - left, ticker, _TOLERANCE, direction="up"),
            gold=gold("$2.amount - $1.amount", before, after),
            project=asset.project.id,
            claim=f"The {ticker} in the bridge's vault changed by {{planted}} {ticker} net over blocks {first} to "
            f"{last}.",
        )


def _window(newest: int, dice: Rng) -> tuple[int, int]:
    """First and last block of some days in the later half."""
    last = dice.number(newest // 2, newest)
    return last - dice.number(last // 6, last // 3), last


def _flow(story: Story, role: str, first: int, last: int) -> tuple[Fraction, Fraction]:
    """What came in, and what left."""
    came, left = (
        sum(deed.figure("amount") for deed in done(story.scene.main.deeds, verb, role) if first <= deed.block <= last)
        for verb in ("locked", "released")
    )
    unit = story.scene.assets[role].unit
    return Fraction(came, unit), Fraction(left, unit)


def _is_telling(came: Fraction, left: Fraction) -> bool:
    """Whether a token went both ways, so that net and gross are not the same."""
    net = came - left
    return is_sayable(net, _TOLERANCE, _DECIMALS) and all(
        is_told_apart(net, other, _TOLERANCE) for other in (came, left, -left, -net, came + left)
    )


SHAPE: Final = Shape(
    "bridge-net-flow", "on-chain analysis", "aggregate", ("balance_query",), _MOST, (5_000, 40_000),
    "Capital is said to move to the roll-up while it leaves.", 3, _asked, _RECIPE, ("trap:net-gross",),
)  # fmt: skip
