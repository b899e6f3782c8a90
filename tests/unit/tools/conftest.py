"""The shipped world opened for one task, with its tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from caia_replay.core.tool import ToolReply
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.world.world import FrozenWorld, TaskWorld


class Bench:
    """A task's world at its anchor and its toolset."""

    def __init__(self, world: FrozenWorld, task_id: str, attacked: bool = False) -> None:
        folder = world.folder
        self.task = folder.task(task_id)
        overlay = {"overlay": folder.overlay("seo-heavy")} if attacked else {}
        self.world: TaskWorld = world.task(self.task, **overlay)
        self.tools = WorldToolset(self.world)

    def call(self, name: str, **arguments: Any) -> ToolReply:
        return self.tools.call(name, json.dumps(arguments))


@pytest.fixture(scope="session")
def frozen(shipped: Path) -> Iterator[FrozenWorld]:
    """The shipped world, opened once."""
    with FrozenWorld(open_world(str(shipped))) as world:
        yield world


@pytest.fixture
def late(frozen: FrozenWorld) -> Bench:
    """The task with the highest anchor."""
    folder = frozen.folder
    last = max(folder.suite.active(), key=lambda task_id: folder.task(task_id).anchor.block)
    return Bench(frozen, last)


@pytest.fixture
def early(frozen: FrozenWorld) -> Bench:
    """The task with the lowest anchor."""
    folder = frozen.folder
    first = min(folder.suite.active(), key=lambda task_id: folder.task(task_id).anchor.block)
    return Bench(frozen, first)


@pytest.fixture
def attacked(frozen: FrozenWorld) -> Bench:
    """The first task's world in the attacked arm."""
    return Bench(frozen, frozen.folder.suite.active()[0], attacked=True)
