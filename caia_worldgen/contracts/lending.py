"""The lending market in integers, as LendingMarket.sol computes it.

Token amounts are in their smallest units, prices in US dollars with eight decimals per whole token, times
in seconds. The order of touches matters: interest is linear between two of them and compounds at each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

BPS: Final = 10_000
ONE: Final = 10**18
YEAR_S: Final = 365 * 86_400


def next_index(index: int, rate_bps: int, elapsed_s: int) -> int:
    """The debt index after ``elapsed_s`` seconds at ``rate_bps`` a year, rounded down."""
    return index + index * rate_bps * elapsed_s // (BPS * YEAR_S)


def owed(scaled: int, index: int) -> int:
    """What a scaled debt amounts to, rounded up."""
    return -(-scaled * index // ONE)


@dataclass(slots=True)
class Market:
    """One market's books. Methods take the block's time ``at`` and touch the index first, as the contract does.

    Refusals are the contract's own: feed this only what succeeded.
    """

    collateral_unit: int
    debt_unit: int
    ltv_bps: int
    liquidation_bps: int
    bonus_bps: int
    rate_bps: int
    touched_at: int
    index: int = ONE
    cash: int = 0
    total_shares: int = 0
    total_scaled: int = 0
    shares: dict[str, int] = field(default_factory=dict)
    collateral: dict[str, int] = field(default_factory=dict)
    scaled: dict[str, int] = field(default_factory=dict)

    def index_at(self, at: int) -> int:
        """The index a reader sees at ``at``."""
        return next_index(self.index, self.rate_bps, at - self.touched_at)

    def debt_of(self, borrower: str, at: int) -> int:
        """Debt with interest up to ``at``."""
        return owed(self.scaled.get(borrower, 0), self.index_at(at))

    def total_debt(self, at: int) -> int:
        """All debt with interest up to ``at``."""
        return owed(self.total_scaled, self.index_at(at))

    def deposit(self, lender: str, amount: int, at: int) -> int:
        """Lend; returns the shares."""
        self._touch(at)
        pool = self.cash + self.total_debt(at)
        made = amount if self.total_shares == 0 else amount * self.total_shares // pool
        self._add(self.shares, lender, made)
        self.total_shares += made
        self.cash += amount
        return made

    def withdraw(self, lender: str, shares: int, at: int) -> int:
        """Give back shares; returns the amount."""
        self._touch(at)
        amount = shares * (self.cash + self.total_debt(at)) // self.total_shares
        self._add(self.shares, lender, -shares)
        self.total_shares -= shares
        self.cash -= amount
        return amount

    def move_collateral(self, borrower: str, amount: int, at: int) -> None:
        """Add collateral, or remove it where ``amount`` is negative."""
        self._touch(at)
        self._add(self.collateral, borrower, amount)

    def borrow(self, borrower: str, amount: int, at: int) -> None:
        """Take a loan."""
        self._touch(at)
        made = -(-amount * ONE // self.index)
        self._add(self.scaled, borrower, made)
        self.total_scaled += made
        self.cash -= amount

    def repay(self, borrower: str, amount: int, at: int) -> int:
        """Pay back; returns what was taken, at most the debt."""
        self._touch(at)
        debt = self.debt_of(borrower, at)
        paid = min(amount, debt)
        gone = self.scaled[borrower] if paid == debt else paid * ONE // self.index
        self._add(self.scaled, borrower, -gone)
        self.total_scaled -= gone
        self.cash += paid
        return paid

    def liquidate(self, borrower: str, amount: int, prices_e8: tuple[int, int], at: int) -> tuple[int, int]:
        """Pay back another's debt; ``prices_e8`` are of (collateral, debt). Returns (paid, seized)."""
        paid = self.repay(borrower, amount, at)
        above = paid * prices_e8[1] * self.collateral_unit * (BPS + self.bonus_bps)
        seized = above // (prices_e8[0] * self.debt_unit * BPS)
        self._add(self.collateral, borrower, -seized)
        return paid, seized

    def health_bps(self, borrower: str, prices_e8: tuple[int, int], at: int) -> int | None:
        """Below 10,000 means liquidation; None without debt."""
        value = -(-self.debt_of(borrower, at) * prices_e8[1] // self.debt_unit)
        held = self.collateral.get(borrower, 0) * prices_e8[0] // self.collateral_unit
        return held * self.liquidation_bps // value if value else None

    def most_borrowable(self, borrower: str, prices_e8: tuple[int, int], at: int) -> int:
        """The largest loan the limit leaves, whatever the cash, for a price of at least 1e-8 per debt unit.

        Who takes all of it may owe a unit more than the limit for each whole time that the index has grown.
        """
        limit = self.collateral.get(borrower, 0) * prices_e8[0] // self.collateral_unit * self.ltv_bps // BPS
        # one unit for the index's rounding
        return max(0, limit * self.debt_unit // prices_e8[1] - self.debt_of(borrower, at) - 1)

    def _touch(self, at: int) -> None:
        self.index = self.index_at(at)
        self.touched_at = at

    @staticmethod
    def _add(book: dict[str, int], who: str, amount: int) -> None:
        book[who] = book.get(who, 0) + amount
