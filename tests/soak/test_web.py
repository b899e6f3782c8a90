"""The webs of further seeds: as large and as varied as the first one's."""

from __future__ import annotations

import pytest

from caia_worldgen.calendar import SCALES
from caia_worldgen.economy import economy, tell
from caia_worldgen.economy_web import web_of
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.metric import Metrics
from caia_worldgen.market.repository import Repositories
from caia_worldgen.web.web import MOST_ALIKE, report


@pytest.mark.soak
@pytest.mark.parametrize("seed", [2, 3, 4, 5])
def test_a_web_of_another_seed_keeps_the_rules_and_is_found(seed: int) -> None:
    """Thousands of pages and posts, near-duplicates within their limit."""
    with economy(seed, SCALES["small"]) as scene:
        tell(scene)
        book = MarketBook(scene)
        truth, web = web_of(scene, book, Metrics(scene, book), Repositories(scene, book))
        told = report(web, truth)
        print(f"seed {seed}: {told.pages:,} pages, {told.posts:,} posts, {float(told.alike):.2%} alike")
        assert told.alike <= MOST_ALIKE and told.pages >= 3_000 and told.posts >= 5_000
