"""A task's moment and height, looked up on a living chain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from caia_replay.core.task import NO_BLOCK, Anchor, Task
from caia_replay.errors import BadInput
from caia_replay.recording.origin_node import OriginNode
from caia_replay.recording.resolve_anchor import is_resolved, require_moment, resolve_anchor


@pytest.fixture(scope="module")
def origin(anvil_binary: Path, living_origin: ModuleType) -> Iterator[Any]:
    with living_origin.living(anvil_binary) as found:
        yield found


@pytest.fixture
def node(origin: Any) -> Iterator[OriginNode]:
    with OriginNode(f"http://127.0.0.1:{origin.port}") as found:
        yield found


def asked(living_origin: ModuleType, origin: Any, block: int, timestamp: int, question: str = "?") -> Task:
    task: Task = living_origin.tasks_on(origin)[0]
    tags = ("unresolved:block", "unresolved:timestamp", "kept")
    return replace(task, question=question, anchor=Anchor(living_origin.CHAIN, block, timestamp), tags=tags)


def test_a_moments_height_is_the_newest_block_by_then(node: OriginNode, origin: Any, living_origin: ModuleType) -> None:
    """Law: for every second of the chain, block n holds from its own second to the one before block n + 1."""
    times = [origin.time(number) for number in range(living_origin.LAST + 1)]
    for number, at in enumerate(times):
        for moment in {at, times[number + 1] - 1 if number < living_origin.LAST else at}:
            found = resolve_anchor(asked(living_origin, origin, NO_BLOCK, moment), node)
            assert (found.anchor.block, found.anchor.timestamp) == (number, moment)
            assert found.tags == ("kept",)


def test_a_named_block_gets_its_own_second(node: OriginNode, origin: Any, living_origin: ModuleType) -> None:
    """And a task that has both is left as it is."""
    found = resolve_anchor(asked(living_origin, origin, 5, -1), node)
    assert found.anchor == Anchor(living_origin.CHAIN, 5, origin.time(5))
    assert resolve_anchor(found, node) is found


def test_a_transaction_is_asked_at_its_block(node: OriginNode, origin: Any, living_origin: ModuleType) -> None:
    """In whatever letters its hash is written."""
    question = f"Who sent 0x{origin.hashes[5][2:].upper()}, and when?"
    assert resolve_anchor(asked(living_origin, origin, -1, -1, question), node).anchor.block == 6


@pytest.mark.parametrize(
    ("block", "timestamp", "question", "told"),
    [
        (NO_BLOCK, 4_000_000_000, "?", "older than the moment"),
        (NO_BLOCK, 1_000_000_000, "?", "no block yet"),
        (99, -1, "?", "has no block 99"),
        (-1, -1, "Who sent it?", "names no block"),
        (-1, -1, f"Who sent 0x{'ab' * 32}?", "has no transaction"),
    ],
)
def test_what_the_node_does_not_have_is_one_line(
    node: OriginNode, origin: Any, living_origin: ModuleType, block: int, timestamp: int, question: str, told: str
) -> None:
    """Nothing is assumed in its place."""
    with pytest.raises(BadInput, match=told):
        resolve_anchor(asked(living_origin, origin, block, timestamp, question), node)


def test_without_a_node_a_task_needs_its_moment(origin: Any, living_origin: ModuleType) -> None:
    """A moment alone is enough: then the task has no height."""
    require_moment(asked(living_origin, origin, NO_BLOCK, 1_748_800_000))
    unknown = asked(living_origin, origin, 7, -1)
    assert not is_resolved(unknown)
    with pytest.raises(BadInput, match="--rpc-url"):
        require_moment(unknown)
