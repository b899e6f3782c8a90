"""The webs of further seeds: as large, as varied and as easy to ask as the first one's."""

from __future__ import annotations

import pytest

from caia_replay.origin.economy import economy, tell
from caia_replay.origin.economy_web import web_of
from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.metric import Metrics
from caia_replay.origin.market.repository import Repositories
from caia_replay.origin.scale import SCALES
from caia_replay.origin.web.question import PROJECT_KINDS
from caia_replay.origin.web.web import MOST_ALIKE, report
from caia_replay.search.index import SearchIndex
from tests.web_questions import drawn, unfound

COUNT = 200
ASKED = ((PROJECT_KINDS, 2), (("price", "cap", "volume"), 5))
"""Kinds of facts, and how many in a hundred may stay unfound. Of the shipped web's projects all 200 are found
(tests/unit/origin/web/test_question.py); of other seeds' some lie beyond the tenth result: four of 200 at seed 5."""


@pytest.mark.soak
@pytest.mark.parametrize("seed", [2, 3, 4, 5])
def test_a_web_of_another_seed_keeps_the_rules_and_is_found(seed: int) -> None:
    """Thousands of pages and posts, near-duplicates within their limit, and facts found by plain questions."""
    with economy(seed, SCALES["small"]) as scene:
        tell(scene)
        book = MarketBook(scene)
        truth, web = web_of(scene, book, Metrics(scene, book), Repositories(scene, book))
        told = report(web, truth)
        print(f"seed {seed}: {told.pages:,} pages, {told.posts:,} posts, {float(told.alike):.2%} alike")
        assert told.alike <= MOST_ALIKE and told.pages >= 3_000 and told.posts >= 5_000
        index = SearchIndex([made.page for made in web.pages])
        for kinds, percent in ASKED:
            for language in ("en", "zh"):
                asked = drawn(web, truth, language, COUNT, kinds, "suite")
                missing = unfound(web, index, asked)
                print(f"  {language} {kinds[0]}...: {COUNT - len(missing)} of {len(asked)} found")
                assert len(asked) == COUNT and len(missing) <= COUNT * percent // 100, missing
