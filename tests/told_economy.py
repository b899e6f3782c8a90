"""The small economy of seed 1 told to its end, once a session for every room that looks at it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from caia_worldgen.calendar import SCALES
from caia_worldgen.economy import economy, tell
from caia_worldgen.market.book import MarketBook
from caia_worldgen.scene import Scene

SEED = 1


@pytest.fixture(scope="session")
def scene() -> Iterator[Scene]:
    """The small economy of seed 1, told to its end; both chains are still living."""
    with economy(SEED, SCALES["small"]) as whole:
        tell(whole)
        yield whole


@pytest.fixture(scope="session")
def book(scene: Scene) -> MarketBook:
    """The markets of the small economy."""
    return MarketBook(scene)
