"""Worlds for whole replays: the shipped one in a copy, and the real block built from data nobody here wrote."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from caia_replay.chain.prestate import import_prestate
from caia_replay.store.world_folder import seal_world

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    """A copy of the shipped world's root folder, free to be broken."""
    for name in ("cassettes", "chain_snapshots"):
        shutil.copytree(PROJECT / name, tmp_path / name)
    return tmp_path


@pytest.fixture(scope="session")
def real_block(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The world folder of the real suite, its snapshot built now from the real block."""
    root = tmp_path_factory.mktemp("real")
    shutil.copytree(PROJECT / "tests" / "fixtures" / "real-22244135", root, dirs_exist_ok=True)
    import_prestate(real_data / "mainnet-22244135", root / "chain_snapshots" / "mainnet-22244135")
    world = root / "cassettes" / "real-22244135"
    seal_world(world)
    return world
