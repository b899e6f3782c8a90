"""The law of the CoinGecko provider, over thousands of questions."""

from __future__ import annotations

import pytest

from caia_worldgen.market.book import MarketBook
from caia_worldgen.scene import Scene
from tests.coingecko_law import build, run


@pytest.mark.soak
def test_the_law_over_thousands(book: MarketBook, scene: Scene) -> None:
    """5,000 questions; at least 70 in a hundred are covered, none of those is missed, and no other is answered."""
    tally = run(build(book, scene.networks), 5_000)
    assert tally.total() >= 5_000 and tally[True] >= 0.7 * tally.total()
