"""Pages that change: how each reads today, and how a web archive kept it; the reader and the archive over both.

https://r.jina.ai/<address>                                     the page as it reads today
https://r.jina.ai/https://web.archive.org/web/<14 digits>id_/<address>      as it was at that capture
https://web.archive.org/cdx/search/cdx, /web/<digits><flag>/<address>       the captures, and each as it was sent
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Final

from caia_replay.core.world import Page
from caia_replay.origin.services.jina import Jina
from caia_replay.origin.services.service import Answer, Asked

ARCHIVE: Final = "https://web.archive.org"
_FIELDS: Final = ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length")
_CAPTURE: Final = re.compile(r"/web/(?:(\d{1,14})([a-z]{2}_)?/)?(https?:/{1,2}.+)")
_MANY: Final = {"prefix", "host", "domain"}


@dataclass(frozen=True, slots=True)
class Capture:
    """A page as the archive kept it. ``at`` in seconds since 1970, UTC."""

    at: int
    page: Page

    @property
    def digits(self) -> str:
        """Its moment as the archive writes it."""
        return datetime.fromtimestamp(self.at, UTC).strftime("%Y%m%d%H%M%S")

    @property
    def row(self) -> dict[str, str]:
        """Its line in a listing."""
        body = self.body("id_")
        sha = base64.b32encode(hashlib.sha1(body).digest()).decode()
        cells = (key_of(self.page.url), self.digits, self.page.url, "text/html", "200", sha, str(len(body)))
        return dict(zip(_FIELDS, cells, strict=True))

    def body(self, flag: str) -> bytes:
        """Its bytes: as they were sent (``id_``), or below the archive's own banner."""
        page = self.page
        dated = ""
        if page.published is not None:
            moment = datetime.fromtimestamp(page.published, UTC).isoformat()
            dated = f'<meta property="article:published_time" content="{moment}">'
        banner = "" if flag == "id_" else "<!-- the archive's banner -->"
        text = "".join(f"<p>{html.escape(part)}</p>" for part in page.text.split("\n\n"))
        head = f"<head><title>{html.escape(page.title)}</title>{dated}</head>"
        return f"<!doctype html><html>{head}<body>{banner}{text}</body></html>".encode()


class Shelf:
    """Every page as it reads today, by address, and the captures of each, oldest first. Tests may change both."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.captures: dict[str, list[Capture]] = {}

    def put(self, page: Page, *captured: int) -> Page:
        """Publish a page, or what it says from now on; the archive kept it as this at each moment of ``captured``."""
        self.pages[page.url] = page
        kept = self.captures.setdefault(page.url, [])
        kept += [Capture(at, page) for at in captured]
        kept.sort(key=lambda capture: capture.at)
        return page

    def change(self, url: str, text: str, *, captures: bool = False) -> None:
        """The page reads so from now on; with ``captures`` the archive, too, shows it so at every moment it kept."""
        self.pages[url] = replace(self.pages[url], text=text)
        if captures:
            changed = [Capture(one.at, replace(one.page, text=text)) for one in self.captures[url]]
            self.captures[url] = changed

    def kept(self, url: str, now: int) -> list[Capture]:
        """The captures of a page that were taken by ``now``."""
        return [one for key, found in self.captures.items() if key_of(key) == key_of(url) for one in found
                if one.at <= now]  # fmt: skip


class ShelfReader:
    """The page reader, which reads the archive's pages as it reads any."""

    origins: Final = ("https://r.jina.ai",)

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def answer(self, asked: Asked, now: int) -> Answer:
        """The page as it reads now, or as a capture shows it."""
        address = asked.path[1:] + (f"?{asked.query}" if asked.query else "")
        known = [self._shelf.pages[address]] if address in self._shelf.pages else []
        found = _CAPTURE.fullmatch(re.sub(r"^https?:/{1,2}web\.archive\.org", "", address))
        if found and "web.archive.org" in address:
            near = _nearest(self._shelf.kept(found[3], now), found[1] or "")
            # The archive leads to the nearest capture, and the reader goes along.
            known = [] if near is None else [replace(near.page, url=address, first_seen=near.at)]
        return Jina(known).answer(asked, now)

    def busy(self, asked: Asked) -> Answer:
        """Too many requests."""
        return Jina(()).busy(asked)


