"""Swaps on both kinds of pools against the integers of caia_replay/origin/contracts/swap.py."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.origin.contracts.swap import Q96, v2_in, v2_out, v3_out

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


def test_wrapped_coin_is_backed_one_to_one(stage: Any, cast: Any) -> None:
    """Depositing wraps, withdrawing unwraps, more than one has is refused, and so is coin merely sent."""
    alice, *_ = cast
    wrapped = stage.deploy(alice, "WETH9")
    wrapped.send(alice, "deposit", value=5)
    wrapped.send(alice, "withdraw", 3)
    assert wrapped.read("balanceOf", alice) == 2 == stage.balance(wrapped) == wrapped.read("totalSupply")
    assert wrapped.refusal(alice, "withdraw", 3) != ""
    stage.chain.send(alice, wrapped.address, value_wei=1, succeeds=False)
    stage.mine(12)
