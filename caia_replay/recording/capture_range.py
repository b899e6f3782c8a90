"""The whole-range tables that a task declares, asked of a node in pieces that any node will answer."""

from __future__ import annotations

from typing import Final

from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.claim import Claim
from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.recorded_call import recorded_call
from caia_replay.chain.snapshot import Snapshot
from caia_replay.core.task import CaptureRange, Task
from caia_replay.errors import BadInput, Miss, ToolError
from caia_replay.recording.live_chain import LiveChain

_LOG_BLOCKS: Final = 2_000
"""Blocks in one eth_getLogs; a piece that is still too much for the node is halved."""

_TRACER: Final = {"tracer": "callTracer"}


def keep_ranges(task: Task, chain: LiveChain) -> None:
    """Read every range that ``task`` declares and claim it. Raises ``BadInput`` for one that cannot be,
    and what the node failed with."""
    for wanted in task.capture:
        claim = claim_of(task, wanted)
        try:
            _read(wanted.table, claim, chain)
        except Miss as miss:
            raise chain.fault or BadInput(f"{wanted.table} cannot be kept: {miss}", where=f"task {task.id}") from miss
        if wanted.table != "traces":
            chain.kept.claims.append(claim)


def ranges_are_kept(task: Task, snapshot: Snapshot) -> bool:
    """Whether ``snapshot`` holds every range that ``task`` declares."""
    for wanted in task.capture:
        claim = claim_of(task, wanted)
        if not snapshot.claims.covers(claim.table, claim.first, claim.last, claim.addresses, claim.topics):
            return False
        try:
            if wanted.table == "traces":
                _read_traces(claim, snapshot)
        except Miss:
            return False
    return True


def claim_of(task: Task, wanted: CaptureRange) -> Claim:
    """A declared range as the claim it becomes; traces rest on one about their transactions.

    Raises ``BadInput`` when it ends past the anchor, or cannot be.
    """
    where = f"task {task.id}, capture of {wanted.table}"
    if wanted.to_block > task.anchor.block:
        raise BadInput(f"ends at block {wanted.to_block}, after the anchor {task.anchor.block}", where=where)
    try:
        narrowed = LogFilter.from_rpc(list(wanted.addresses), [list(topic) for topic in wanted.topics])
        table = "transactions" if wanted.table == "traces" else wanted.table
        return Claim(table, wanted.from_block, wanted.to_block, narrowed.addresses, narrowed.topics)
    except (BadInput, ToolError) as fault:
        raise BadInput(str(fault), where=where) from fault


def _read(table: str, claim: Claim, chain: LiveChain) -> None:
    if table == "logs":
        wanted = LogFilter(claim.addresses, claim.topics)
        for first in range(claim.first, claim.last + 1, _LOG_BLOCKS):
            chain.logs(first, min(first + _LOG_BLOCKS - 1, claim.last), wanted)
        return
    if table == "traces":
        _read_traces(claim, chain)
        chain.kept.claims.append(claim)
        return
    for number in range(claim.first, claim.last + 1):
        if table == "blocks":
            chain.header(number)
        elif table == "transactions":
            chain.transactions(number)
        else:
            chain.receipts(number)


def _read_traces(claim: Claim, chain: ChainSource) -> None:
    """The call trace of every transaction in the range. Raises ``Miss`` for the first that is not there."""
    for number in range(claim.first, claim.last + 1):
        for transaction in chain.transactions(number):
            asked = recorded_call("debug_traceTransaction", [transaction["hash"], _TRACER], number)
            chain.reply(asked.method, asked.text, number)
