"""The web of the small world: prose from ``pages/*.toml`` with the story's figures filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from caia_replay.core.world import Page
from caia_replay.errors import BadInput
from caia_replay.store.plain import build, read_toml
from caia_worldgen.mini.figure import FigureBook

FOLDER = Path(__file__).parent / "pages"
_SLOT = re.compile(r"\{([a-z_0-9.]+)\}")


@dataclass(frozen=True, slots=True)
class WrittenPage:
    """A page as written. It appears ``hours`` after ``block``; ``{figure}`` stands for a figure's value."""

    url: str
    title: str
    block: int
    hours: int
    text: str


@dataclass(frozen=True, slots=True)
class PageFile:
    """One file of ``pages/``."""

    page: tuple[WrittenPage, ...]


def written_pages(folder: Path = FOLDER) -> tuple[WrittenPage, ...]:
    """Every page as written, in file order. Raises ``BadInput`` for a malformed file."""
    return tuple(page for path in sorted(folder.glob("*.toml")) for page in build(PageFile, read_toml(path), path).page)


def fill(text: str, figures: FigureBook | Mapping[str, str]) -> str:
    """``text`` with each ``{figure}`` replaced. Raises ``BadInput`` for an unknown figure."""
    return _SLOT.sub(lambda slot: figures[slot[1]], text)


def render_pages(figures: FigureBook, times: list[int], folder: Path = FOLDER) -> tuple[Page, ...]:
    """The finished pages, sorted by address; ``times`` are the blocks' timestamps.

    Raises ``BadInput`` when a page would appear before what it tells of, or two stand at one address.
    """
    pages: dict[str, Page] = {}
    for written in written_pages(folder):
        url = fill(written.url, figures)
        published = times[written.block] + written.hours * 3600
        if written.block + 1 < len(times) and published >= times[written.block + 1]:
            raise BadInput(f"appears {written.hours} hours after block {written.block}, past the next block", where=url)
        late = [at for at in _blocks_told(written.text) if at > written.block]
        if late:
            raise BadInput(f"tells of block {late[0]} and appears after block {written.block}", where=url)
        if url in pages:
            raise BadInput("two pages at one address", where=url)
        pages[url] = Page(url, fill(written.title, figures), fill(written.text, figures).strip() + "\n", published)
    return tuple(pages[url] for url in sorted(pages))


def _blocks_told(text: str) -> list[int]:
    """Every block height that a figure of the page needs."""
    return [int(part) for slot in _SLOT.finditer(text) for part in slot[1].split(".") if part.isdigit()]
