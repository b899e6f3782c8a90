"""What flowed through protocols day by day: traded volume, fees, revenue; in dollars times 10^8.

Each is a sum over the scenario's deeds, which its chain events equal, at the price of the hour of the event;
docs/metrics.md has the rule of each kind. A protocol that has no such figure has no entry, which is not the same as
a day on which nothing happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from caia_worldgen.act.lend import COLLATERALS
from caia_worldgen.concentrated import FEE_PIPS
from caia_worldgen.event import ChainEvent, done
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.price import E8
from caia_worldgen.market.protocol import Protocol, stage_of
from caia_worldgen.market.tvl import Tvl
from caia_worldgen.scene import Scene

Measure = Literal["volume", "fees", "revenue"]

_PAIR_FEE_PPM: Final = 3_000
_PPM: Final = 1_000_000


class Flow:
    """Daily figures of a told story's protocols. A day is the day of the story, from 0; read-only."""

    def __init__(self, scene: Scene, book: MarketBook, tvl: Tvl, protocols: tuple[Protocol, ...]) -> None:
        self._scene = scene
        self._book = book
        self._tvl = tvl
        self._days = scene.scale.days
        self._paid_back = _paid_back(scene)
        self._found: dict[tuple[str, Measure], tuple[int, ...]] = {}
        for protocol in protocols:
            for measure, days in self._measured(protocol).items():
                self._found[protocol.slug, measure] = tuple(days)

    def has(self, protocol: Protocol, measure: Measure) -> bool:
        """Whether the protocol has such a figure at all."""
        return (protocol.slug, measure) in self._found

    def daily_e8(self, protocol: Protocol, measure: Measure) -> tuple[int, ...]:
        """The figure of every day of the story. Raises ``KeyError`` where there is none."""
        return self._found[protocol.slug, measure]

    def _measured(self, protocol: Protocol) -> Mapping[Measure, list[int]]:
        nothing = [0] * self._days
        if protocol.kind in ("swap", "range"):
            ppm = _PAIR_FEE_PPM if protocol.kind == "swap" else FEE_PIPS
            swaps = [(deed, self.swap_e8(deed)) for deed in self._swaps(protocol)]
            # The protocol's share of the fee is switched off in both kinds of pools: all of it is the providers'.
            fees = self._summed((deed, worth * ppm // _PPM) for deed, worth in swaps)
            return {"volume": self._summed(swaps), "fees": fees, "revenue": nothing}
        if protocol.kind == "lend":
            return {"fees": [self._interest_e8(day) for day in range(self._days)], "revenue": nothing}
        if protocol.kind == "launch":
            charged = [deed for deed in self._scene.main.deeds if deed.verb in ("bought", "sold")]
        elif protocol.kind == "collect":
            charged = list(done(self._scene.main.deeds, "purchased"))
        else:
            return {}
        fees = self._summed((deed, self._native_e8(deed, deed.figure("fee_wei"))) for deed in charged)
        return {"fees": fees, "revenue": fees}

    def swap_e8(self, deed: ChainEvent) -> int:
        """What a swap was worth: its dollars, or its native coins at their price."""
        sold, bought = (str(dict(deed.figures)[name]).removeprefix("bridged ") for name in ("sold", "bought"))
        for side, name in ((sold, "amount_in"), (bought, "amount_out")):
            if side == "dollar":
                return deed.figure(name) * E8 // self._scene.assets["dollar"].unit
        return self._native_e8(deed, deed.figure("amount_in" if sold == "native" else "amount_out"))

    def _swaps(self, protocol: Protocol) -> list[ChainEvent]:
        chain = protocol.chains[0]
        pools = {role for _, role in protocol.contracts}
        return [deed for deed in done(stage_of(self._scene, chain).deeds, "swapped") if deed.subject in pools]

    def _native_e8(self, deed: ChainEvent, amount_wei: int) -> int:
        moment = stage_of(self._scene, deed.chain).calendar.times[deed.block]
        return self._tvl.worth_e8(self._scene.networks["main"].id, amount_wei, moment)

    def _summed(self, worth: Iterable[tuple[ChainEvent, int]]) -> list[int]:
        days = [0] * self._days
        for deed, value in worth:
            days[stage_of(self._scene, deed.chain).calendar.day_of(deed.block)] += value
        return days

    def _interest_e8(self, day: int) -> int:
        """By how much debts grew in a day, beside what was borrowed and paid back in it."""
        calendar, dollar = self._scene.main.calendar, self._scene.assets["dollar"]
        grown = 0
        for role in COLLATERALS:
            first, last = (self._tvl.debt(role, calendar.midnight(one)) for one in (day, day + 1))
            grown += last - first + self._paid_back.get((role, day), 0)
        # Roundings of single debts may take a unit or two from a day on which nothing was owed.
        return max(0, grown) * E8 // dollar.unit


def _paid_back(scene: Scene) -> dict[tuple[str, int], int]:
    """(lending market, day) -> dollars paid back less dollars borrowed, in smallest units."""
    found: dict[tuple[str, int], int] = {}
    figures = {"borrowed": ("amount", -1), "repaid": ("amount", 1), "liquidated": ("repaid", 1)}
    for role in COLLATERALS:
        for deed in scene.main.deeds:
            if deed.subject == f"{role} lending market" and deed.verb in figures:
                name, sign = figures[deed.verb]
                day = role, scene.main.calendar.day_of(deed.block)
                found[day] = found.get(day, 0) + sign * deed.figure(name)
    return found
