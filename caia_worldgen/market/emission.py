"""Emission calendars: what the vesting contracts release when, as an index of unlocks tells it.

A calendar is known for all time once its grants are made: the contracts' terms say how much has vested at any moment.
Amounts are in a token's smallest units, moments in seconds. What was never granted is out from the beginning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.act.vest import schedule_of
from caia_worldgen.calendar import DAY_S
from caia_worldgen.contracts.payout import Schedule
from caia_worldgen.event import done
from caia_worldgen.scene import Scene

SECTIONS: Final = {"founders": ("Founders", "insiders"), "investors": ("Investors", "privateSale"),
                   "advisers": ("Advisers", "insiders")}  # fmt: skip
"""The story's name of a group -> the calendar's section and category."""
GENESIS: Final = ("Genesis Distribution", "noncirculating")


@dataclass(frozen=True, slots=True)
class Grant:
    """One vesting contract: its ``section`` of the calendar and what it releases."""

    contract: str
    section: str
    category: str
    schedule: Schedule


@dataclass(frozen=True, slots=True)
class Emission:
    """A project's calendar. ``known_at`` is the moment of the last grant; ``supply`` what there was at first."""

    role: str
    slug: str
    known_at: int
    supply: int
    grants: tuple[Grant, ...]

    @property
    def granted(self) -> int:
        """All that is released over time."""
        return sum(grant.schedule.total for grant in self.grants)

    def unlocked(self, section: str, moment: int) -> int:
        """What of a section is out at a moment."""
        return sum(grant.schedule.vested(moment) for grant in self.grants if grant.section == section)

    def sections(self) -> tuple[str, ...]:
        """The sections that have grants, in the order of ``SECTIONS``."""
        held = {grant.section for grant in self.grants}
        return tuple(name for name, _ in SECTIONS.values() if name in held)

    def midnights(self) -> Iterator[int]:
        """From the first start, or the grants' own day if that is earlier, to the first midnight after the last end."""
        first = min(self.known_at, *(grant.schedule.start for grant in self.grants)) // DAY_S * DAY_S
        last = -(-max(grant.schedule.end for grant in self.grants) // DAY_S) * DAY_S
        return iter(range(first, last + DAY_S, DAY_S))


class Emissions:
    """The calendars of a told story, by project slug; read-only."""

    def __init__(self, scene: Scene) -> None:
        made: dict[str, list[Grant]] = {}
        known: dict[str, int] = {}
        for deed in done(scene.main.deeds, "granted"):
            role = str(dict(deed.figures)["project"])
            group = deed.subject.removeprefix(f"{role} ").removesuffix(" vesting")
            contract = scene.main.contracts[deed.subject].address
            made.setdefault(role, []).append(Grant(contract, *SECTIONS[group], schedule_of(deed)))
            known[role] = max(known.get(role, 0), scene.main.calendar.times[deed.block])
        self._found = {
            scene.projects[role].id: Emission(
                role, scene.projects[role].id, known[role], _born(scene, role), tuple(grants)
            )
            for role, grants in sorted(made.items())
        }

    def all(self) -> tuple[Emission, ...]:
        """Every calendar, by slug."""
        return tuple(self._found[slug] for slug in sorted(self._found))

    def of(self, slug: str) -> Emission | None:
        """The calendar of a project, or None."""
        return self._found.get(slug.lower())


def _born(scene: Scene, role: str) -> int:
    """How much of a project's token was made in its first block."""
    token = scene.assets[role].address
    return next(one.amount for one in scene.main.ledger.movements if (one.token, one.sender) == (token, ZERO_ADDRESS))
