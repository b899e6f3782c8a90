"""One task's chain recorded from any JSON-RPC node, and proven by replaying the task without it.

The task's gold tool-chain runs on a fork whose upstream asks the node (``live_chain``); every row it
touches is kept, with the ranges the task declares and what the next few blocks would need, so that
tests can write to a fork of it. Then the same chain of tools runs again on what was kept, and must be
served the same results. Only then is the snapshot put in its place.

What the node said is journaled as it comes, so a capture that was stopped goes on where it was. The
node's address is in no file, message or representation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from caia_replay.chain.chain_source import ChainSource, rule_changes
from caia_replay.chain.claim import Claims, spans_of
from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotInfo, SnapshotRows, read_snapshot, write_snapshot
from caia_replay.core.task import Task
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.recording.capture import capture_archive
from caia_replay.recording.capture_range import keep_ranges, ranges_are_kept
from caia_replay.recording.capture_request import CaptureRequest, anchor_hash, check_world, checked_chain_id
from caia_replay.recording.live_chain import LiveChain
from caia_replay.recording.live_web import LiveWeb
from caia_replay.recording.origin_node import OriginAway, OriginNode, OriginRefusal
from caia_replay.recording.reply_journal import JournaledNode
from caia_replay.recording.snapshot_merge import count_rows, merge
from caia_replay.recording.snapshot_swap import held, staging, swap_in, tell_changes
from caia_replay.store.world_folder import WorldFolder, open_draft, worlds_on
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import GoldRun, run_gold
from caia_replay.world.world import FrozenWorld

_NEXT_BLOCKS: Final = 8
"""How many blocks a fork of a captured anchor can mine; each asks for slots of its own from Prague on."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """A task and the world it is of."""

    folder: WorldFolder
    task: Task


@dataclass(frozen=True, slots=True)
class Captured:
    """What was read, not yet written; ``runs`` are the gold chains of the tasks it is for, on the living chain."""

    info: SnapshotInfo
    rows: SnapshotRows
    runs: Sequence[GoldRun] = ()


def record_chain(capture: CaptureRequest, say: Say, web: LiveWeb | None = None) -> str:
    """Record the chain of one task, and with ``web`` what it is told there; what its gold chain gives on it then.

    ``say`` gets each line for people. With ``refresh`` the whole snapshot is read again, for every active task that it
    serves, of any world beside this one, and what differs is told before it is replaced. Raises ``BadInput`` for a node
    that is away, refuses or serves another chain, ``Interrupted`` when it limits us for too long, ``CheckFailed`` when
    a tool-chain is not served or the replay differs; then nothing is replaced.
    """
    with OriginNode(capture.rpc_url) as node, held(capture.place, capture.lock):
        base = Snapshot.open(capture.place) if capture.place.exists() else None
        chain_id = checked_chain_id(capture, node, base)
        check_world(capture)
        asked = Asked(capture.folder, capture.task)
        if base is not None and not capture.refresh:
            answer = None if web is not None and web.is_wider else _recorded_answer(asked, base)
            if answer is not None:
                say(f"{capture.chain}: everything {capture.task.id} asks is recorded already; nothing was asked for")
                return answer
        served = [asked, *_served(capture, base)] if capture.refresh and base is not None else [asked]
        if base is not None and capture.refresh and _is_archive(base):
            return _refresh_archive(capture, base, served, say)
        anchors = {str(other.task.anchor.block): anchor_hash(node, other.task) for other in served}
        mode = "refresh" if capture.refresh else "record"
        with JournaledNode(node, capture.journal, f"{mode} {capture.chain} {chain_id} {anchors}") as kept:
            if kept.resumed:
                say(f"{capture.chain}: going on with {kept.resumed} answers kept from before in {capture.journal}")
            try:
                captured = _capture(capture, kept, chain_id, None if capture.refresh else base, served, web)
                if anchors != {str(other.task.anchor.block): anchor_hash(node, other.task) for other in served}:
                    raise CheckFailed("the origin's blocks changed while they were read; next: the same command again")
                if web is not None:
                    web.settle()
                answer = _put(capture, captured, base, served, say)
            except (OriginAway, OriginRefusal):
                raise  # what it answered before stays true
            except (BadInput, CheckFailed):
                kept.discard()
                raise
            say(f"{capture.chain}: {kept.asked} questions asked, {kept.resumed} answered from the journal")
            kept.discard()
    return answer


def _served(capture: CaptureRequest, base: Snapshot) -> list[Asked]:
    """Every other active task, of this world and of those beside it, that the present snapshot serves."""
    found = []
    for path in worlds_on(capture.folder.snapshots, capture.chain):
        folder = open_draft(path)
        for task in map(folder.task, folder.suite.active()):
            here = (path.resolve(), task.id) == (capture.folder.path.resolve(), capture.task.id)
            if not here and task.anchor.chain == capture.chain:
                other = Asked(folder, task)
                found += [other] if _recorded_answer(other, base) is not None else []
    return found


def _recorded_answer(asked: Asked, base: Snapshot) -> str | None:
    """What the task's gold chain gives on ``base``; None when it lacks anything that the task needs or declares."""
    try:
        run = gold_run(asked, {base.name: base})
    except BadInput:
        return None  # its height cannot be pinned yet
    return run.answer if ranges_are_kept(asked.task, base) else None


