"""The explorer's law over many draws, with the tables of both chains."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_worldgen.market.book import MarketBook
from caia_worldgen.scene import Scene
from tests.etherscan_law import Court, captured

DRAWS = 6_000


@pytest.mark.soak
def test_the_law_over_many_draws(scene: Scene, book: MarketBook, tmp_path: Path) -> None:
    """Inside what was recorded the answer is the living one, outside it is a miss; most draws are inside."""
    court = Court(scene, book, {stage.name: captured(stage, tmp_path) for stage in (scene.main, scene.rollup)})
    share = court.hold(DRAWS)
    print(f"{DRAWS:,} draws, {share:.3f} inside")
    assert share >= 0.7
