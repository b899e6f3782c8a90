"""One task's chain recorded from any JSON-RPC node, and proven by replaying the task without it.

The task's gold tool-chain runs on a fork whose upstream asks the node (``live_chain``); every row it
touches is kept, with the ranges the task declares. Then the same chain of tools runs again on what
was kept, and must be served the same results. Only then is the snapshot put in its place.

What the node said is journaled as it comes, so a capture that was stopped goes on where it was. The
node's address is in no file, message or representation.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from caia_replay.chain import rpc_value
from caia_replay.chain.chain_source import ChainSource, rule_changes
from caia_replay.chain.claim import Claims, spans_of
from caia_replay.chain.manifest import MANIFEST_NAME
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotInfo, SnapshotRows, read_snapshot, write_snapshot
from caia_replay.core.task import Task
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.recording.capture import capture_archive
from caia_replay.recording.capture_range import keep_ranges, ranges_are_kept
from caia_replay.recording.live_chain import LiveChain
from caia_replay.recording.origin_node import OriginNode
from caia_replay.recording.reply_journal import JournaledNode
from caia_replay.recording.snapshot_merge import count_rows, differences, merge_info, merge_rows
from caia_replay.store.world_folder import WorldFolder
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import GoldRun, run_gold
from caia_replay.world.world import FrozenWorld

_MOST_SHOWN: Final = 40
"""Differences that are told one by one; the rest is counted."""

_CHAIN_IDS: Final[Mapping[str, int]] = {
    "ethereum": 1, "mainnet": 1, "optimism": 10, "bsc": 56, "gnosis": 100, "polygon": 137, "base": 8453,
    "arbitrum": 42161, "avalanche": 43114, "linea": 59144, "scroll": 534352, "sepolia": 11155111,
}  # fmt: skip
"""Chain ids of well-known names (chainlist), so that a first recording cannot be of another chain."""

Origin = Literal["live", "synthetic"]
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be recorded: a task's chain, how, and from what kind of origin.

    ``rpc_url`` is shown in no representation. ``hardfork`` is for chains whose headers do not tell it.
    """

    folder: WorldFolder
    task: Task
    origin: Origin
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
    def journal(self) -> Path:
        """Where answers are kept until the snapshot is written: beside cassettes/, never in a world."""
        root = self.folder.snapshots.parent
        return root / ".cache" / "record" / f"{self.folder.info.id}__{self.chain}__{self.task.id}.jsonl"


def record_chain(wish: Wish, say: Say) -> bool:
    """Record the chain of one task; returns whether its snapshot was written. ``say`` gets each line for people.

    With ``refresh`` the whole snapshot is read again, for every active task of the world on that chain,
    and what differs is told before it is replaced. Raises ``BadInput`` for a node that is away, refuses
    or serves another chain, ``Interrupted`` when it limits us for too long, ``CheckFailed`` when the
    tool-chain is not served or the replay of what was kept differs.
    """
    if wish.chain not in wish.folder.info.chains:
        raise BadInput(f"world.toml names no chain {wish.chain!r}", where=wish.folder.path / "world.toml")
    base = Snapshot.open(wish.place) if wish.place.exists() else None
    with OriginNode(wish.rpc_url) as node:
        chain_id = _checked_chain_id(wish, node, base)
        _check_provenance(wish)
        tasks = _tasks(wish, base)
        if base is not None and not wish.refresh and _is_recorded(wish, wish.task, base):
            say(f"{wish.chain}: everything {wish.task.id} asks is recorded already; nothing was asked for")
            return False
        if base is not None and wish.refresh and base.claims.covers("blocks", 0, base.heights[-1][1]):
            return _refresh_archive(wish, base, tasks, say)
        with JournaledNode(node, wish.journal, f"{wish.chain} {chain_id} for {wish.task.id}") as journal:
            if journal.resumed:
                say(f"{wish.chain}: going on with {journal.resumed} answers kept from before")
            info, rows, runs = _capture(wish, journal, chain_id, None if wish.refresh else base, tasks, say)
            old = None if base is None else read_snapshot(wish.place)
            if old is not None and not wish.refresh:
                info, rows = merge_info(old[0], info), merge_rows(old[1], rows)
            written = _put(wish, info, rows, old[1] if old else None, runs, say)
            say(f"{wish.chain}: {journal.asked} questions asked, {journal.resumed} answered from the journal")
            journal.discard()
    return written