def _is_archive(base: Snapshot) -> bool:
    """Whether ``base`` holds its chain whole from the first block on, as ``capture_archive`` makes it."""
    last = base.heights[-1][1]
    whole = all(base.claims.covers(name, 0, last) for name in ("blocks", "transactions", "receipts", "logs"))
    return whole and base.heights == ((0, last),) and list(base.hardforks) == [0]


def _capture(
    capture: CaptureRequest,
    node: JournaledNode,
    chain_id: int,
    base: Snapshot | None,
    served: Sequence[Asked],
    web: LiveWeb | None,
) -> Captured:
    live = LiveChain(
        node,
        name=capture.chain,
        chain_id=chain_id,
        anchor=max(asked.task.anchor.block for asked in served),
        hardfork=capture.hardfork,
        base=base,
    )
    if base is not None:
        live.fetch_header(base.heights[-1][1])  # raises when it is another history
    runs = []
    for asked in served:
        live.fetch_header(asked.task.anchor.block)
        keep_ranges(asked.task, live)
        own = web if asked.task is capture.task else None
        run = gold_run(asked, {live.name: live}) if own is None else own.run({live.name: live})
        if live.fault is not None:
            raise live.fault
        if run.answer is None and (own is None or asked.task.gold.result):
            raise _not_served(capture, asked, run)
        runs.append(run)
    anchors = {asked.task.anchor.block for asked in served}
    _keep_next_blocks(live, anchors)
    pinned = live.kept.state_heights | anchors
    rules = {height: live.hardfork(height) for height in sorted(pinned) if live.header(height)}
    info = SnapshotInfo(
        chain=capture.chain,
        chain_id=chain_id,
        hardforks=rule_changes(rules),
        heights=spans_of(pinned),
        provenance=capture.origin,
        source="rows that tool-chains touched, read from a JSON-RPC node through a fork",
        claims=Claims.of(live.kept.claims),
    )
    return Captured(info, live.kept.rows(), runs)


def _keep_next_blocks(live: LiveChain, anchors: set[int]) -> None:
    """What a fork of each anchor asks for when it mines, and the caller of calls that name none."""
    with ForkPool({live.name: live}) as pool:
        for block in sorted(anchors):
            live.caller(block)
            with pool.lease(live.name, block, writes=True) as fork:
                for _ in range(_NEXT_BLOCKS):
                    fork.operate("evm_mine")
    if live.fault is not None:
        raise live.fault


def _not_served(capture: CaptureRequest, asked: Asked, run: GoldRun) -> CheckFailed:
    if asked.task is capture.task:
        return CheckFailed(f"task {asked.task.id} cannot be recorded: its {run.fault}; nothing was changed")
    return CheckFailed(
        f"task {asked.task.id} of {asked.folder.info.id} is served by the present snapshot and would not be by the new "
        f"one: {run.fault}; nothing was changed; next: retire that task in its suite.toml, or give --rpc-url a node "
        "that serves it"
    )


def _refresh_archive(capture: CaptureRequest, base: Snapshot, served: Sequence[Asked], say: Say) -> str:
    """A snapshot that holds its chain from the first block on is read again in the same way, whole."""
    with staging(capture.place) as staged:
        capture_archive(
            capture.rpc_url,
            staged,
            chain=capture.chain,
            hardfork=capture.hardfork or base.hardfork(0),
            provenance=capture.origin,
            source=base.source,
            to_block=base.heights[-1][1],
            claim_state=any(claim.table in ("accounts", "storage") for claim in base.claims),
        )
        info, rows = read_snapshot(staged)
    return _put(capture, Captured(info, rows), base, served, say)


def _put(capture: CaptureRequest, captured: Captured, base: Snapshot | None, served: Sequence[Asked], say: Say) -> str:
    """Write, prove offline, tell what changes, and only then replace."""
    info, rows = captured.info, captured.rows
    old = None if base is None else read_snapshot(capture.place)
    if old is not None and not capture.refresh:
        info, rows = merge(old, (info, rows))
    answer = ""
    with staging(capture.place) as staged:
        write_snapshot(staged, info, rows)
        proven = Snapshot.open(staged)
        for at, asked in enumerate(served):
            again = gold_run(asked, {proven.name: proven})
            if captured.runs:
                prove(asked.task, captured.runs[at], again)
            elif again.answer is None:
                raise _not_served(capture, asked, again)
            say(f"{asked.task.id}: {again.answer or 'what its calls brought'}, replayed offline")
            answer = again.answer or "" if asked.task is capture.task else answer
        if old is not None:
            tell_changes(old[1], rows, say)
        written = swap_in(staged, capture.place)
    counted = ", ".join(f"{number} {name}" for name, number in count_rows(rows).items() if number)
    say(f"{capture.place}: {counted if written else 'unchanged'}")
    return answer


def gold_run(asked: Asked, chains: Mapping[str, ChainSource]) -> GoldRun:
    """The task's gold chain, played over ``chains`` and what its world has of the web."""
    with FrozenWorld(asked.folder, chains) as world, WorldToolset(world.task(asked.task)) as tools:
        return run_gold(asked.task.gold, tools)


def prove(task: Task, recorded: GoldRun, again: GoldRun, after: str = "") -> None:
    """Raise ``CheckFailed`` unless a replay gave what was recorded; ``after`` ends the message. What came to no answer
    while it was recorded proves nothing."""
    if recorded.answer is not None and (again.answer, again.replies) != (recorded.answer, recorded.replies):
        value = again.fault if again.answer is None else again.answer
        raise CheckFailed(f"task {task.id} was recorded as {recorded.answer} and replays as {value}{after}")
