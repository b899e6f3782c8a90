"""The shipped small world, opened once for the tests of a file that only read it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from caia_replay.store.world_folder import WorldFolder, open_world
from caia_replay.world.world import FrozenWorld


@pytest.fixture(scope="session")
def folder(shipped: Path) -> WorldFolder:
    """The shipped world's files."""
    return open_world(str(shipped))


@pytest.fixture(scope="module")
def world(folder: WorldFolder) -> Iterator[FrozenWorld]:
    """The shipped world."""
    with FrozenWorld(folder) as opened:
        yield opened
