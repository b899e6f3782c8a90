"""Who asked what while a task was recorded, and how well others' recordings serve one that was left out.

tasks/<id>/pool.json stands beside the recordings that came of it. An agent asks what no gold chain does. Several
agents' questions are pooled: what any of them was answered stays. The log says for each its calls, how they were
served, and which recorded exchanges its answers may rest on.

So every agent in a task's pool can be left out in turn. Its calls are replayed in a world that holds what the gold
chain's answers rest on and what those of 0, 1, 2 ... others do, and the misses are counted. What answers of this task's
agents rest on is hidden in every file of the world, also where another task recorded it too; what only other tasks
asked stays. Rows of the chain are not told apart by who asked for them: what any agent read of it serves all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice
from pathlib import Path
from typing import Final

from caia_replay.canonical import digest_bytes, pretty_bytes, strict_json
from caia_replay.cassette.answer import Answers
from caia_replay.cassette.cassette import Cassette
from caia_replay.cassette.identity import identity
from caia_replay.cassette.recordings import AnswerStore, Recordings
from caia_replay.core.task import Task
from caia_replay.core.tool import Served, ToolReply, Toolset, ToolSpec
from caia_replay.errors import BadInput
from caia_replay.store.plain import build, thawed
from caia_replay.store.plain_file import read_plain
from caia_replay.store.world_folder import TASK_CASSETTES, WorldFolder
from caia_replay.tools.catalog import WorldToolset
from caia_replay.world.world import FrozenWorld

POOL: Final = "pool.json"
GOLD: Final = "gold"
REQUESTS: Final = "requests"
"""Who in the pool is no agent: the gold chain, and what is recorded beside what tools ask."""
_VERSION: Final = 1
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._/+#:-]{0,119}")
_MOST_SUBSETS: Final = 20
"""Of others of one size: the first in the order of their names, so that a report is always the same."""


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call: its arguments as JSON text, and the class it was served as while it was recorded."""

    tool: str
    arguments: str
    served: str


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one agent asked. ``used`` are digests of request identities, sorted; ``left_out`` says why by request."""

    by: str
    calls: tuple[Call, ...]
    used: tuple[str, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Log:
    version: int
    contributions: tuple[Contribution, ...]


class LoggedToolset:
    """A toolset that remembers what it was asked."""

    def __init__(self, inner: Toolset) -> None:
        self._inner = inner
        self.calls: list[Call] = []

    def specs(self) -> Sequence[ToolSpec]:
        """The inner toolset's."""
        return self._inner.specs()

    def call(self, name: str, arguments: str) -> ToolReply:
        """Served by the inner toolset."""
        reply = self._inner.call(name, arguments)
        self.calls.append(Call(name, arguments, str(reply.served)))
        return reply


def read_pool(task_folder: Path) -> tuple[Contribution, ...]:
    """The contributions of a task, in the order in which they were made; none where it was never recorded.

    Raises ``BadInput`` for a file of another form.
    """
    path = task_folder / POOL
    try:
        log = build(_Log, strict_json(read_plain(path)), path)
    except FileNotFoundError:
        return ()
    except (ValueError, OSError, BadInput) as fault:
        what = fault.what if isinstance(fault, BadInput) else str(fault)
        raise BadInput(f"is no log of a pooled recording: {what:.200}", where=path) from None
    if log.version != _VERSION or not all(_NAME.fullmatch(one.by) for one in log.contributions):
        raise BadInput("is no log of a pooled recording: another version, or a name that is none", where=path)
    return log.contributions


def recorded_tasks(folder: WorldFolder) -> tuple[str, ...]:
    """The active tasks of a world that something was recorded for, in suite order."""
    places = ((task_id, folder.path / "tasks" / task_id) for task_id in folder.suite.active())
    return tuple(task_id for task_id, at in places if any((at / name).is_file() for name in (POOL, *TASK_CASSETTES)))


def pool_bytes(contributions: Sequence[Contribution]) -> bytes:
    """The log; a later contribution of the same name takes the place of an earlier one."""
    last = {one.by: one for one in contributions}
    return pretty_bytes(thawed(_Log(_VERSION, tuple(last.values()))))


