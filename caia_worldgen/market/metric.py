"""Every figure that a DeFi index has of a told story, in one place; docs/metrics.md says how each is computed.

A day is over when the next one begins: flows and use of a day are known from then on. What is held is known at every
moment, and the index notes it at every midnight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.emission import Emissions
from caia_worldgen.market.flow import Flow
from caia_worldgen.market.protocol import Protocol, protocols_of, stage_of
from caia_worldgen.market.tvl import OUTSIDE_TOTALS, Tvl
from caia_worldgen.scene import Scene


@dataclass(frozen=True, slots=True)
class Use:
    """One day of a protocol, or one of its chains."""

    users: int
    new_users: int
    transactions: int


class Activity:
    """Use of a told story's protocols, day by day. Read-only."""

    def __init__(self, scene: Scene, protocols: tuple[Protocol, ...]) -> None:
        self._days = scene.scale.days
        self._found = {protocol.slug: self._counted(scene, protocol) for protocol in protocols}

    def daily(self, protocol: Protocol) -> tuple[Use, ...]:
        """The use of every day of the story, on all chains together."""
        return self._found[protocol.slug]

    def _counted(self, scene: Scene, protocol: Protocol) -> tuple[Use, ...]:
        senders: list[set[str]] = [set() for _ in range(self._days)]
        transactions = [0] * self._days
        for chain in protocol.chains:
            stage, own = stage_of(scene, chain), protocol.addresses(scene, chain)
            for block, sender, to in stage.sent:
                if to in own:
                    day = stage.calendar.day_of(block)
                    senders[day].add(sender)
                    transactions[day] += 1
        seen: set[str] = set()
        found = []
        for day, users in enumerate(senders):
            found.append(Use(len(users), len(users - seen), transactions[day]))
            seen |= users
        return tuple(found)


class Metrics:
    """A told story's protocols and their figures. Read-only."""

    def __init__(self, scene: Scene, book: MarketBook) -> None:
        self.scene = scene
        self.book = book
        self.protocols = protocols_of(scene)
        self.tvl = Tvl(scene, book)
        self.flow = Flow(scene, book, self.tvl, self.protocols)
        self.activity = Activity(scene, self.protocols)
        self.emissions = Emissions(scene)
        self.first_midnight = scene.main.calendar.midnight(0)

    def protocol(self, slug: str) -> Protocol | None:
        """The protocol of a slug, in any case, or None."""
        return next((one for one in self.protocols if one.slug == slug.lower()), None)

    def days_over(self, now: int) -> int:
        """How many days of the story are over."""
        return max(0, min(self.scene.scale.days, (now - self.first_midnight) // DAY_S))

    def midnights(self, now: int) -> Iterator[int]:
        """Every midnight after the story's first one, up to now."""
        return iter(range(self.first_midnight + DAY_S, min(now, self.book.prices.end - 1) + 1, DAY_S))

    def chain_e8(self, chain: str, moment: int) -> int:
        """What is locked on one chain ("main", "rollup"), or on all (""), at a moment; dollars times 10^8."""
        return sum(
            self.tvl.value_e8(one, moment, "tvl", chain) for one in self.protocols if one.category not in OUTSIDE_TOTALS
        )
