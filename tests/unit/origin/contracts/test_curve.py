"""Laws of the launchpad's curve; tests/contracts holds it against the chain."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.origin.contracts.curve import Curve

COIN = 10**18
curves = st.builds(Curve, st.integers(1, 10**15), st.integers(1, 10**9), st.integers(0, 10_000))
money = st.integers(0, 1000 * COIN)


@given(curves, money)
def test_a_reserve_covers_what_it_sells_and_no_more(curve: Curve, raised: int) -> None:
    """The units a reserve gives need at most that reserve; one more would need more."""
    sold = curve.sold_at(raised)
    assert curve.reserve_at(sold) <= raised < curve.reserve_at(sold + 1) + 1
    assert (sold + 1) * (2 * COIN * curve.base_wei + curve.slope_wei * (sold + 1)) > raised * 2 * COIN * COIN


@given(curves, st.lists(money, min_size=1, max_size=6), st.lists(st.integers(1, 100), max_size=6))
def test_trading_never_takes_out_more_than_was_put_in(curve: Curve, buys: list[int], parts: list[int]) -> None:
    """Whatever the order, buyers paid for all that sellers got and all fees, and the reserve covers what is left."""
    held = paid = got = fees = 0
    for at, value in enumerate(buys):
        trade = curve.buy(value)
        held, paid, fees = held + trade.amount, paid + value, fees + trade.fee_wei
        if at < len(parts):
            sale = curve.sell(held * parts[at] // 100)
            held, got, fees = held - sale.amount, got + sale.paid_wei, fees + sale.fee_wei
        assert curve.sold == held
        assert curve.raised_wei == paid - got - fees >= curve.reserve_at(held)


@given(curves, st.integers(0, 10**30))
def test_the_price_is_the_slope_of_the_reserve(curve: Curve, sold: int) -> None:
    """One whole token more costs between the price before and the price after it, up to a wei of rounding."""
    cost = curve.reserve_at(sold + COIN) - curve.reserve_at(sold)
    assert curve.price_at(sold) - 1 <= cost <= curve.price_at(sold + COIN) + 2


def test_a_first_purchase_by_hand() -> None:
    """Base 1 gwei, no slope to speak of, 1 % fee: 1 coin buys a little under 990 million tokens."""
    curve = Curve(10**9, 1, 100)
    trade = curve.buy(COIN)
    assert trade.fee_wei == COIN // 100
    assert 660_000_000 * COIN < trade.amount < 990_000_000 * COIN
    assert curve.graduation() == (COIN * 99 // 100, COIN * 99 // 100 * COIN // curve.price_at(trade.amount))
