"""The pool's own laws; that it is the deployed pair's arithmetic is seen where a scenario is played."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.origin.constant_product import LOCKED, Pool

AMOUNTS = st.integers(10**6, 10**27)


def filled(amount0: int, amount1: int) -> Pool:
    pool = Pool()
    pool.deposit(amount0, amount1)
    return pool


@settings(max_examples=200, deadline=None)
@given(AMOUNTS, AMOUNTS, st.lists(st.tuples(st.integers(0, 1), st.integers(10**6, 10**24)), max_size=12))
def test_trading_never_shrinks_the_product(amount0: int, amount1: int, trades: list[tuple[int, int]]) -> None:
    """Whatever is swapped, the reserves' product grows or stays, and nobody gets a pool's whole reserve."""
    pool = filled(amount0, amount1)
    for side, amount in trades:
        before = pool.reserves[0] * pool.reserves[1]
        if pool.quote(side, amount) == 0:
            with pytest.raises(ValueError, match="buys nothing"):
                pool.swap(side, amount)
            continue
        paid = pool.swap(side, amount)
        assert paid > 0 and pool.reserves[1 - side] > 0
        assert pool.reserves[0] * pool.reserves[1] >= before


@settings(max_examples=100, deadline=None)
@given(AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS)
def test_nobody_withdraws_more_than_they_put_in(amount0: int, amount1: int, more0: int, more1: int) -> None:
    """Shares bought and given back at once return at most what they cost."""
    pool = filled(amount0, amount1)
    put = pool.matched(more0, more1)
    assert put[0] <= more0 and put[1] <= more1
    try:
        shares = pool.deposit(*put)
    except ValueError:
        return
    back = pool.withdraw(shares)
    assert back[0] <= put[0] and back[1] <= put[1]
    assert pool.shares >= LOCKED


@settings(max_examples=200, deadline=None)
@given(AMOUNTS, AMOUNTS, st.integers(0, 1), st.integers(1, 10**6), st.integers(1, 10**6))
def test_a_trade_to_a_price_comes_near_it(
    amount0: int, amount1: int, side: int, numerator: int, denominator: int
) -> None:
    """After it the price is the wanted one within the fee, or it was cheaper already and nothing is sold."""
    pool = filled(amount0, amount1)
    amount = pool.amount_to_price(side, numerator, denominator)
    before = pool.reserves[1 - side] * denominator / (pool.reserves[side] * numerator)
    if amount == 0 or pool.quote(side, amount) == 0:
        assert before < 1.004 or pool.reserves[side] * numerator < 10**4
        return
    pool.swap(side, amount)
    after = pool.reserves[1 - side] * denominator / (pool.reserves[side] * numerator)
    assert after <= before and (0.99 < after < 1.01 or min(pool.reserves) < 10**4)
