"""Who used a protocol: distinct senders and transactions a day, of what was sent to one of its contracts.

Transactions that failed count, as they do on a chain; creations of contracts and approvals, which go to a token, do
not. A sender is new on the first day of the story on which they sent anything to the protocol.
"""

from __future__ import annotations

from dataclasses import dataclass

from caia_worldgen.market.protocol import Protocol, stage_of
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
