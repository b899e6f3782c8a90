"""The law of GitHub's provider over many draws, at three moments of the story."""

from __future__ import annotations

import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.repository import Repositories
from caia_replay.origin.scene import Scene
from tests.github_law import Court

DRAWS = 2_000


@pytest.mark.soak
def test_the_law_over_many_draws(scene: Scene, book: MarketBook) -> None:
    """Inside what was recorded the answer is the living one, outside it is a miss; most draws are inside."""
    calendar, code = scene.main.calendar, Repositories(scene, book)
    ended = calendar.midnight(calendar.days)
    moments = (calendar.midnight(40) + 4_000, calendar.midnight(83) + 51, ended)
    shares = [Court(code, now, ended).hold(DRAWS) for now in moments]
    print(f"{DRAWS * len(shares):,} draws, {', '.join(f'{share:.3f}' for share in shares)} inside")
    assert sum(shares) / len(shares) >= 0.7