class ShelfArchive:
    """The web archive: its list of captures and the captures themselves."""

    origins: Final = (ARCHIVE, "http://web.archive.org")

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def answer(self, asked: Asked, now: int) -> Answer:
        """What it has by ``now``."""
        if asked.path.rstrip("/") == "/cdx/search/cdx":
            kept = [one for url in self._shelf.captures for one in self._shelf.kept(url, now)]
            return _listing(kept, asked.parameters)
        path = asked.path + (f"?{asked.query}" if asked.query else "")
        found = _CAPTURE.fullmatch(path)
        near = _nearest(self._shelf.kept(found[3], now), found[1] or "") if found else None
        if found is None or near is None:
            return Answer(404, b"The Wayback Machine has not archived that URL.", {"content-type": "text/html"})
        flag = found[2] or ""
        if near.digits != found[1]:
            return Answer(302, b"", {"location": f"{ARCHIVE}/web/{near.digits}{flag}/{near.page.url}"})
        moment = format_datetime(datetime.fromtimestamp(near.at, UTC), usegmt=True)
        kind = {"content-type": "text/html; charset=utf-8", "memento-datetime": moment}
        return Answer(200, near.body(flag), kind)

    def busy(self, asked: Asked) -> Answer:
        """Too many requests."""
        return Answer(429, b"Too Many Requests", {"content-type": "text/plain", "retry-after": "1"})


def key_of(url: str) -> str:
    """The archive's key of an address: host backwards, lower case, no scheme, no slash at the end."""
    host, _, path = re.sub(r"^https?:/{1,2}", "", url).partition("/")
    return f"{','.join(reversed(host.lower().split('.')))})/{path.lower()}".rstrip("/")


def _nearest(kept: list[Capture], digits: str) -> Capture | None:
    if not kept:
        return None
    low = (digits or "99991231235959") + "00000101000000"[len(digits or "x" * 14) :]
    wanted = datetime.strptime(low, "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp()
    return min(kept, key=lambda one: abs(one.at - wanted))


def _listing(kept: Iterable[Capture], asked: Mapping[str, str]) -> Answer:
    key, match = key_of(asked.get("url", "")), asked.get("matchType", "exact")
    rows = sorted((one.row for one in kept), key=lambda row: (row["urlkey"], row["timestamp"]))
    rows = [row for row in rows if row["urlkey"] == key or (match in _MANY and row["urlkey"].startswith(key))]
    begin, end = asked.get("from", "").ljust(14, "0"), asked.get("to", "").ljust(14, "9")
    rows = [row for row in rows if begin <= row["timestamp"] <= end]
    if "filter" in asked:
        field, _, pattern = asked["filter"].lstrip("!").partition(":")
        rows = [row for row in rows if (re.fullmatch(pattern, row[field]) is None) == asked["filter"].startswith("!")]
    if "collapse" in asked:
        field, _, size = asked["collapse"].partition(":")
        cut = int(size) if size else None
        rows = [row for at, row in enumerate(rows) if not at or rows[at - 1][field][:cut] != row[field][:cut]]
    limit = int(asked.get("limit", "150000"))
    rows = rows[:limit] if limit > 0 else rows[limit:]
    fields = asked.get("fl", ",".join(_FIELDS)).split(",")
    cells = [[row[name] for name in fields] for row in rows]
    if asked.get("output") == "json":
        body, kind = json.dumps([fields, *cells] if cells else []), "application/json"
    else:
        body, kind = "".join(" ".join(line) + "\n" for line in cells), "text/plain"
    return Answer(200, body.encode(), {"content-type": kind})
