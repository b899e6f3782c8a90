"""Who asked what while a task was recorded: tasks/<id>/pool.json, beside the recordings that came of it.

An agent asks what no gold chain does. Several agents' questions are pooled: what any of them was answered stays. The
log says for each its calls, how they were served, and which recorded exchanges its answers may rest on, so that it can
be told how well the others' recordings would have served it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from caia_replay.canonical import pretty_bytes, strict_json
from caia_replay.core.tool import ToolReply, Toolset, ToolSpec
from caia_replay.errors import BadInput
from caia_replay.store.plain import build, thawed
from caia_replay.store.plain_file import read_plain
from caia_replay.store.world_folder import TASK_CASSETTES, WorldFolder

POOL: Final = "pool.json"
GOLD: Final = "gold"
REQUESTS: Final = "requests"
"""Who in the pool is no agent: the gold chain, and what is recorded beside what tools ask."""
_VERSION: Final = 1
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._/+#:-]{0,119}")


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
