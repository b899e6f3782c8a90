"""The law of the Binance providers over thousands of questions."""

from __future__ import annotations

import pytest

from caia_replay.providers.binance.provider import FUTURES, SPOT, futures, spot
from caia_worldgen.market.book import MarketBook
from caia_worldgen.services.binance_futures import BinanceFutures
from caia_worldgen.services.binance_spot import BinanceSpot
from tests.binance_law import hold
from tests.binance_worlds import coverage, futures_worlds, questions, spot_worlds

DRAWS = 5_000


@pytest.mark.soak
def test_the_law_of_spot_over_thousands(book: MarketBook) -> None:
    """Five thousand questions about spot: 70 per cent inside at least, none of them missed."""
    service, provider = BinanceSpot(book), spot()
    worlds = spot_worlds(service, provider, book)
    draws, inside = hold(service, provider, book, worlds, DRAWS, questions(book, SPOT), coverage(service, book, SPOT))
    print(f"binance spot: {inside} of {draws} draws inside")
    assert draws >= DRAWS and inside * 10 >= draws * 7


@pytest.mark.soak
def test_the_law_of_futures_over_thousands(book: MarketBook) -> None:
    """Five thousand questions about futures; at least 70 per cent inside, with the same outcome."""
    service, provider = BinanceFutures(book), futures()
    worlds = futures_worlds(service, provider, book)
    asked = questions(book, FUTURES)
    draws, inside = hold(service, provider, book, worlds, DRAWS, asked, coverage(service, book, FUTURES))
    print(f"binance futures: {inside} of {draws} draws inside")
    assert draws >= DRAWS and inside * 10 >= draws * 7
