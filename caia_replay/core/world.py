"""What a task can see, as attacks and tools know it, and what a campaign adds to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from caia_replay.core.task import Anchor


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the open web. ``published`` is seconds since 1970 UTC; None when it is not known.

    ``altered_by`` is the name of the attack that planted the page, empty for recorded pages.
    """

    url: str
    title: str
    text: str
    published: int | None
    altered_by: str = ""


@dataclass(frozen=True, slots=True)
class PlantedPage:
    """A page a campaign adds. ``planted`` is the wrong value it carries, unique in its world."""

    attack: str
    task: str
    planted: str
    page: Page


@dataclass(frozen=True, slots=True)
class Overlay:
    """Everything one campaign adds to a world, as pure data; applied whole or not at all."""

    campaign: str
    pages: tuple[PlantedPage, ...] = ()
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One search result; ``rank`` starts at 1."""

    rank: int
    page: Page
    snippet: str


class WorldView(Protocol):
    """What an attack may read while it plans: pages, rankings and the moment; nothing it can change."""

    @property
    def anchor(self) -> Anchor: ...

    def pages(self) -> Iterable[Page]:
        """Every recorded page visible at the anchor, sorted by url."""
        ...

    def search(self, query: str, limit: int) -> tuple[Ranked, ...]: ...
