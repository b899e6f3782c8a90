"""The pages of a told web by their addresses, and from when on a task can read them.

A dated page can be read from its date on, whenever it was recorded; an undated one from the first sweep that found it.
"""

from __future__ import annotations

from caia_replay.core.world import Page
from caia_worldgen.economy_web import sweeps
from caia_worldgen.execution.story import Story
from caia_worldgen.rng import Rng
from caia_worldgen.stage import Stage
from caia_worldgen.web.page import WebPage


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
