"""What is to be recorded of a task, and what its node says before: whose node it is, whose rows, and which moment the
question means where it names only a block or a transaction.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from caia_replay.chain import rpc_value
from caia_replay.chain.snapshot import Snapshot
from caia_replay.core.task import NO_BLOCK, Anchor, Task
from caia_replay.errors import BadInput
from caia_replay.recording.origin_node import OriginNode
from caia_replay.store.world_folder import WorldFolder

NO_FORK: Final = frozenset({"solana", "hyperliquid", "bitcoin", "tron"})
"""Chains that no EVM node tells of; Hyperliquid for its order books, which no EVM holds."""

CHAIN_IDS: Final[Mapping[str, int]] = {
    "ethereum": 1, "mainnet": 1, "optimism": 10, "bsc": 56, "gnosis": 100, "polygon": 137, "base": 8453,
    "arbitrum": 42161, "avalanche": 43114, "linea": 59144, "scroll": 534352, "celo": 42220, "gravity": 1625,
    "hemi": 43111, "cyber": 7560, "sepolia": 11155111,
}  # fmt: skip
"""Chain ids of well-known names (chainlist), so that a first recording cannot be of another chain."""
_TRANSACTION: Final = re.compile(r"(?<![0-9A-Za-z])0x[0-9a-fA-F]{64}(?![0-9A-Za-z])")


@dataclass(frozen=True, slots=True)
class CaptureRequest:
    """What is to be recorded: a task's chain, how, and from what kind of origin.

    ``rpc_url`` is shown in no representation. ``hardfork`` is for chains whose headers do not tell it.
    """

    folder: WorldFolder
    task: Task
    origin: Literal["live", "synthetic"]
    rpc_url: str = field(repr=False)
    hardfork: str | None = None
    refresh: bool = False

    @property
    def chain(self) -> str:
        """The chain the task is anchored on."""
        return self.task.anchor.chain

    @property
    def place(self) -> Path:
        """The snapshot folder."""
        return self.folder.snapshots / self.chain

    @property
    def lock(self) -> Path:
        """What is locked while anything is recorded into the snapshot."""
        return self.folder.snapshots.parent / ".cache" / "record" / f"{self.chain}.lock"

    @property
    def journal(self) -> Path:
        """Where answers are kept until the snapshot is written: beside cassettes/, never in a world."""
        name = f"{self.folder.info.id}__{self.chain}__{self.task.id}.jsonl"
        return self.folder.snapshots.parent / ".cache" / "record" / name


def check_world(capture: CaptureRequest) -> None:
    """Raise ``BadInput`` unless the world knows the chain and takes rows of this kind of origin."""
    where = capture.folder.path / "world.toml"
    if capture.rpc_url and capture.chain not in capture.folder.info.chains:
        raise BadInput(f"names no chain {capture.chain!r}", where=where, next_command="add it to chains in world.toml")
    synthetic = capture.folder.info.provenance == "synthetic"
    if synthetic != (capture.origin == "synthetic"):
        raise BadInput(
            f"the world is {capture.folder.info.provenance}: "
            f"a recording from --origin {capture.origin} cannot go into it",
            where=where,
            nearest=f"--origin {'synthetic' if synthetic else 'live'}",
        )


def checked_chain_id(capture: CaptureRequest, node: OriginNode, base: Snapshot | None) -> int:
    """The chain id the node serves. Raises ``BadInput`` when it is not that of the snapshot, or of the chain's name."""
    value = rpc_value.quantity({"chainId": node.ask("eth_chainId")}, "chainId", "origin node")
    wanted = base.chain_id if base is not None else CHAIN_IDS.get(capture.chain, value)
    if value != wanted:
        raise BadInput(
            f"the origin node serves chain id {value}, and chain {capture.chain} has chain id {wanted}",
            where=f"task {capture.task.id}",
            next_command="give --rpc-url a node of that chain",
        )
    return value


def _next_moment(node: OriginNode, task: Task) -> float:
    """When the block after the anchor's was made; without end while there is none."""
    anchor = task.anchor
    later = node.ask("eth_getBlockByNumber", hex(anchor.block + 1), False)
    if later is None:
        return float("inf")
    where = f"task {task.id}"
    return rpc_value.quantity(rpc_value.mapping(later, "the block", where), "timestamp", where)


def anchor_hash(node: OriginNode, task: Task) -> str:
    """The hash of the task's anchor block as the node has it now. Raises ``BadInput`` when it has no such
    block, or when the anchor's moment is neither its time nor one before the next block's."""
    where = f"task {task.id}"
    header = node.ask("eth_getBlockByNumber", hex(task.anchor.block), False)
    if header is None:
        raise BadInput(
            f"block {task.anchor.block} is not on the origin node's {task.anchor.chain}",
            where=where,
            next_command="give --rpc-url a node that has it, or put the anchor in task.toml right",
        )
    moment = rpc_value.quantity(rpc_value.mapping(header, "the block", where), "timestamp", where)
    asked = task.anchor.timestamp
    if moment != asked and not moment < asked < _next_moment(node, task):
        raise BadInput(
            f"the anchor's timestamp is {task.anchor.timestamp}, and block {task.anchor.block} of the origin node has "
            f"{moment}, or is not the newest by then",
            where=where,
            next_command="put the anchor in task.toml right, or give --rpc-url a node of that chain",
        )
    return str(header.get("hash"))


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
