"""Swaps on both kinds of pools and the launchpad, against the integers of their mirrors."""

from __future__ import annotations

import random
from typing import Any

import pytest

from caia_worldgen.contracts.exchange import Q96, Curve, v2_in, v2_out, v3_out

COIN = 10**18
FOREVER = 2**40
FEE, FULL = 3000, 887_220


def two_tokens(stage: Any, alice: Any) -> list[Any]:
    """Two tokens of 10**6 each, in the order pools keep them."""
    made = [stage.deploy(alice, "ProjectToken", name, name, 10**6 * COIN, alice) for name in ("ONE", "TWO")]
    return sorted(made, key=lambda token: int(token.address, 16))


def test_v2_swaps_give_what_the_formula_says(stage: Any, cast: Any) -> None:
    """Exact input and exact output, both ways, and the pair's own events and reserves agree."""
    alice, bob, *_ = cast
    _, factory, router = stage.exchange()
    first, second = two_tokens(stage, alice)
    for token in (first, second):
        token.send(alice, "approve", router, 10**6 * COIN)
    router.send(alice, "addLiquidity", first, second, 1000 * COIN, 5000 * COIN + 7, 0, 0, alice, FOREVER)
    pair = stage.at("UniswapV2Pair", factory.read("getPair", first, second))
    have = {first: 1000 * COIN, second: 5000 * COIN + 7}
    for given, taken, amount in ((first, second, 3 * COIN + 1), (second, first, 11 * COIN)):
        out = v2_out(amount, have[given], have[taken])
        receipt = router.send(alice, "swapExactTokensForTokens", amount, 0, [given, taken], bob, FOREVER)
        have[given], have[taken] = have[given] + amount, have[taken] - out
        swap = pair.logs("Swap", receipt)[0]
        assert (swap["amount0Out"] or swap["amount1Out"]) == out
        assert pair.read("getReserves")[:2] == (have[first], have[second])
    wanted = 2 * COIN
    paid = v2_in(wanted, have[first], have[second])
    router.send(alice, "swapTokensForExactTokens", wanted, paid, [first, second], bob, FOREVER)
    assert pair.read("getReserves")[:2] == (have[first] + paid, have[second] - wanted)
    low = ("swapTokensForExactTokens", wanted, paid - 1, [first, second], bob, FOREVER)
    assert "EXCESSIVE_INPUT_AMOUNT" in router.refusal(alice, *low)


@pytest.mark.parametrize("zero_for_one", [True, False])
def test_v3_swaps_give_what_the_formula_says(stage: Any, cast: Any, zero_for_one: bool) -> None:
    """A full-range position; struct arguments; the quoter, the router and the formula agree on amount and price."""
    alice, bob, *_ = cast
    wrapped = stage.deploy(alice, "WETH9")
    factory = stage.deploy(alice, "UniswapV3Factory")
    router = stage.deploy(alice, "SwapRouter", factory, wrapped)
    positions = stage.deploy(alice, "NonfungiblePositionManager", factory, wrapped, alice)
    quoter = stage.deploy(alice, "QuoterV2", factory, wrapped)
    tokens = two_tokens(stage, alice)
    for token in tokens:
        token.send(alice, "approve", positions, 10**6 * COIN)
        token.send(alice, "approve", router, 10**6 * COIN)
    price = Q96 * 3 // 2
    positions.send(alice, "createAndInitializePoolIfNecessary", *tokens, FEE, price)
    amounts = (1000 * COIN, 5000 * COIN, 0, 0)
    minted = positions.send(alice, "mint", (*tokens, FEE, -FULL, FULL, *amounts, alice, FOREVER))
    liquidity = positions.logs("IncreaseLiquidity", minted)[0]["liquidity"]
    pool = stage.at("UniswapV3Pool", factory.read("getPool", *tokens, FEE))
    given, taken = tokens if zero_for_one else reversed(tokens)
    for amount in (10 * COIN + 3, 1):
        out, after = v3_out(amount, price, liquidity, FEE, zero_for_one)
        assert quoter.read("quoteExactInputSingle", (given, taken, amount, FEE, 0))[:2] == (out, after)
        receipt = router.send(alice, "exactInputSingle", (given, taken, FEE, bob, FOREVER, amount, 0, 0))
        swap = pool.logs("Swap", receipt)[0]
        assert sorted((swap["amount0"], swap["amount1"])) == [-out, amount]
        assert swap["sqrtPriceX96"] == after == pool.read("slot0")[0]
        price = after
    assert taken.read("balanceOf", bob) > 0


def test_overloaded_functions_are_called_by_signature(stage: Any, cast: Any) -> None:
    """A position is an ERC-721 with two safeTransferFrom; each is reached by its full signature."""
    alice, bob, *_ = cast
    item = stage.deploy(alice, "Collectible", "Items", "ITEM", alice, "ipfs://items/")
    item.send(alice, "mint", alice)
    item.send(alice, "mint", alice)
    item.send(alice, "safeTransferFrom(address,address,uint256)", alice, bob, 1)
    item.send(alice, "safeTransferFrom(address,address,uint256,bytes)", alice, bob, 2, b"note")
    assert [item.read("tokenOfOwnerByIndex", bob, at) for at in (0, 1)] == [1, 2]
    assert item.read("tokenURI", 2) == "ipfs://items/2"
    assert item.refusal(bob, "mint", bob) == "OwnableUnauthorizedAccount"


BASE, SLOPE, GOAL, FEE_LAUNCHPAD = 10**10, 3, 20 * COIN, 125


@pytest.fixture
def pad(stage: Any, cast: Any) -> Any:
    wrapped, factory, router = stage.exchange()
    placed = stage.deploy(cast[0], "Launchpad", router, wrapped, BASE, SLOPE, GOAL, FEE_LAUNCHPAD)
    return placed, wrapped, factory, router


def born(pad: Any, creator: Any, name: str = "Born") -> Any:
    """A new token of the launchpad."""
    receipt = pad.send(creator, "create", name, name.upper())
    return pad.stage.at("LaunchToken", pad.logs("Created", receipt)[0]["token"])


@pytest.mark.check
def test_trades_on_the_curve_equal_the_mirror(stage: Any, cast: Any, pad: Any) -> None:
    """Random purchases and sales give the mirror's amounts and fees, and the launchpad stays solvent."""
    placed, *_ = pad
    draw, mirror = random.Random(3), Curve(BASE, SLOPE, FEE_LAUNCHPAD)
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
    mirror = Curve(BASE, SLOPE, FEE_LAUNCHPAD)
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
