"""The launchpad on a real node against its mirror, from a token's birth to its graduation."""

from __future__ import annotations

import random
from typing import Any

import pytest

from caia_replay.origin.contracts.curve import Curve

COIN = 10**18
BASE, SLOPE, GOAL, FEE = 10**10, 3, 20 * COIN, 125


@pytest.fixture
def pad(stage: Any, cast: Any) -> Any:
    wrapped, factory, router = stage.exchange()
    placed = stage.deploy(cast[0], "Launchpad", router, wrapped, BASE, SLOPE, GOAL, FEE)
    return placed, wrapped, factory, router


def born(pad: Any, creator: Any, name: str = "Born") -> Any:
    """A new token of the launchpad."""
    receipt = pad.send(creator, "create", name, name.upper())
    return pad.stage.at("LaunchToken", pad.logs("Created", receipt)[0]["token"])


def test_trades_on_the_curve_equal_the_mirror(stage: Any, cast: Any, pad: Any) -> None:
    """Random purchases and sales give the mirror's amounts and fees, and the launchpad stays solvent."""
    placed, *_ = pad
    draw, mirror = random.Random(3), Curve(BASE, SLOPE, FEE)
    token, fees = born(placed, cast[1]), 0
    assert token.read("symbol") == "BORN"
    for _ in range(40):
        wallet = draw.choice(cast)
        held = token.read("balanceOf", wallet)
        if held and draw.random() < 0.5:
            amount = draw.choice((held, draw.randrange(held // 2, held) + 1))
            log = placed.logs("Sold", placed.send(wallet, "sell", token, amount, 0))[0]
            trade = mirror.sell(amount)
        else:
            value = draw.randrange(10**12, COIN)
            log = placed.logs("Bought", placed.send(wallet, "buy", token, 0, value=value))[0]
            trade = mirror.buy(value)
        assert (log["amount"], log["paidWei"], log["feeWei"]) == (trade.amount, trade.paid_wei, trade.fee_wei)
        fees += trade.fee_wei
        _, sold, raised, _ = placed.read("launches", token)
        assert (sold, raised) == (mirror.sold, mirror.raised_wei) and token.read("totalSupply") == sold
        assert stage.balance(placed) == raised + fees == raised + placed.read("feesWei")
    assert mirror.reserve_at(mirror.sold) <= mirror.raised_wei


def test_a_token_that_reaches_its_goal_graduates_into_a_pair(stage: Any, cast: Any, pad: Any) -> None:
    """All that was raised and the mirror's amount of tokens become liquidity that nobody holds; the curve closes."""
    placed, wrapped, factory, _ = pad
    alice, bob, carol, _ = cast
    mirror = Curve(BASE, SLOPE, FEE)
    token = born(placed, alice)
    for value in (19 * COIN, 2 * COIN):
        receipt = placed.send(bob, "buy", token, 0, value=value)
        mirror.buy(value)
    wei, amount = mirror.graduation()
    told = placed.logs("Graduated", receipt)[0]
    pair = stage.at("UniswapV2Pair", factory.read("getPair", token, wrapped))
    assert (told["pair"], told["raisedWei"], told["amount"]) == (pair.address, wei, amount)
    assert token.read("totalSupply") == mirror.sold + amount
    assert {token.read("balanceOf", pair), wrapped.read("balanceOf", pair)} == {wei, amount}
    locked = pair.read("balanceOf", "0x" + "00" * 18 + "dead")
    assert locked == told["liquidity"] == pair.read("totalSupply") - 1000
    assert placed.refusal(carol, "buy", token, 0, value=COIN) == "AlreadyGraduated"
    assert placed.refusal(bob, "sell", token, 1, 0) == "AlreadyGraduated"
    assert stage.balance(placed) == placed.read("feesWei")
    placed.send(alice, "collectFees", carol)
    assert stage.balance(placed) == 0


@pytest.mark.parametrize(("units", "wei"), [(10**6 * COIN, 10**15), (10**3 * COIN, 10**18)])
def test_a_skewed_pair_cannot_stop_a_graduation(stage: Any, cast: Any, pad: Any, units: int, wei: int) -> None:
    """Tokens dearer or cheaper than the pair has them: what is left over is burnt, or kept as fees, to the last wei."""
    placed, wrapped, factory, router = pad
    alice, bob, *_ = cast
    token = born(placed, alice)
    placed.send(bob, "buy", token, 0, value=COIN)
    token.send(bob, "approve", router, 2**255)
    router.send(bob, "addLiquidityETH", token, units, 0, 0, bob, 2**40, value=wei)
    placed.send(bob, "buy", token, 0, value=21 * COIN)
    assert placed.read("launches", token)[3] == factory.read("getPair", token, wrapped)
    assert token.read("balanceOf", placed) == 0
    assert stage.balance(placed) == placed.read("feesWei")


def test_refusals_name_their_reason(stage: Any, cast: Any, pad: Any) -> None:
    """Slippage, strangers, unknown tokens and more than was sold are each their own error."""
    placed, *_ = pad
    alice, bob, carol, _ = cast
    token = born(placed, alice)
    placed.send(bob, "buy", token, 0, value=COIN)
    held = token.read("balanceOf", bob)
    assert placed.refusal(bob, "buy", token, 2 * held, value=COIN) == "TooLittle"
    assert placed.refusal(bob, "sell", token, held, COIN) == "TooLittle"
    assert placed.refusal(bob, "sell", token, held + 1, 0) == "NotEnoughSold"
    selector = token.artifact.errors["ERC20InsufficientBalance"].hex()
    assert placed.refusal(carol, "sell", token, held, 0) == selector
    assert placed.refusal(bob, "buy", placed, 0, value=COIN) == "UnknownToken"
    assert placed.refusal(bob, "collectFees", bob) == "NotOwner"
    assert token.refusal(bob, "mint", bob, 1) == token.refusal(bob, "burn", bob, 1) == "NotLaunchpad"
    stage.chain.send(bob, placed.address, value_wei=1, succeeds=False)
    stage.mine(12)
