"""Names that nobody of a story bears, made as its own are: what somebody who lies about people and funds can say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_worldgen.naming import Namer
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import Story

_SKIPPED: Final = 400
"""Among how many names the first one is chosen; a world has four times as many."""


class Strangers:
    """Names out of the next seed's world, which has none in common with this one; each is given once."""

    def __init__(self, story: Story, dice: Rng) -> None:
        self._namer = Namer(story.truth.seed + 1)
        for _ in range(dice.number(0, _SKIPPED)):
            self._namer.speaker()
        self._kinds = sorted({name.partition(" ")[2] for name in story.truth.cast.funds})
        self._dice = dice

    def people(self, count: int = 3) -> tuple[str, ...]:
        """First and last names."""
        return tuple(f"{self._namer.speaker()} {self._namer.speaker()}" for _ in range(count))

    def funds(self, count: int = 3) -> tuple[str, ...]:
        """A name and what kind of fund it is, as the story's funds have it."""
        return tuple(f"{self._namer.speaker()} {kind}" for kind in self._kinds_of(count))

    def _kinds_of(self, count: int) -> Iterator[str]:
        return (self._dice.one(self._kinds) for _ in range(count))
