"""The pages of a told web by their addresses, and from when on a task can read them.

A dated page can be read from its date on, whenever it was recorded; an undated one from the first sweep that found it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.world import Page
from caia_worldgen.economy_web import sweeps
from caia_worldgen.people import Namer
from caia_worldgen.rng import Rng
from caia_worldgen.stage import Stage
from caia_worldgen.tasks.shape import Story
from caia_worldgen.web.page import WebPage

_SKIPPED: Final = 400
"""Among how many names the first one is chosen; a world has four times as many."""


class Strangers:
    """Names out of the next seed's world, which has none in common with this one; each is given once."""

    def __init__(self, story: Story, rng: Rng) -> None:
        self._namer = Namer(story.truth.seed + 1)
        for _ in range(rng.number(0, _SKIPPED)):
            self._namer.speaker()
        self._kinds = sorted({name.partition(" ")[2] for name in story.truth.cast.funds})
        self._rng = rng

    def people(self, count: int = 3) -> tuple[str, ...]:
        """First and last names."""
        return tuple(f"{self._namer.speaker()} {self._namer.speaker()}" for _ in range(count))

    def funds(self, count: int = 3) -> tuple[str, ...]:
        """A name and what kind of fund it is, as the story's funds have it."""
        return tuple(f"{self._namer.speaker()} {kind}" for kind in self._kinds_of(count))

    def _kinds_of(self, count: int) -> Iterator[str]:
        return (self._rng.one(self._kinds) for _ in range(count))


class Shelf:
    """All pages of a story. Read-only."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self._pages = {made.page.url: made for made in story.web.pages}
        self._sweeps = tuple(moment for _, moment, _ in sweeps(story.truth, story.web))

    def page(self, url: str) -> WebPage | None:
        """The page at an address, if there ever is one."""
        return self._pages.get(url)

    def since(self, page: Page) -> int | None:
        """The first second at which a task can read it; None where no sweep ever finds it."""
        if page.published is not None:
            return page.published
        known = page.known_since
        return None if known is None else next((moment for moment in self._sweeps if moment >= known), None)

    def height(self, url: str, stage: Stage, rng: Rng) -> int | None:
        """A height of the suite at which the page at an address can be read; None where there is none."""
        made = self.page(url)
        since = None if made is None else self.since(made.page)
        return None if since is None else self._story.height_after(stage, since, rng)

    def under(self, address: str, words: str) -> list[WebPage]:
        """The pages whose address begins so and whose text holds some words, by address."""
        found = (made for url, made in sorted(self._pages.items()) if url.startswith(address))
        return [made for made in found if words in made.page.text or words in made.page.title]
