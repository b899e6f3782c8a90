"""The law of the DeFi index's provider, on many more draws."""

from __future__ import annotations

import pytest

from caia_replay.providers.defillama.provider import DefiLlamaProvider
from caia_worldgen.market.book import MarketBook
from caia_worldgen.scene import Scene
from tests.defillama_world import IndexWorld, hold

DRAWS = 6_000


@pytest.mark.soak
def test_the_law_holds_over_many_draws(scene: Scene, book: MarketBook) -> None:
    """Of 5,000 draws and more each one inside coverage is answered as live, and no other; 70 % are inside."""
    provider = DefiLlamaProvider()
    inside, drawn = hold(IndexWorld(scene, book, provider), provider, DRAWS)
    assert drawn >= 5_000 and inside >= 0.7 * drawn, (inside, drawn)
    print(f"defillama: {drawn} draws, {inside} inside")
