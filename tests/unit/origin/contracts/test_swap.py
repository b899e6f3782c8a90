"""Laws of swaps; tests/contracts holds them against real pools."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.origin.contracts.swap import Q96, v2_in, v2_out, v3_out

reserves = st.integers(10**4, 10**30)
amounts = st.integers(1, 10**28)


@given(amounts, reserves, reserves)
def test_v2_keeps_its_product(amount: int, here: int, there: int) -> None:
    """The product of the reserves never falls, and by no more than the fee says could another unit be taken."""
    out = v2_out(amount, here, there)
    kept = here * 1000 + amount * 997
    assert kept * (there - out) >= here * there * 1000 > kept * (there - out - 1)


@given(st.integers(1, 10**3), reserves, reserves)
def test_v2_input_is_the_least_that_buys(wanted: int, here: int, there: int) -> None:
    """What v2_in asks buys what was wanted; two less does not."""
    paid = v2_in(wanted, here, there)
    assert v2_out(paid, here, there) >= wanted
    assert paid < 3 or v2_out(paid - 2, here, there) < wanted


@given(amounts, st.integers(Q96 >> 20, Q96 << 20), st.integers(10**12, 10**30), st.booleans())
def test_v3_is_a_v2_curve_of_virtual_reserves(amount: int, price: int, liquidity: int, down: bool) -> None:
    """It gives no more than the constant product of its virtual reserves would, and moves the price the right way."""
    out, after = v3_out(amount, price, liquidity, 3000, down)
    token0, token1 = -(-(liquidity << 96) // price), -(-liquidity * price // Q96)
    here, there = (token0, token1) if down else (token1, token0)
    assert 0 <= out <= there * amount // (here + amount) + 1
    assert after <= price if down else after >= price


def test_amounts_by_hand() -> None:
    """1,000 into 10,000 : 10,000 gives 906 on either kind; all of the fee stays with the pool."""
    assert v2_out(1000, 10_000, 10_000) == 906
    assert v2_in(906, 10_000, 10_000) == 1000
    assert v3_out(1000, Q96, 10_000, 3000, True)[0] == 906 == v3_out(1000, Q96, 10_000, 3000, False)[0]
