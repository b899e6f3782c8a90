"""The shipped world opened for one task, with its tools."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from caia_replay.core.tool import Served, ToolReply, ToolSpec
from caia_replay.runner.campaign import planned_over
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import CATALOG, WorldToolset
from caia_replay.world.world import FrozenWorld, TaskWorld
from tests.anchored import anchored
from tests.chain_world import ChainWorld, made_world


class Desk:
    """A task's world at its anchor and its toolset."""

    def __init__(self, world: FrozenWorld, task_id: str, attacked: bool = False) -> None:
        folder = world.folder
        self.task = folder.task(task_id)
        overlay = {"overlay": planned_over(world, "edited").overlay} if attacked else {}
        self.world: TaskWorld = world.task(self.task, **overlay)
        self.tools = WorldToolset(self.world)

    def call(self, name: str, **arguments: Any) -> ToolReply:
        return self.tools.call(name, json.dumps(arguments))

    def result(self, name: str, **arguments: Any) -> Any:
        """What a call gives that must be answered."""
        reply = self.call(name, **arguments)
        assert reply.error is None, reply.error
        return reply.result

    def refusal(self, name: str, **arguments: Any) -> str:
        """What a call is told that must be refused."""
        reply = self.call(name, **arguments)
        assert reply.served is Served.ERROR and reply.error is not None
        return str(reply.error["message"])


class Kept:
    """A toolset of the whole catalog that answers every call alike."""

    def __init__(self, reply: ToolReply) -> None:
        self.reply = reply

    def specs(self) -> Sequence[ToolSpec]:
        """The catalog's own."""
        return [tool.spec for tool in CATALOG.values()]

    def call(self, name: str, arguments: str) -> ToolReply:
        """The reply."""
        return self.reply


@pytest.fixture(scope="session")
def frozen(shipped: Path) -> Iterator[FrozenWorld]:
    """The shipped world, opened once."""
    with FrozenWorld(open_world(str(shipped))) as world:
        yield world


@pytest.fixture
def late(frozen: FrozenWorld) -> Desk:
    """The task with the highest anchor."""
    folder = frozen.folder
    last = max(folder.suite.active(), key=lambda task_id: folder.task(task_id).anchor.block)
    return Desk(frozen, last)


@pytest.fixture
def early(frozen: FrozenWorld) -> Desk:
    """The task with the lowest anchor."""
    folder = frozen.folder
    first = min(folder.suite.active(), key=lambda task_id: folder.task(task_id).anchor.block)
    return Desk(frozen, first)


@pytest.fixture
def attacked(frozen: FrozenWorld) -> Desk:
    """The first task's world in the attacked arm."""
    return Desk(frozen, frozen.folder.suite.active()[0], attacked=True)


@pytest.fixture(scope="session")
def chain_world(
    origin_reads: ModuleType, anvil_binary: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ChainWorld]:
    """A world on the capture of a chain that still lives beside it."""
    token = sys.modules["origin_scenario"].TOKEN
    with made_world(origin_reads, token, tmp_path_factory.mktemp("chain")) as made:
        yield made


@pytest.fixture(scope="session")
def large(shipped: Path) -> Iterator[FrozenWorld]:
    """The shipped economy of two chains with its markets, explorer, metrics and web, opened once."""
    with FrozenWorld(open_world(str(shipped.parent / "synthetic-178"))) as world:
        yield world


@pytest.fixture(scope="session")
def bench(large: FrozenWorld) -> Desk:
    """The economy's last task."""
    return Desk(large, anchored(large.folder, 100).id)


@pytest.fixture(scope="session")
def native(large: FrozenWorld) -> str:
    """The economy's native coin."""
    return "id:" + next(name for name in large.snapshots if not name.endswith("rollup"))