def _checked_chain_id(wish: Wish, node: OriginNode, base: Snapshot | None) -> int:
    told = rpc_value.quantity({"chainId": node.ask("eth_chainId")}, "chainId", "origin node")
    wanted = base.chain_id if base is not None else _CHAIN_IDS.get(wish.chain, told)
    if told != wanted:
        raise BadInput(
            f"the origin node serves chain id {told}, and chain {wish.chain} has chain id {wanted}",
            where=f"task {wish.task.id}",
            next_command="give --rpc-url a node of that chain",
        )
    return told


def _check_provenance(wish: Wish) -> None:
    synthetic = wish.folder.info.provenance == "synthetic"
    if synthetic != (wish.origin == "synthetic"):
        raise BadInput(
            f"the world is {wish.folder.info.provenance}: a recording from --origin {wish.origin} cannot go into it",
            where=wish.folder.path / "world.toml",
            nearest=f"--origin {'synthetic' if synthetic else 'live'}",
        )


def _tasks(wish: Wish, base: Snapshot | None) -> list[Task]:
    """The task alone, or with ``refresh`` also those that the present snapshot serves: it is replaced as a whole."""
    if not wish.refresh or base is None:
        return [wish.task]
    others = [wish.folder.task(task_id) for task_id in wish.folder.suite.active() if task_id != wish.task.id]
    return [wish.task, *(task for task in others if task.anchor.chain == wish.chain and _is_recorded(wish, task, base))]


def _is_recorded(wish: Wish, task: Task, base: Snapshot) -> bool:
    try:
        run = _gold(wish.folder, {wish.chain: base}, task)
    except BadInput:
        return False  # its height cannot be pinned yet
    return run.answer is not None and ranges_are_kept(task, base)


def _capture(
    wish: Wish, node: JournaledNode, chain_id: int, base: Snapshot | None, tasks: list[Task], say: Say
) -> tuple[SnapshotInfo, SnapshotRows, list[tuple[Task, GoldRun]]]:
    live = LiveChain(
        node,
        name=wish.chain,
        chain_id=chain_id,
        anchor=max(task.anchor.block for task in tasks),
        hardfork=wish.hardfork,
        base=base,
    )
    if base is not None:
        live.told_header(base.heights[-1][1])  # raises when it is another history
    runs = []
    for task in tasks:
        anchor = _checked_anchor(live, task)
        keep_ranges(task, live)
        run = _gold(wish.folder, {wish.chain: live}, task)
        if live.fault is not None:
            raise live.fault
        if run.answer is None and task is not wish.task:
            say(f"{task.id} was recorded, and is not served any more: {run.fault}")
            continue
        if run.answer is None:
            raise CheckFailed(f"task {task.id} cannot be recorded: its gold chain's {run.fault}")
        _check_unmoved(node.node, anchor, task)
        runs.append((task, run))
    pinned = live.kept.state_heights | {task.anchor.block for task in tasks}
    rules = {height: live.hardfork(height) for height in sorted(pinned) if live.header(height)}
    info = SnapshotInfo(
        chain=wish.chain,
        chain_id=chain_id,
        hardforks=rule_changes(rules),
        heights=spans_of(pinned),
        provenance=wish.origin,
        source="rows that tool-chains touched, read from a JSON-RPC node through a fork",
        claims=Claims.of(live.kept.claims),
    )
    return info, live.kept.rows(), runs


def _checked_anchor(live: LiveChain, task: Task) -> str:
    """The hash of the anchor's block, which must be of the task's moment and of the recorded chain."""
    where = f"task {task.id}"
    header = live.told_header(task.anchor.block)
    if header is None:
        raise BadInput(f"block {task.anchor.block} is not on the origin node's {live.name}", where=where)
    moment = rpc_value.quantity(header, "timestamp", where)
    if moment != task.anchor.timestamp:
        raise BadInput(
            f"the anchor's timestamp is {task.anchor.timestamp}, and block {task.anchor.block} of the origin node has "
            f"{moment}",
            where=where,
            next_command="put task.toml right, or give --rpc-url a node of that chain",
        )
    return str(header["hash"])


