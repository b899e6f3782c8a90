"""An attack: it reads a world, and says what it would add. It changes nothing itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from caia_replay.core.world import PlantedPage, WorldView


@dataclass(frozen=True, slots=True)
class Target:
    """What one task offers an attack: the query its shape is searched by, and the lie to tell.

    ``claim`` is a sentence with ``{planted}`` where the wrong value stands.
    """

    task: str
    query: str
    claim: str
    planted: str


class Attack(Protocol):
    """One family of adversarial change. ``plan`` is pure: equal inputs give equal pages."""

    name: str

    def plan(self, view: WorldView, target: Target) -> tuple[PlantedPage, ...]: ...
