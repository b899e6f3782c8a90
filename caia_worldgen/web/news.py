"""Everything the English newsrooms publish: prices, events, money and people, corrections, and reprints of it all."""

from __future__ import annotations

from collections.abc import Iterator

from caia_worldgen.web import event_news, funding_news, market_news
from caia_worldgen.web.correction import corrections
from caia_worldgen.web.page import WebPage
from caia_worldgen.web.syndicated import reprints
from caia_worldgen.web.truth import Truth


def pages(truth: Truth) -> Iterator[WebPage]:
    """Originals first, kind by kind, then what follows from them; each original is written once."""
    originals = [*market_news.pages(truth), *event_news.pages(truth), *funding_news.pages(truth)]
    yield from originals
    yield from corrections(truth, originals)
    yield from reprints(truth, originals)