def _check_unmoved(node: OriginNode, anchor: str, task: Task) -> None:
    """State was read by number: the block must still be the one it was."""
    block = node.ask("eth_getBlockByNumber", hex(task.anchor.block), False)
    if not isinstance(block, dict) or block.get("hash") != anchor:
        raise CheckFailed(f"block {task.anchor.block} of the origin node changed while task {task.id} was recorded")


def _refresh_archive(wish: Wish, base: Snapshot, tasks: list[Task], say: Say) -> bool:
    """A snapshot that holds its chain from the first block on is read again in the same way, whole."""
    with _staging(wish) as staged:
        capture_archive(
            wish.rpc_url,
            staged,
            chain=wish.chain,
            hardfork=wish.hardfork or base.hardfork(0),
            provenance=wish.origin,
            source=base.source,
            to_block=base.heights[-1][1],
            claim_state=any(claim.table in ("accounts", "storage") for claim in base.claims),
        )
        info, rows = read_snapshot(staged)
    return _put(wish, info, rows, read_snapshot(wish.place)[1], [(task, None) for task in tasks], say)


def _put(
    wish: Wish,
    info: SnapshotInfo,
    rows: SnapshotRows,
    old: SnapshotRows | None,
    runs: list[tuple[Task, GoldRun]] | list[tuple[Task, None]],
    say: Say,
) -> bool:
    """Write, prove offline, tell what changes, and only then replace; False when not one byte changed."""
    with _staging(wish) as staged:
        write_snapshot(staged, info, rows)
        for task, live in runs:
            again = _gold(wish.folder, {wish.chain: Snapshot.open(staged)}, task)
            if live is not None and (again.answer, again.replies) != (live.answer, live.replies):
                raise CheckFailed(
                    f"task {task.id} replays to {again.answer or again.fault}, recorded was {live.answer}"
                )
            say(f"{task.id}: {again.answer if again.answer is not None else again.fault}, replayed offline")
        if old is not None:
            _tell_changes(old, rows, say)
            if (staged / MANIFEST_NAME).read_bytes() == (wish.place / MANIFEST_NAME).read_bytes():
                say(f"{wish.place}: unchanged")
                return False
        retired = wish.place.with_name(f".{wish.chain}.{secrets.token_hex(4)}.old")
        if wish.place.exists():
            wish.place.rename(retired)
        try:
            staged.rename(wish.place)
        except OSError as fault:
            if retired.exists():
                retired.rename(wish.place)
            raise BadInput(f"cannot be put in its place: {fault.strerror}", where=wish.place) from fault
        shutil.rmtree(retired, ignore_errors=True)
    counted = ", ".join(f"{number} {name}" for name, number in count_rows(rows).items() if number)
    say(f"{wish.place}: {counted}")
    return True


def _tell_changes(old: SnapshotRows, new: SnapshotRows, say: Say) -> None:
    found = list(differences(old, new))
    for difference in found[:_MOST_SHOWN]:
        say(f"changed: {difference}")
    if len(found) > _MOST_SHOWN:
        say(f"changed: {len(found) - _MOST_SHOWN} more")
    before, after = count_rows(old), count_rows(new)
    moved = [f"{name} {before[name]} -> {after[name]}" for name in before if before[name] != after[name]]
    say(f"{len(found)} differences; rows: {', '.join(moved) or 'as many as before'}")


def _gold(folder: WorldFolder, chains: Mapping[str, ChainSource], task: Task) -> GoldRun:
    with FrozenWorld(folder, chains) as world:
        return run_gold(task.gold, WorldToolset(world.task(task)))


@contextmanager
def _staging(wish: Wish) -> Iterator[Path]:
    """A name beside the snapshot for what is not proven yet; nothing of it is left."""
    staged = wish.place.with_name(f".{wish.chain}.{secrets.token_hex(4)}.staged")
    try:
        yield staged
    finally:
        shutil.rmtree(staged, ignore_errors=True)
