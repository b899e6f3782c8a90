"""One task recorded whole: its moment looked up, its web and its chain asked, both proven by replaying it without them.

A world is changed only when all of it held: the files of a recording that failed are put back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from caia_replay.chain.chain_source import can_pin
from caia_replay.chain.snapshot import Snapshot
from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import NO_BLOCK, Task
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.recording.capture_request import NO_FORK, CaptureRequest, check_world, checked_chain_id
from caia_replay.recording.capture_task import Recorded, record_chain
from caia_replay.recording.live_web import HttpPolicy, LiveWeb, Player
from caia_replay.recording.origin_node import OriginNode
from caia_replay.recording.pool import POOL
from caia_replay.recording.resolve_anchor import require_moment, resolve_anchor
from caia_replay.recording.world_seal import seal_recorded
from caia_replay.store.seal import SEAL, Seal, write_atomic
from caia_replay.store.world_folder import WorldFolder, load_task, read_info, save_task, save_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import run_gold
from caia_replay.world.world import FrozenWorld

_OWN_FILES: Final = ("task.toml", "http.json", POOL)


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it: the task as it is now, its answer on the recording ("" where no chain yields one), and what was
    asked and not kept, with the reason, by request."""

    task: Task
    answer: str
    left_out: dict[str, str]


def record_task(
    wish: CaptureRequest,
    manners: HttpPolicy,
    say: Callable[[str], None],
    players: Sequence[Player] = (),
    extra: Sequence[HttpRequest] = (),
) -> Done:
    """Record a task of a live world from the internet, and from ``wish.rpc_url`` where it is given.

    ``players`` play beside the gold chain, ``extra`` are requests that no tool makes: as ``LiveWeb`` has them.

    Raises ``BadInput`` for an origin that is away or wants a key, and ``CheckFailed`` where the gold chain is not
    served or replays otherwise; the world's files are then as they were.
    """
    check_world(replace(wish, rpc_url=""))
    if not (wish.task.gold.steps or players or extra):
        raise BadInput(
            f"task {wish.task.id} has no tool-chain, so nothing says what to record",
            next_command="let a model ask: --pool MODEL, or import it with a row of your own: --gold FOLDER",
        )
    if wish.rpc_url and wish.chain in NO_FORK:
        say(f"{wish.chain} has no EVM node: --rpc-url is not asked, and {wish.task.id} stands at its moment alone")
        wish = replace(wish, rpc_url="")
    with _put_back_on_failure(wish.folder.path, wish.task.id):
        wish = _anchored(wish, say)
        with LiveWeb(wish.folder, wish.task, manners, players, extra) as live:
            wish = replace(wish, live=live)
            try:
                done = record_chain(wish, say) if wish.rpc_url else _record_web(wish, live, say)
                _save(wish, say)
            finally:  # a recording that fails most often fails for one of these
                for request, why in live.left_out.items():
                    say(f"not kept: {request}: {why}")
    return Done(wish.task, done.answer, live.left_out)


def _anchored(wish: CaptureRequest, say: Callable[[str], None]) -> CaptureRequest:
    """The wish with the task's moment looked up and its chain among the world's; nothing is written yet."""
    task, folder = wish.task, wish.folder
    if wish.rpc_url:
        with OriginNode(wish.rpc_url) as node:
            base = Snapshot.open(wish.place) if wish.place.exists() else None
            checked_chain_id(wish, node, base)
            task = resolve_anchor(task, node)
    require_moment(task)
    if task != wish.task:
        say(f"{task.id}: asked at block {task.anchor.block} of {task.anchor.chain}, {task.anchor.timestamp}")
    if wish.rpc_url and wish.chain not in folder.info.chains:
        folder = replace(folder, info=replace(folder.info, chains=tuple(sorted({*folder.info.chains, wish.chain}))))
    return replace(wish, task=task, folder=replace(folder, seal=Seal({}, {}, "")))


def _save(wish: CaptureRequest, say: Callable[[str], None]) -> None:
    """What was looked up, and the seal over all of it: the last that is written."""
    path = wish.folder.path
    if load_task(path / "tasks" / wish.task.id) != wish.task:
        save_task(path, wish.task)
    if read_info(path).chains != wish.folder.info.chains:
        save_world(path, wish.folder.info, wish.folder.suite)
    for line in seal_recorded(path, wish.chain):
        say(line)


def _record_web(wish: CaptureRequest, live: LiveWeb, say: Callable[[str], None]) -> Recorded:
    """A task whose chain is not recorded now: snapshots that are there serve it, and it stands at its moment."""
    there = {name: Snapshot.open(wish.folder.snapshots / name) for name in _present(wish.folder)}
    anchor = wish.task.anchor
    if anchor.block != NO_BLOCK and not (anchor.chain in there and can_pin(there[anchor.chain].heights, anchor.block)):
        raise BadInput(
            f"--origin live needs a node: task {wish.task.id} stands at block {anchor.block} of {anchor.chain}, which "
            "is not recorded",
            next_command="add --rpc-url URL, or set CAIA_REPLAY_RPC_URL",
        )
    run = live.run(there)
    if run.answer is None and wish.task.gold.result:
        raise CheckFailed(
            f"task {wish.task.id} cannot be recorded: its {run.fault}; nothing was changed; next: where it asks the "
            "chain, add --rpc-url URL"
        )
    live.settle()
    with FrozenWorld(wish.folder, there) as world, WorldToolset(world.task(wish.task)) as tools:
        again = run_gold(wish.task.gold, tools)
    if run.answer is not None and (again.answer, again.replies) != (run.answer, run.replies):
        told = again.fault if again.answer is None else again.answer
        raise CheckFailed(
            f"task {wish.task.id} was recorded as {run.answer} and replays as {told}; nothing was changed"
        )
    say(f"{wish.task.id}: {again.answer or 'what its calls brought'}, replayed offline")
    return Recorded(True, again.answer or "")


def _present(folder: WorldFolder) -> list[str]:
    return [name for name in folder.info.chains if (folder.snapshots / name).exists()]


@contextmanager
def _put_back_on_failure(world: Path, task_id: str) -> Iterator[None]:
    own = world / "tasks" / task_id
    paths = [world / SEAL, world / "world.toml", world / "suite.toml", *(own / name for name in _OWN_FILES)]
    before = {path: path.read_bytes() if path.exists() else None for path in paths}
    there = set(own.rglob("*"))
    try:
        yield
    except BaseException:
        for path, data in before.items():
            if data is None:
                path.unlink(missing_ok=True)
            elif not path.exists() or path.read_bytes() != data:
                write_atomic(path, data)
        for path in sorted(set(own.rglob("*")) - there, reverse=True):  # bodies beside the cassette, deepest first
            path.rmdir() if path.is_dir() else path.unlink()
        raise
