"""The whole-range tables that a task declares, asked of a node in pieces that any node will answer."""

from __future__ import annotations

from typing import Final

from caia_replay.chain.claim import Claim
from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.snapshot import Snapshot
from caia_replay.core.task import CaptureRange, Task
from caia_replay.errors import BadInput, Miss, ToolError
from caia_replay.recording.live_chain import LiveChain

_LOG_BLOCKS: Final = 2_000
"""Blocks in one eth_getLogs; a piece that is still too much for the node is halved."""


def keep_ranges(task: Task, chain: LiveChain) -> None:
    """Read every range that ``task`` declares and claim it. Raises ``BadInput`` for one that cannot be,
    and what the node failed with."""
    for wanted in task.capture:
        claim = claim_of(task, wanted)
        try:
            _read(wanted.table, claim, chain)
        except Miss as miss:
            raise chain.fault or BadInput(f"{wanted.table} cannot be kept: {miss}", where=f"task {task.id}") from miss
        chain.kept.claims.append(claim)


def ranges_are_kept(task: Task, snapshot: Snapshot) -> bool:
    """Whether ``snapshot`` claims every range that ``task`` declares."""
    claims = [claim_of(task, wanted) for wanted in task.capture]
    return all(
        snapshot.claims.covers(claim.table, claim.first, claim.last, claim.addresses, claim.topics) for claim in claims
    )


def claim_of(task: Task, wanted: CaptureRange) -> Claim:
    """A declared range as the claim it becomes. Raises ``BadInput`` when it ends past the anchor, or cannot be."""
    where = f"task {task.id}, capture of {wanted.table}"
    if wanted.to_block > task.anchor.block:
        raise BadInput(f"ends at block {wanted.to_block}, after the anchor {task.anchor.block}", where=where)
    try:
        narrowed = LogFilter.from_rpc(list(wanted.addresses), [list(topic) for topic in wanted.topics])
        return Claim(wanted.table, wanted.from_block, wanted.to_block, narrowed.addresses, narrowed.topics)
    except (BadInput, ToolError) as fault:
        raise BadInput(str(fault), where=where) from fault


def _read(table: str, claim: Claim, chain: LiveChain) -> None:
    if table == "logs":
        wanted = LogFilter(claim.addresses, claim.topics)
        for first in range(claim.first, claim.last + 1, _LOG_BLOCKS):
            chain.logs(first, min(first + _LOG_BLOCKS - 1, claim.last), wanted)
        return
    for number in range(claim.first, claim.last + 1):
        if table == "blocks":
            chain.header(number)
        elif table == "transactions":
            chain.transactions(number)
        else:
            chain.receipts(number)
