"""Pages that change: how each reads today, and how a web archive kept it; the reader and the archive over both.

https://r.jina.ai/<address>                                     the page as it reads today
https://r.jina.ai/https://web.archive.org/web/<14 digits>id_/<address>      as it was at that capture
https://web.archive.org/cdx/search/cdx, /web/<digits><flag>/<address>       the captures, and each as it was sent
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Final

from caia_replay.core.world import Page
from caia_replay.providers.reader.provider import page_request
from caia_worldgen.calendar import DAY_S
from caia_worldgen.services.jina import Jina
from caia_worldgen.services.service import Answer, Asked
from caia_worldgen.web.truth import Truth

ARCHIVE: Final = "https://web.archive.org"
_FIELDS: Final = ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length")
ARENA: Final = "Harbour Arena"
FIRM: Final = "Quarry Ledgerworks"
_LEAD: Final = (
    "Questions that somebody collected for analysts, a few on each project, each with what is taken for its answer. "
    "They are sorted by project, and those on the same project by the day they were asked on. Corrections are welcome."
)
"""Long enough that what a result list shows of the page quotes nothing."""
_CAPTURE: Final = re.compile(r"/web/(?:(\d{1,14})([a-z]{2}_)?/)?(https?:/{1,2}.+)")


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
    def row(self) -> list[str]:
        """Its line in a listing."""
        body = self.body("id_")
        sha = base64.b32encode(hashlib.sha1(body).digest()).decode()
        return [key_of(self.page.url), self.digits, self.page.url, "text/html", "200", sha, str(len(body))]

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

    def change(self, url: str, text: str) -> None:
        """The page reads so from now on."""
        self.pages[url] = replace(self.pages[url], text=text)

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
            kept = self._shelf.kept(asked.parameters["url"], now)
            rows = sorted(one.row for one in kept if one.digits <= asked.parameters.get("to", "9"))
            return Answer(200, [list(_FIELDS), *rows] if rows else [], {"content-type": "application/json"})
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


@dataclass(frozen=True, slots=True)
class Sites:
    """Pages that are no part of the story: what each is there for. Moments are seconds since 1970, UTC."""

    audit: Page
    """Dated before its question's moment; never changed."""
    terms: Page
    """Undated and changed since: the archive kept it before and after."""
    lost: Page
    """Undated, and no archive ever kept it: nothing shows that it was there."""
    early_leak: Page
    """Dated before the moment; quotes the question with its answer."""
    late_leak: Page
    """The same, published after the moment."""
    late_news: Page
    """Published after the moment, and about the same thing; quotes nothing."""

    def quoting(self, question: str, answer: str) -> Sites:
        """The same with a question and its answer on the two pages that leak."""
        told = f"Q: {question}\nA: {answer}"
        early, late = (replace(page, text=f"{page.text}\n\n{told}") for page in (self.early_leak, self.late_leak))
        return replace(self, early_leak=early, late_leak=late)

    def publish(self, shelf: Shelf) -> None:
        """Put them where the reader, the search API and the archive find them."""
        shelf.put(self.audit)
        moment = self.terms.first_seen or 0
        shelf.put(self.terms, moment + DAY_S, moment + 3 * DAY_S)
        changed = replace(self.terms, text=self.terms.text.replace("4,200", "9,999"))
        shelf.put(changed, moment + 30 * DAY_S)
        for page in (self.lost, self.early_leak, self.late_leak, self.late_news):
            shelf.put(page)


def sites_of(truth: Truth) -> Sites:
    """The pages, dated by this story's days; the two that leak quote nothing yet."""

    def page(host: str, path: str, title: str, text: str, day: int | None, seen: int) -> Page:
        dated = None if day is None else truth.midnight(day) + 9 * 3_600
        return Page(f"https://{host}.example/{path}", title, text, dated, "", "", "en", truth.midnight(seen))

    review = f"{FIRM} reviewed the staking pool of {ARENA} and found two issues of low weight, both closed."
    return Sites(
        page("harbour-arena", "blog/review", f"A review of the {ARENA} staking pool", review, 7, 7),
        page("harbour-arena", "terms", f"{ARENA}: terms of use",
             "Whoever stakes puts in at least 4,200 tokens and may leave after nine days.", None, 3),
        page("harbour-arena", "press-kit", f"{ARENA}: press kit",
             "Our first colour is teal, our second is chalk; the mark is never turned.", None, 4),
        page("quiz-answers", "arena", f"Analyst questions on the {ARENA} staking pool",
             _LEAD, 10, 10),
        page("quiz-answers", "arena-2", f"More analyst questions on the {ARENA} staking pool",
             _LEAD, 35, 35),
        page("harbour-arena", "blog/second-review", f"A second review of the {ARENA} staking pool",
             f"Another firm looked at the staking pool of {ARENA} in October and agreed with the first.", 34, 34),
    )  # fmt: skip


def reading(page: Page) -> Mapping[str, str]:
    """The reader's request for a page, as a gold row names it."""
    return {"method": "GET", "url": page_request(page.url).url}
