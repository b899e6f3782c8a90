"""Laws of the lending market's books; tests/contracts holds them against the chain."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from caia_replay.origin.contracts.lending import ONE, YEAR_S, Market, next_index, owed

PRICES = (2000 * 10**8, 10**8)
rates = st.integers(0, 20_000)


def market(rate_bps: int) -> Market:
    """18-decimal collateral, 6-decimal debt, from time 0."""
    return Market(10**18, 10**6, 7500, 8000, 500, rate_bps, 0)


def test_a_year_at_ten_percent() -> None:
    """One touch a year later: exactly ten percent more, and 1.21 after a second one."""
    year = next_index(ONE, 1000, YEAR_S)
    assert (year, next_index(year, 1000, YEAR_S)) == (11 * ONE // 10, 121 * ONE // 100)
    assert (owed(10, year), owed(1, year)) == (11, 2)


@given(rates, st.integers(0, 10**9), st.integers(0, 10**9))
def test_touching_between_never_lowers_the_index(rate: int, first: int, second: int) -> None:
    """Interest compounds at each touch, up to a unit of rounding each."""
    whole = next_index(ONE, rate, first + second)
    assert next_index(next_index(ONE, rate, first), rate, second) >= whole - 2


@given(rates, st.integers(1, 10**15), st.lists(st.tuples(st.integers(1, 10**12), st.integers(0, 10**7)), max_size=5))
def test_a_lender_never_leaves_with_more_than_there_is(rate: int, first: int, loans: list[tuple[int, int]]) -> None:
    """After all loans are paid back, the only lender's shares are worth all the cash, interest included."""
    books, at = market(rate), 0
    books.deposit("lender", first, at)
    paid = 0
    for amount, pause in loans:
        amount = min(amount, books.cash)
        at += pause
        books.borrow("borrower", amount, at)
        at += pause
        paid += books.repay("borrower", 2**255, at) - amount
        assert books.debt_of("borrower", at) == books.total_debt(at) == 0
    assert paid >= 0
    assert books.withdraw("lender", books.shares["lender"], at) == first + paid
    assert books.cash == books.total_shares == 0


@given(st.integers(1, 10**24), st.integers(0, 10**8), rates)
@example(21_335_752_107, 98_766_051, 103)  # a few units of debt at an index above one
def test_the_most_borrowable_is_the_limit_to_the_indexs_rounding(collateral: int, pause: int, rate: int) -> None:
    """Borrowing it leaves a debt within the limit, or above by less than a unit for each time the index has grown."""
    books = market(rate)
    books.deposit("lender", 10**20, 0)
    books.move_collateral("b", collateral, pause)
    room = books.most_borrowable("b", PRICES, pause)
    limit = collateral * PRICES[0] // 10**18 * 7500 // 10_000 * 10**6 // PRICES[1]
    if room:
        books.borrow("b", room, pause)
        assert limit - 2 <= books.debt_of("b", pause) <= limit + owed(1, books.index) - 1
        health = books.health_bps("b", PRICES, pause)
        assert health is not None and health >= 10_000


def test_a_liquidation_by_hand() -> None:
    """1,000 coins repaid at a price of 1,000 take 1.05 collateral."""
    books = market(0)
    books.deposit("lender", 10**10, 0)
    books.move_collateral("b", 2 * 10**18, 0)
    books.borrow("b", 1_900 * 10**6, 0)
    assert books.health_bps("b", (1000 * 10**8, 10**8), 0) == 8421
    assert books.liquidate("b", 10**9, (1000 * 10**8, 10**8), 0) == (10**9, 105 * 10**16)
    assert (books.collateral["b"], books.debt_of("b", 0)) == (95 * 10**16, 900 * 10**6)
    assert books.health_bps("nobody", PRICES, 0) is None
