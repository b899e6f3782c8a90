"""Origin chains with their whole stories told, and what is written of them, shared by every test that only reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from caia_worldgen.chain import OriginChain
from caia_worldgen.economy_web import PAGE_WRITERS, POST_WRITERS
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.metric import Metrics
from caia_worldgen.market.repository import Repositories
from caia_worldgen.mini.build import MiniReport, build_mini
from caia_worldgen.mini.cast import draw_cast
from caia_worldgen.mini.story import Told, genesis, tell
from caia_worldgen.scene import Scene
from caia_worldgen.web.cast import draw_cast as draw_web_cast
from caia_worldgen.web.truth import Truth
from caia_worldgen.web.web import Web, write_web

SEED = 1


@pytest.fixture(scope="session")
def story() -> Iterator[tuple[OriginChain, Told]]:
    """The living chain of seed 1 and what was meant to happen on it."""
    cast = draw_cast(SEED)
    with OriginChain(genesis(cast)) as chain:
        yield chain, tell(cast, chain)


@pytest.fixture(scope="session")
def told(story: tuple[OriginChain, Told]) -> Told:
    """What was meant, without the chain."""
    return story[1]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> MiniReport:
    """The world of seed 1, built anew."""
    return build_mini(Path(tmp_path_factory.mktemp("mini")), SEED)


@pytest.fixture(scope="session")
def truth(scene: Scene, book: MarketBook) -> Truth:
    """The small economy of seed 1 as those see it who write about it."""
    return Truth(scene, book, Metrics(scene, book), Repositories(scene, book), draw_web_cast(scene, book.coins))


@pytest.fixture(scope="session")
def web(truth: Truth) -> Web:
    """Everything that is written about the small economy."""
    return write_web(truth, PAGE_WRITERS, POST_WRITERS)
