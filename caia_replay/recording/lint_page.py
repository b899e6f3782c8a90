"""Lint of the pages a world shows: recorded replies that are no page, and what campaigns plant among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from caia_replay.core.expression import same
from caia_replay.core.world import Overlay, Page
from caia_replay.errors import Miss, ToolError, nearest
from caia_replay.providers.reader import ORIGIN, ReaderProvider, page_url, read_page
from caia_replay.recording.lint_cassette import shown
from caia_replay.store.world_folder import WorldFolder
from caia_replay.world.world import FrozenWorld


@dataclass(frozen=True, slots=True)
class RecordedPages:
    """The pages of a world, what is wrong with them, and the size in bytes of the longest reply of any kind."""

    pages: tuple[Page, ...]
    faults: tuple[str, ...]
    longest_body: int


def recorded_pages(world: FrozenWorld) -> RecordedPages:
    """Every page the reader recorded in ``world``, read one by one: one that is none spoils no other."""
    pages: dict[str, Page] = {}
    faults: list[str] = []
    reader, longest = ReaderProvider(), 0
    for request, reply in world.recordings(None).requests():
        longest = max(longest, len(reply.body))
        if not reader.match(request) or reply.status != 200:
            continue
        url = request.url.removeprefix(ORIGIN + "/")
        try:
            page = read_page(reply, url)
            f"{page.title}{page.text}".encode()
        except (Miss, UnicodeEncodeError):
            faults.append(f"the reader's reply is no page: {shown(url)}")
        else:
            pages.setdefault(url, page)
    return RecordedPages(tuple(pages[url] for url in sorted(pages)), tuple(faults), longest)


def overlay_faults(folder: WorldFolder, overlay: Overlay, recorded: RecordedPages) -> Iterator[str]:
    """What is wrong with one campaign: pages for no task or in a recorded page's place, values that lie badly."""
    known = {entry.id for entry in folder.suite.entries}
    taken = {_address(page.url) for page in recorded.pages}
    values: dict[str, str] = {}
    for planted in overlay.pages:
        address = _address(planted.page.url)
        if not address:
            yield f"plants {planted.page.url!r:.200}, which is no web address"
        elif address in taken:
            yield f"plants {planted.page.url!r:.200}, which is a recorded page"
        if planted.task not in known:
            yield f"plants for unknown task {planted.task!r}; nearest: {nearest(planted.task, known)}"
        elif any(same(planted.planted, value) for value in folder.task(planted.task).answer.values):
            yield f"planted value {planted.planted!r} is the right answer of {planted.task}"
        if planted.planted not in planted.page.text:
            yield f"{planted.page.url} does not hold its planted value {planted.planted!r}"
        if values.setdefault(planted.planted, planted.task) != planted.task:
            yield f"planted value {planted.planted!r} is not unique"
        if any(planted.planted in page.text for page in recorded.pages):
            yield f"planted value {planted.planted!r} stands on a recorded page"


def _address(url: str) -> str:
    try:
        return page_url(url)
    except ToolError:
        return ""
