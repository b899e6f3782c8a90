"""What a venue announces: which wallets it stops and what withdrawals cost, as the writer of its notices draws it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.web import number as written
from caia_worldgen.web import place
from caia_worldgen.web.site_text import in_the_day, last_moment
from caia_worldgen.web.truth import ROLES, Truth

_EVERY_DAYS: Final = 5
_FEES: Final = 7


@dataclass(frozen=True, slots=True)
class Stop:
    """A wallet of a role that is to be stopped on the day of ``due``. ``published`` and ``due`` in seconds."""

    role: str
    url: str
    published: int
    due: int


@dataclass(frozen=True, slots=True)
class Fee:
    """What withdrawing a role's coin costs from the day of ``due`` on, in whole coins."""

    role: str
    url: str
    published: int
    due: int
    fee: Fraction


def stops(truth: Truth) -> Iterator[Stop]:
    """Every stop that was announced, oldest first."""
    for day in range(4, truth.days - 4, _EVERY_DAYS):
        rng = truth.rng(f"notice/maintenance/{day}")
        role = rng.one(ROLES)
        published = in_the_day(rng, truth.midnight(day))
        due = published + rng.number(2, 4) * DAY_S
        if published <= last_moment(truth):
            yield Stop(role, place.notice(truth, f"maintenance-{written.iso_day(published)}"), published, due)


def fees(truth: Truth) -> Iterator[Fee]:
    """Every fee that was announced, oldest first."""
    for turn, role in enumerate(truth.rng("notice/fees").some(ROLES, _FEES)):
        rng = truth.rng(f"notice/fee/{role}")
        published = in_the_day(rng, truth.midnight(8 + turn * 15))
        fee = Fraction(rng.number(2, 90), 100)
        if published <= last_moment(truth):
            url = place.notice(truth, f"fee-{truth.subject(role).id}")
            yield Fee(role, url, published, published + 3 * DAY_S, fee)
