"""How much a spender could still take out of two accounts: one of them is approved without limit, one no more."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step
from caia_worldgen.view import ViewCall

_MOST: Final = 4
_TRIES: Final = 24
_TOLERANCE: Final = "0.001"
_DECIMALS: Final = 4
_TOKEN: Final = "dollar token"


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, asset = story.scene.main, story.scene.assets["dollar"]
    end, ticker, network = story.heights[stage.name][-1], asset.project.ticker, story.network(stage)
    known = [one for one in stage.views.questions() if (one.role, one.function) == (_TOKEN, "allowance")
             and next(stage.views.heights(one)) <= end]  # fmt: skip
    # One wallet took its approval back and one did not: who adds up what lies there counts what is out of reach.
    pairs = [
        (left, right, max(max(stage.views.heights(left)), next(stage.views.heights(right))))
        for left in known
        for right in known
        if left.arguments[0] != right.arguments[0]
        and left.arguments[1] == right.arguments[1]
        and not _left(story, left, end)
        and _left(story, right, end)
    ]
    for revoked, kept, since in dice.some(pairs, len(pairs)):
        found = [one for _ in range(_TRIES) if (one := _drawn(story, revoked, kept, since, dice)) is not None]
        # Where it can be, at a block after which the sum is another one.
        found.sort(key=lambda one: not one[3])
        if not found:
            continue
        height, block, taken, _ = found[0]
        (first, spender), (second, _) = (one.arguments for one in dice.some((revoked, kept), 2))
        words = (
            f"Two wallets, {first} and {second}, have each approved the spender {spender} for {ticker} "
            f"({asset.address}) on {network} at some time. How many {ticker} could that spender have taken out of the "
            f"two together at the end of block {height}, by what was still approved and lay there? Give four decimals."
        )
        calls = tuple(
            call
            for owner in (first, second)
            for call in (
                step("data_query", contract=asset.address, about="allowance", arguments=(owner, spender), block=height),
                step("balance_query", address=owner, token=asset.address, block=height),
            )
        )
        yield Asked(
            words,
            stage,
            block,
            number(taken, ticker, _TOLERANCE),
            gold(f"(min(list($1.raw, $2.raw)) + min(list($3.raw, $4.raw))) / {asset.unit}", *calls),
            asset.project.id,
            f"At the end of block {height} the spender {spender} could have taken {{planted}} {ticker} out of {first} "
            f"and {second}.",
        )


def _drawn(
    story: Story, revoked: ViewCall, kept: ViewCall, since: int, dice: Rng
) -> tuple[int, int, Fraction, bool] | None:
    """A block, one to stand at, what could be taken at the former, and whether that was another sum at the latter."""
    stage, asset = story.scene.main, story.scene.assets["dollar"]
    height = dice.number(since, story.heights[stage.name][-1])
    block = story.height_from(stage, height, dice)
    taken, later = (
        Fraction(sum(min(_left(story, one, at), _held(story, one, at)) for one in (revoked, kept)), asset.unit)
        for at in (height, block)
    )
    plain = Fraction(sum(_held(story, one, height) for one in (revoked, kept)), asset.unit)
    if not is_sayable(taken, _TOLERANCE, _DECIMALS) or not is_told_apart(taken, plain, _TOLERANCE):
        return None
    return height, block, taken, is_told_apart(taken, later, _TOLERANCE)


def _left(story: Story, approval: ViewCall, block: int) -> int:
    (amount,) = story.scene.main.views.answer(approval, block)
    return int(amount)


def _held(story: Story, approval: ViewCall, block: int) -> int:
    return story.scene.main.ledger.balance(story.scene.assets["dollar"].address, approval.arguments[0], block)


SHAPE: Final = Shape(
    "open-allowance", "on-chain analysis", "point look-up", ("data_query", "balance_query"), _MOST, (3_000, 40_000),
    "A wallet is called safe that can be emptied, or given up although little is at risk.", 3, _asked,
    Recipe(
        r"Two wallets, (?P<owner>0x[0-9a-f]{40}) and (?P<other>0x[0-9a-f]{40}), have each approved the spender "
        r"(?P<spender>0x[0-9a-f]{40}) for (?P<ticker>\w+) \((?P<contract>0x[0-9a-f]{40})\).* at the end of block "
        r"(?P<block>\d+)",
        "{ticker} approvals {owner} {other} spender {spender} could take block {block}",
        r"block {block} the spender {spender} could have taken (?P<answer>[0-9][0-9,]*(?:\.[0-9]+)?) {ticker} "
        r"out of {owner} and {other}",
    ),
    ("trap:allowance-and-balance", "trap:decimals"),
)  # fmt: skip
