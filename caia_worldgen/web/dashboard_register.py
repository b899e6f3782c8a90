"""The tables of registers: who holds a token, what the treasury has, what vests when, how a lending desk stands."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.prose import GRIDS, LINES, Cell, Written, grid, listing
from caia_worldgen.web.reading import Reading
from caia_worldgen.web.truth import ROLES, Truth

_TOP: Final = 9
_CALENDARS: Final = (
    ("Section", "Granted", "Cliff", "End", "Vested"), ("Group", "Total", "Nothing before", "All out by", "So far"),
    ("Who", "Amount", "Cliff date", "Last day", "Claimable to date"),
)  # fmt: skip


class Registers:
    """Tables of a told story at a moment, each with the claims of its figures."""

    def __init__(self, truth: Truth, reading: Reading) -> None:
        self._truth = truth
        self._reading = reading

    def holders(self, role: str, moment: int, head: tuple[str, ...], rng: Rng) -> Written:
        """The largest balances of a role's token, with labels where there are any."""
        truth, token = self._truth, self._truth.scene.assets[role].address
        ledger, block = truth.scene.main.ledger, truth.block_at("main", moment)
        owned = sorted(((ledger.balance(token, one, block), one) for one in ledger.known(token)), reverse=True)
        rows: list[list[Cell]] = []
        for amount, holder in owned[: rng.number(6, _TOP)]:
            if amount:
                named = self._reading.label(holder)
                rows.append([f"{named} ({_short(holder)})" if named else holder, truth.balance(role, holder, moment)])
        return grid(head, rows, rng.one(GRIDS))

    def treasury(self, moment: int, rng: Rng) -> Written:
        """What the treasury holds of every project's token."""
        truth, wallet = self._truth, self._truth.scene.people.address("treasury")
        held = [(truth.subject(one).ticker, truth.balance(one, wallet, moment)) for one in ROLES if one != "native"]
        lines: list[tuple[str, Cell]] = [(ticker, told) for ticker, told in held if told.words != "0"]
        return listing([("Wallet", wallet), *rng.some(lines, len(lines))], rng.one(LINES))

    def vesting(self, role: str, moment: int, rng: Rng) -> Written:
        """A project's vesting contracts: terms, and what of each has vested."""
        made, rows = self._reading.calendar(role), list[list[Cell]]()
        for one in made.grants if made else ():
            vested = number.exact(Fraction(one.schedule.vested(moment // DAY_S * DAY_S), 10**18)).words
            rows.append([one.section, number.exact(Fraction(one.schedule.total, 10**18)).words,
                         number.iso_day(one.schedule.cliff), number.iso_day(one.schedule.end), vested])  # fmt: skip
        head = rng.one(_CALENDARS)
        return grid(head, rows, rng.one(GRIDS))

    def desk(self, market: str, moment: int, rng: Rng) -> Written:
        """A lending market's dollars and terms."""
        desk = self._reading.desk(market, moment)
        lines: list[tuple[str, Cell]] = [
            (rng.one(("Idle dollars", "Available to borrow", "Cash", "Unlent")), number.exact(desk.cash).words),
            (rng.one(("Outstanding debt", "Borrowed", "Owed by borrowers", "Loans")), number.exact(desk.owed).words),
            (rng.one(("Utilisation", "Share lent out", "In use")), _share(desk.use * 10_000)),
            (rng.one(("Maximum loan to value", "Borrow limit", "LTV")), _share(desk.ltv_bps)),
            (rng.one(("Liquidation from", "Liquidation limit", "Seized above")), _share(desk.limit_bps)),
            (rng.one(("Interest per year", "Rate p.a.", "Borrow rate")), _share(desk.rate_bps)),
        ]
        return listing(rng.some(lines, len(lines)), rng.one(LINES))


def _share(bps: Fraction | int) -> str:
    return number.exact(Fraction(bps, 100), 1).around(after="%").words


def _short(address: str) -> str:
    return f"{address[:8]}…{address[-6:]}"
