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
from types import MappingProxyType
from typing import Any, Final

from caia_replay.canonical import digest_bytes, pretty_bytes, strict_json
from caia_replay.core.tool import ToolReply, Toolset, ToolSpec
from caia_replay.errors import BadInput
from caia_replay.store.plain_file import read_plain
from caia_replay.store.seal import write_atomic
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


def exchange_digest(key: bytes) -> str:
    """What stands for a request's identity."""
    return digest_bytes(key)


def read_pool(task_folder: Path) -> tuple[Contribution, ...]:
    """The contributions of a task, in the order in which they were made; none where it was never recorded.

    Raises ``BadInput`` for a file of another form.
    """
    path = task_folder / POOL
    try:
        content = strict_json(read_plain(path))
        if content["version"] != _VERSION:
            raise ValueError(f"version {content['version']!r:.20}")
        return tuple(_contribution(item) for item in content["contributions"])
    except FileNotFoundError:
        return ()
    except (ValueError, KeyError, TypeError, OSError) as fault:
        raise BadInput(f"is no log of a pooled recording: {fault!s:.200}", where=path) from None


def recorded_tasks(folder: WorldFolder) -> tuple[str, ...]:
    """The active tasks of a world that something was recorded for, in suite order."""
    places = ((task_id, folder.path / "tasks" / task_id) for task_id in folder.suite.active())
    return tuple(task_id for task_id, at in places if any((at / name).is_file() for name in (POOL, *TASK_CASSETTES)))


def write_pool(task_folder: Path, contributions: Sequence[Contribution]) -> None:
    """Write ``pool_bytes``."""
    write_atomic(task_folder / POOL, pool_bytes(contributions))


def pool_bytes(contributions: Sequence[Contribution]) -> bytes:
    """The log; a later contribution of the same name takes the place of an earlier one."""
    last = {one.by: one for one in contributions}
    items = [
        {
            "by": one.by,
            "calls": [{"tool": call.tool, "arguments": call.arguments, "served": call.served} for call in one.calls],
            "used": list(one.used),
            "left_out": dict(sorted(one.left_out.items())),
        }
        for one in last.values()
    ]
    return pretty_bytes({"version": _VERSION, "contributions": items})


def _contribution(item: Any) -> Contribution:
    by, used, left_out = item["by"], item["used"], item["left_out"]
    if not (isinstance(by, str) and _NAME.fullmatch(by) and all(isinstance(one, str) for one in used)):
        raise ValueError("a name or a digest that is none")
    calls = tuple(Call(str(one["tool"]), str(one["arguments"]), str(one["served"])) for one in item["calls"])
    if not all(isinstance(pair, str) for each in left_out.items() for pair in each):
        raise ValueError("what was left out is no text")
    return Contribution(by, calls, tuple(used), MappingProxyType(dict(left_out)))