@dataclass(frozen=True, slots=True)
class Depth:
    """``depth`` others pooled: over ``draws`` choices of them, so many ``calls`` of left-out agents, and misses."""

    task: str
    depth: int
    draws: int
    calls: int
    misses: int

    @property
    def rate(self) -> float:
        """Misses over calls; 0 where nothing was called."""
        return self.misses / self.calls if self.calls else 0.0


def pool_depths(folder: WorldFolder) -> Iterator[Depth]:
    """One line a task and depth, for every active task that at least two agents were recorded on, in suite order."""
    recorded: frozenset[bytes] | None = None
    for task_id in folder.suite.active():
        place = folder.path / "tasks" / task_id
        contributions = read_pool(place)
        agents = sorted((one for one in contributions if one.by not in (GOLD, REQUESTS)), key=lambda one: one.by)
        if len(agents) >= 2 and (place / "http.json").exists():
            gold = [one for one in contributions if one.by in (GOLD, REQUESTS)]
            if recorded is None:
                with FrozenWorld(folder) as world:
                    recorded = frozenset(world.recordings(None).questions())
            yield from _depths(folder, folder.task(task_id), recorded, gold, agents)


def totals(depths: Sequence[Depth]) -> list[Depth]:
    """Over all tasks, by depth; deeper ones are of fewer tasks where pools differ in size."""
    found = sorted({one.depth for one in depths})
    return [
        Depth(
            "all",
            depth,
            sum(one.draws for one in depths if one.depth == depth),
            sum(one.calls for one in depths if one.depth == depth),
            sum(one.misses for one in depths if one.depth == depth),
        )
        for depth in found
    ]


def _depths(
    folder: WorldFolder,
    task: Task,
    recorded: frozenset[bytes],
    gold: Sequence[Contribution],
    agents: Sequence[Contribution],
) -> Iterator[Depth]:
    own = {
        identity(item.method, item.uri, item.request_body)
        for item in Cassette.open(folder.path / "tasks" / task.id / "http.json").interactions
    }
    # Another task's file serves the same question, so it is not enough to hide what this task's own file holds.
    used = {used for one in (*gold, *agents) for used in one.used}
    pooled_keys = own | {key for key in recorded if digest_bytes(key) in used}
    for depth in range(len(agents)):
        draws = calls = misses = 0
        for left_out in agents:
            others = [one for one in agents if one is not left_out]
            for pooled in islice(combinations(others, depth), _MOST_SUBSETS):
                allowed = {used for one in (*gold, *pooled) for used in one.used}
                hidden = frozenset(key for key in pooled_keys if digest_bytes(key) not in allowed)
                draws += 1
                calls += len(left_out.calls)
                misses += _misses(folder, task, hidden, left_out)
        yield Depth(task.id, depth, draws, calls, misses)


def _misses(folder: WorldFolder, task: Task, hidden: frozenset[bytes], agent: Contribution) -> int:
    with _PartialWorld(folder, hidden) as world, WorldToolset(world.task(task)) as tools:
        return sum(tools.call(call.tool, call.arguments).served == Served.MISS for call in agent.calls)


class _PartialWorld(FrozenWorld):
    """A world without some of its exchanges."""

    def __init__(self, folder: WorldFolder, hidden: frozenset[bytes]) -> None:
        self._hidden = hidden
        super().__init__(folder)

    def recordings(self, task_id: str | None) -> Recordings:
        """What is not hidden."""
        whole = super().recordings(task_id)
        return Recordings.over(_Without(whole.store, self._hidden), whole.names, policies=self._modes)


@dataclass(frozen=True, slots=True)
class _Without:
    inner: AnswerStore
    hidden: frozenset[bytes]

    def answers(self, key: bytes) -> Answers | None:
        return None if key in self.hidden else self.inner.answers(key)

    def questions(self) -> Sequence[bytes]:
        return [key for key in self.inner.questions() if key not in self.hidden]
