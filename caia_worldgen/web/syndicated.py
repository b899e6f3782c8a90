"""Reprints: what the syndicate takes over from other outlets, nearly word for word, hours to days later.

A reprint has a first and a last line of its own and says what the original says, mistakes included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from caia_worldgen.web import number
from caia_worldgen.web.article import Press
from caia_worldgen.web.market_news import english
from caia_worldgen.web.page import WebPage
from caia_worldgen.web.place import link
from caia_worldgen.web.prose import Slots, Written, join
from caia_worldgen.web.truth import Truth

_REPRINTS: Final = 148
_DELAY_MINUTES: Final = (120, 5_400)


def reprints(truth: Truth, originals: Sequence[WebPage]) -> Iterator[WebPage]:
    """At most ``_REPRINTS`` copies of dated pages, in the order drawn; those after the story's end are left out."""
    press, outlet = Press(truth, "syndicated", ("syndicated",)), english(truth, "syndicate")[0]
    sources = {one.site: one for one in english(truth, "") if one != outlet}
    offered = [(one, sources[site]) for one in originals if (site := one.page.url.split("/")[2]) in sources]
    for one, source in press.dice("choice").some(offered, min(_REPRINTS, len(offered))):
        page = one.page
        dice = press.dice(page.url)
        if page.published is None:
            continue
        published = page.published + dice.number(*_DELAY_MINUTES) * 60 + dice.number(0, 59)
        if published > press.last_moment:
            continue
        day, weekday = number.day(page.published), number.weekday(page.published)
        slots: Slots = {"source": source.name, "outlet": outlet.name, "title": page.title, "author": page.author,
                        "original": link("here", page.url), "first_day": day, "first_weekday": weekday}  # fmt: skip
        first, last = press.say("first", slots, dice), press.say("last", slots, dice)
        text = join([first, Written(page.text, one.claims), last])
        author = page.author if dice.happens(55) else dice.one(outlet.authors)
        section = f"from/{source.id}"
        yield press.page(outlet, one.kind, section, published, press.say("title", slots, dice), text, author, page.url)
