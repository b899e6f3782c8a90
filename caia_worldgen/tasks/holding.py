"""Questions of what an account holds at the end of a block, and what it allows others to take."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import Asked, Story, gold, number, step
from caia_worldgen.tasks.wording import is_sayable, is_told_apart
from caia_worldgen.view import ViewCall

_OPEN_ALLOWANCE_TOLERANCE: Final = "0.001"
_OPEN_ALLOWANCE_DECIMALS: Final = 4


def open_allowance(story: Story, rng: Rng) -> Iterator[Asked]:
    """How much a spender could still take out of two accounts: one of them is approved without limit, one no more."""
    tries, token = 24, "dollar token"
    stage, asset = story.scene.main, story.scene.assets["dollar"]
    end, ticker, network = story.heights[stage.name][-1], asset.project.ticker, story.network(stage)
    known = [one for one in stage.views.questions() if (one.role, one.function) == (token, "allowance")
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
    for revoked, kept, since in rng.some(pairs, len(pairs)):
        found = [one for _ in range(tries) if (one := _drawn(story, revoked, kept, since, rng)) is not None]
        # Where it can be, at a block after which the sum is another one.
        found.sort(key=lambda one: not one[3])
        if not found:
            continue
        height, block, taken, _ = found[0]
        (first, spender), (second, _) = (one.arguments for one in rng.some((revoked, kept), 2))
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
            number(taken, ticker, _OPEN_ALLOWANCE_TOLERANCE),
            gold(f"(min(list($1.raw, $2.raw)) + min(list($3.raw, $4.raw))) / {asset.unit}", *calls),
            asset.project.id,
            f"At the end of block {height} the spender {spender} could have taken {{planted}} {ticker} out of {first} "
            f"and {second}.",
        )


def _drawn(
    story: Story, revoked: ViewCall, kept: ViewCall, since: int, rng: Rng
) -> tuple[int, int, Fraction, bool] | None:
    """A block, one to stand at, what could be taken at the former, and whether that was another sum at the latter."""
    stage, asset = story.scene.main, story.scene.assets["dollar"]
    height = rng.number(since, story.heights[stage.name][-1])
    block = story.height_from(stage, height, rng)
    taken, later = (
        Fraction(sum(min(_left(story, one, at), _held(story, one, at)) for one in (revoked, kept)), asset.unit)
        for at in (height, block)
    )
    plain = Fraction(sum(_held(story, one, height) for one in (revoked, kept)), asset.unit)
    if not is_sayable(taken, _OPEN_ALLOWANCE_TOLERANCE, _OPEN_ALLOWANCE_DECIMALS) or not is_told_apart(
        taken, plain, _OPEN_ALLOWANCE_TOLERANCE
    ):
        return None
    return height, block, taken, is_told_apart(taken, later, _OPEN_ALLOWANCE_TOLERANCE)


def _left(story: Story, approval: ViewCall, block: int) -> int:
    (amount,) = story.scene.main.views.answer(approval, block)
    return int(amount)


def _held(story: Story, approval: ViewCall, block: int) -> int:
    return story.scene.main.ledger.balance(story.scene.assets["dollar"].address, approval.arguments[0], block)


def token_balance(story: Story, rng: Rng) -> Iterator[Asked]:
    """What somebody held of a token at the end of a block: of one whose decimals are not those that most tokens
    have."""
    tolerance, decimals, most = "0.001", 4, 7
    # The decimals that everybody expects.
    ether = 18
    stage = story.scene.main
    tokens = [asset for asset in story.tokens() if asset.decimals != ether]
    end, network = story.heights[stage.name][-1], story.network(stage)
    for _ in range(40 * most):
        asset, holder = rng.one(tokens), rng.one(story.scene.people.crowd).address
        height = rng.number(5, end)
        block = story.height_from(stage, height, rng)
        held, later = (Fraction(stage.ledger.balance(asset.address, holder, at), asset.unit) for at in (height, block))
        if not is_sayable(held, tolerance, decimals) or not is_told_apart(held, later, tolerance):
            continue
        ticker = asset.project.ticker
        question = (
            f"How many {ticker} (token contract {asset.address}) did {holder} hold on {network} at "
            f"the end of block {height}? Answer in {ticker}, not in its smallest unit, to four decimals."
        )
        chinese = (
            f"在 {network} 上，截至区块 {height} 结束时，地址 {holder} 持有多少 {ticker}"
            f"（代币合约 {asset.address}）？请以 {ticker} 为单位作答，而非其最小单位，保留四位小数。"
        )
        yield Asked(
            question,
            stage,
            block,
            number(held, ticker, tolerance),
            gold("$1.amount", step("balance_query", address=holder, token=asset.address, block=height)),
            asset.project.id,
            f"At the end of block {height} the address {holder} held {{planted}} {ticker}.",
            chinese,
        )


def wrapped_holding(story: Story, rng: Rng) -> Iterator[Asked]:
    """How much of a chain's coin somebody held wrapped: the token alone, without what lay in the account itself."""
    tries, tolerance, decimals = 8, "0.01", 6
    stage, asset = story.scene.main, story.scene.assets["native"]
    end, ticker, network = story.heights[stage.name][-1], asset.project.ticker, story.network(stage)
    roles = [story.scene.people.address(role) for role in ("market maker", "arbitrageur", "exchange", "treasury")]
    people = [*roles, *(person.address for person in story.scene.people.crowd)]
    for holder in tries * rng.some(people, len(people)):
        height = rng.number(3, end)
        block = story.height_from(stage, height, rng)
        held, later = (Fraction(stage.ledger.balance(asset.address, holder, at), asset.unit) for at in (height, block))
        if not is_sayable(held, tolerance, decimals) or not is_told_apart(held, later, tolerance):
            continue
        question = (
            f"At the end of block {height}, how much wrapped {ticker} (the token {asset.address}, not the coin itself) "
            f"did the account {holder} hold on {network}? Give six decimals."
        )
        chinese = (
            f"在 {network} 的区块 {height} 结束时，账户 {holder} 持有多少封装的 {ticker}（指代币 {asset.address}，"
            "不含原生币本身）？请保留六位小数。"
        )
        yield Asked(
            question,
            stage,
            block,
            number(held, f"wrapped {ticker}", tolerance),
            gold("$1.amount", step("balance_query", address=holder, token=asset.address, block=height)),
            asset.project.id,
            f"At the end of block {height} the account {holder} held {{planted}} wrapped {ticker}.",
            chinese,
        )
