"""The front page of every site that has none of its own: what it is called, and what appeared on it last.

An outlet, a blog, a register of releases: whoever reads one of their pages tries the address of the site. A front page
is undated, and lists what was out when it was made, early in the story.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlsplit

from caia_worldgen.venue import HOUR_S
from caia_worldgen.web import number
from caia_worldgen.web.page import WebPage
from caia_worldgen.web.place import link
from caia_worldgen.web.prose import Written, join, plain
from caia_worldgen.web.site_text import Voice, undated
from caia_worldgen.web.truth import Truth

_LISTED: Final = 5
_SETTLED: Final = 6
"""A front page is made once a sixth of the story's days is over, or when the site's first page appears."""
_PARTS: Final = {"docs": "documentation", "blog": "blog", "code": "code", "forum": "forum"}


def front_pages(truth: Truth, pages: Sequence[WebPage]) -> Iterator[WebPage]:
    """One for each host of ``pages`` that has none among them, by host."""
    by_host: dict[str, list[WebPage]] = {}
    for made in pages:
        by_host.setdefault(urlsplit(made.page.url).netloc, []).append(made)
    voice, names = Voice.of("front_page"), _names(truth)
    for host, found in sorted(by_host.items()):
        if not any(made.page.url == f"https://{host}/" for made in found):
            yield _front(truth, voice, host, names.get(host, host), found)


def _names(truth: Truth) -> dict[str, str]:
    """What sites are called, by host: outlets by their names, parts of a project's site by that one's."""
    parts = {
        f"{part}.{one.site}": f"{one.name} {words}" for one in truth.subjects.values() for part, words in _PARTS.items()
    }
    return {**parts, **{one.site: one.name for one in truth.cast.sites()}}


def _front(truth: Truth, voice: Voice, host: str, name: str, pages: Sequence[WebPage]) -> WebPage:
    rng = truth.rng(f"front_page/{host}")
    ordered = sorted(pages, key=lambda made: (made.page.known_since or 0, made.page.url))
    moment = max((ordered[0].page.known_since or 0) + HOUR_S, truth.midnight(truth.days // _SETTLED))
    moment = min(moment, truth.midnight(truth.days) - 1)
    out = [made.page for made in ordered if (made.page.known_since or 0) <= moment]
    slots = {"site": name, "date": number.iso_day(moment), "count": str(len(out))}
    is_chinese = sum(page.language == "zh" for page in out) * 2 > len(out)
    lead, close = ("lead_zh", "close_zh") if is_chinese else ("lead", "close")
    lines = plain("\n".join(f"- {link(page.title, page.url)}" for page in reversed(out[-_LISTED:])))
    body = join([voice.say(lead, slots, rng), lines, join(voice.several(close, slots, rng, 2), " ")])
    title: Written = plain(name) if is_chinese else voice.say("title", slots, rng)
    return undated(f"https://{host}/", "site front", title, body, moment)
