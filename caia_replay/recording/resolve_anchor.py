"""The height and the moment of a task whose question names only one of them, or a transaction: asked from a node."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from caia_replay.chain import rpc_value
from caia_replay.core.task import NO_BLOCK, Anchor, Task
from caia_replay.errors import BadInput
from caia_replay.recording.origin_node import OriginNode

_TRANSACTION: Final = re.compile(r"(?<![0-9A-Za-z])0x[0-9a-fA-F]{64}(?![0-9A-Za-z])")


def is_resolved(task: Task) -> bool:
    """Whether a task stands at a moment; its height may still be ``NO_BLOCK``."""
    return task.anchor.timestamp >= 0


def resolve_anchor(task: Task, node: OriginNode) -> Task:
    """The task with its height and moment, both as ``node`` has them, and without the tags that say they are not.

    A moment's height is the newest block that is not after it, and the moment stays the question's: a day is over at
    midnight, and its last block is older. A named block's or transaction's moment is the block's own. Raises
    ``BadInput`` when the node has not reached the moment, has no such block, or no such transaction.
    """
    anchor = task.anchor
    if anchor.block >= 0 and anchor.timestamp >= 0:
        return task
    if anchor.block >= 0:
        found = replace(anchor, timestamp=_time(node, task, anchor.block))
    elif anchor.timestamp >= 0:
        found = replace(anchor, block=_newest(node, task, anchor.timestamp))
    else:
        block = _block_of(node, task)
        found = Anchor(anchor.chain, block, _time(node, task, block))
    return replace(task, anchor=found, tags=tuple(tag for tag in task.tags if not tag.startswith("unresolved:")))


def require_moment(task: Task) -> None:
    """Raise ``BadInput`` unless the task stands at a moment."""
    if not is_resolved(task):
        what = "block" if task.anchor.block != NO_BLOCK else "transaction"
        raise BadInput(
            f"task {task.id} names a {what} of {task.anchor.chain} and no moment",
            next_command="add --rpc-url URL of a node of that chain, or put the anchor's timestamp in task.toml",
        )


def _newest(node: OriginNode, task: Task, moment: int) -> int:
    """The newest block at ``moment``, by bisection: about 25 questions for a chain of twenty million blocks."""
    low, high = 0, rpc_value.quantity({"number": node.ask("eth_blockNumber")}, "number", "origin node")
    if _time(node, task, high) < moment:
        raise BadInput(
            f"the newest block of the origin node, {high}, is older than the moment of task {task.id}",
            next_command="give --rpc-url a node that has reached it",
        )
    if _time(node, task, low) > moment:
        raise BadInput(f"{task.anchor.chain} had no block yet at the moment of task {task.id}")
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _time(node, task, middle) <= moment else (low, middle - 1)
    return low


def _block_of(node: OriginNode, task: Task) -> int:
    found = _TRANSACTION.search(task.question)
    if found is None:
        raise BadInput(f"the question of task {task.id} names no block, moment or transaction of an EVM chain")
    text = node.ask("eth_getTransactionByHash", found[0].lower())
    if not isinstance(text, dict) or text.get("blockNumber") is None:
        raise BadInput(f"the origin node has no transaction {found[0]}", where=f"task {task.id}")
    return rpc_value.quantity(text, "blockNumber", f"transaction {found[0]}")


def _time(node: OriginNode, task: Task, block: int) -> int:
    header: Any = node.ask("eth_getBlockByNumber", hex(block), False)
    if not isinstance(header, dict):
        raise BadInput(f"the origin node has no block {block} of {task.anchor.chain}", where=f"task {task.id}")
    return rpc_value.quantity(header, "timestamp", f"block {block}")
