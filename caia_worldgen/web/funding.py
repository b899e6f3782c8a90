"""Rounds in which projects of a told story raised money: known to the web alone, and never at odds with the chain.

Where investors hold a vesting contract, their round was closed before it starts, at a discount to the first price,
for exactly the tokens it releases. Coins that live elsewhere have rounds whose tokens no chain of the world shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_worldgen.act.vest import schedule_of
from caia_worldgen.calendar import DAY_S
from caia_worldgen.event import done
from caia_worldgen.market.book import MarketBook
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Scene
from caia_worldgen.web.cast import Cast

_NAMES: Final = ("pre-seed", "seed", "strategic", "Series A", "private")


@dataclass(frozen=True, slots=True)
class Round:
    """Money raised. ``project`` is a coin's id, ``closed_at`` in seconds, ``raised_usd`` whole dollars; ``tokens`` are
    whole tokens sold (0: not told), ``lead`` the fund that led and ``others`` those that took part."""

    project: str
    name: str
    closed_at: int
    raised_usd: int
    tokens: int
    lead: str
    others: tuple[str, ...]


def rounds_of(scene: Scene, book: MarketBook, cast: Cast) -> tuple[Round, ...]:
    """Every round, oldest first."""
    found = []
    begun = scene.main.calendar.midnight(0)
    for deed in done(scene.main.deeds, "granted"):
        role = str(dict(deed.figures)["project"])
        if not deed.subject.endswith("investors vesting"):
            continue
        rng, schedule, coin = Rng(f"web/{scene.seed}/round/{role}"), schedule_of(deed), scene.projects[role].id
        made = book.coin(coin)
        price = (book.prices.price_e8(made, begun) if made else None) or 1
        worth = Fraction(schedule.total * price, 10**18 * 10**8) * rng.number(22, 61) / 100
        backers = rng.some(cast.funds, rng.number(2, 4))
        closed = min(schedule.start, begun) - rng.number(9, 60) * DAY_S + rng.number(8, 17) * 3_600
        raised = _rounded(int(worth))
        found.append(
            Round(coin, rng.one(_NAMES), closed, raised, schedule.total // 10**18, backers[0], tuple(backers[1:]))
        )
    for one in (coin for coin in book.coins if coin.role.startswith("outsider")):
        rng = Rng(f"web/{scene.seed}/round/{one.role}")
        if rng.happens(70):
            backers = rng.some(cast.funds, rng.number(1, 3))
            closed = begun - rng.number(20, 420) * DAY_S + rng.number(8, 17) * 3_600
            raised = rng.odd(1_200_000, 38_000_000, digits=3)
            found.append(Round(one.id, rng.one(_NAMES), closed, raised, 0, backers[0], tuple(backers[1:])))
    return tuple(sorted(found, key=lambda made: (made.closed_at, made.project)))


def _rounded(raised: int) -> int:
    """Three leading digits, as sums are announced."""
    unit: int = 10 ** max(0, len(str(raised)) - 3)
    return max(unit, raised // unit * unit)
