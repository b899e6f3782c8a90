"""One task recorded whole: its moment looked up, its web and its chain asked, both proven by replaying it without them.

A world is changed only when all of it held: the files of a recording that failed are put back.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from caia_replay.agents.resolve import resolve_agent
from caia_replay.chain.chain_source import can_pin
from caia_replay.chain.snapshot import Snapshot
from caia_replay.core.agent import Budget
from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.core.provider import HttpRequest
from caia_replay.core.suite import Suite
from caia_replay.core.task import NO_BLOCK, Task
from caia_replay.core.tool import Toolset
from caia_replay.core.trajectory import Trajectory
from caia_replay.errors import BadInput, CheckFailed, one_line
from caia_replay.models.resolve import endpoint_hosts, resolve_model
from caia_replay.recording.api_key import Keys
from caia_replay.recording.capture_request import (
    NO_FORK,
    CaptureRequest,
    check_world,
    checked_chain_id,
    require_moment,
    resolve_anchor,
)
from caia_replay.recording.capture_task import Asked, Say, gold_run, prove, record_chain
from caia_replay.recording.leak import LeakFilter
from caia_replay.recording.live_web import HttpPolicy, LiveWeb, Player
from caia_replay.recording.origin_node import OriginNode
from caia_replay.recording.pool import POOL
from caia_replay.recording.scrub import MIN_SECRET_CHARS
from caia_replay.recording.snapshot_swap import seal_recorded
from caia_replay.runner.episode import asked
from caia_replay.scoring.verifiers import verify
from caia_replay.store.seal import SEAL, Seal, write_atomic
from caia_replay.store.world_folder import WorldFolder, load_task, read_info, save_task, save_world

_OWN_FILES: Final = ("task.toml", "http.json", POOL)

_BUDGET: Final = Budget(20, None, None)
"""Of a pooled run: as many turns as a replay's default."""

_SECRET_ENDS: Final = ("_API_KEY", "_TOKEN", "_SECRET")
"""How variables are called that hold what must not show, whoever reads them."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The models that play beside the gold chain, each ``runs`` times in ``agent``; none by default."""

    models: tuple[str, ...] = ()
    agent: str = "react"
    runs: int = 1


def record_and_judge(
    capture: CaptureRequest, pool: Pool, pause_s: float, say: Say, extra: Sequence[HttpRequest] = ()
) -> None:
    """Record a task, seal its world, and hold the recorded answer against the task's own; ``extra`` as ``record_task``.

    Raises ``CheckFailed`` where they contradict each other; the recording is kept then. Otherwise as ``record_task``.
    """

    def line(text: str) -> None:
        say(one_line(text))  # an answer may come from a page, and pages from anybody

    if capture.origin == "synthetic":
        if pool.models:
            raise BadInput("--pool plays on the living internet", next_command="--origin live")
        task, answer = capture.task, record_chain(capture, line)
        for one in seal_recorded(capture.folder.path, capture.chain):
            line(one)
    else:
        task, answer = _record_live(capture, pool, pause_s, line, extra)
    if not task.gold.result:
        line(f"{task.id}: unverifiable: no chain of calls yields its answer")
        return
    score = verify(task.answer, answer, task.question)
    if score.correct is None:
        line(f"{task.id}: {answer}; whether that is right is for a judge ({score.reason})")
    elif score.correct is not True:
        expected = "; ".join(task.answer.values)
        raise CheckFailed(f"{task.id}: the recorded chain gives {answer} ({score.reason}), expected {expected}")
    else:
        line(f"{task.id}: confirmed: the recorded chain gives what the suite says")


def _record_live(
    capture: CaptureRequest, pool: Pool, pause_s: float, say: Say, extra: Sequence[HttpRequest]
) -> tuple[Task, str]:
    suite = capture.folder.suite
    leaks = LeakFilter([capture.folder.task(task_id) for task_id in suite.active()])
    hosts = frozenset[str]().union(*(endpoint_hosts(model, os.environ) for model in pool.models))
    secrets = {value.strip() for name, value in os.environ.items() if name.endswith(_SECRET_ENDS)}
    hidden = frozenset(value for value in {*secrets, capture.rpc_url} if len(value) >= MIN_SECRET_CHARS)
    policy = HttpPolicy(Keys(os.environ), pause_s=pause_s, leaks=leaks.why, passing=hosts, secrets=hidden)
    with ExitStack() as stack:
        players = []
        for model in pool.models:
            for attempt in range(1, pool.runs + 1):
                one = PoolPlayer(capture.task, suite, model, pool.agent, os.environ, _BUDGET, attempt)
                stack.callback(one.close)
                players.append(Player(one.name, one.play))
        return record_task(capture, policy, say, players, extra)


def record_task(
    capture: CaptureRequest,
    policy: HttpPolicy,
    say: Say,
    players: Sequence[Player] = (),
    extra: Sequence[HttpRequest] = (),
) -> tuple[Task, str]:
    """Record a task of a live world from the internet, and from ``capture.rpc_url`` where it is given.

    In this order: the anchor is looked up, the web and the chain are asked while the tool-chain plays, both are proven
    by replaying it offline, and the world is sealed. Returns the task as it is now, and its answer on the recording (""
    where no chain yields one).

    ``players`` play beside the gold chain, ``extra`` are requests that no tool makes: as ``LiveWeb`` has them.

    Raises ``BadInput`` for an origin that is away or wants a key, and ``CheckFailed`` where the gold chain is not
    served or replays otherwise; the world's files are then as they were, but for a chain without a result, of which
    the steps before are kept.
    """
    check_world(replace(capture, rpc_url=""))
    if not (capture.task.gold.steps or players or extra):
        raise BadInput(
            f"task {capture.task.id} has no tool-chain, so nothing says what to record",
            next_command="let a model ask: --pool MODEL, or import it with a row of your own: --gold FOLDER",
        )
    if capture.rpc_url and capture.chain in NO_FORK:
        say(
            f"{capture.chain} has no EVM node: --rpc-url is not asked, and {capture.task.id} stands at its moment alone"
        )
        capture = replace(capture, rpc_url="")
    with _put_back_on_failure(capture.folder.path, capture.task.id):
        capture = _anchored(capture, say)
        with LiveWeb(capture.folder, capture.task, policy, players, extra) as live:
            try:
                answer = record_chain(capture, say, live) if capture.rpc_url else _record_web(capture, live, say)
                _seal(capture, say)
            finally:  # a recording that fails most often fails for one of these
                for request, why in live.left_out.items():
                    say(f"not kept: {request}: {why}")
    if live.fault:  # with a result it has failed above
        raise CheckFailed(
            f"task {capture.task.id} brings a judge less than it asks: its {live.fault}; the rest is kept"
        )
    return capture.task, answer


def _anchored(capture: CaptureRequest, say: Say) -> CaptureRequest:
    """The request with the task's moment looked up and its chain among the world's; nothing is written yet."""
    task, folder = capture.task, capture.folder
    if capture.rpc_url:
        with OriginNode(capture.rpc_url) as node:
            base = Snapshot.open(capture.place) if capture.place.exists() else None
            checked_chain_id(capture, node, base)
            task = resolve_anchor(task, node)
    require_moment(task)
    if task != capture.task:
        say(f"{task.id}: asked at block {task.anchor.block} of {task.anchor.chain}, {task.anchor.timestamp}")
    if capture.rpc_url and capture.chain not in folder.info.chains:
        folder = replace(folder, info=replace(folder.info, chains=tuple(sorted({*folder.info.chains, capture.chain}))))
    return replace(capture, task=task, folder=replace(folder, seal=Seal({}, {}, "")))


def _seal(capture: CaptureRequest, say: Say) -> None:
    """What was looked up, and the seal over all of it: the last that is written."""
    path = capture.folder.path
    if load_task(path / "tasks" / capture.task.id) != capture.task:
        save_task(path, capture.task)
    if read_info(path).chains != capture.folder.info.chains:
        save_world(path, capture.folder.info, capture.folder.suite)
    for line in seal_recorded(path, capture.chain):
        say(line)


def _record_web(capture: CaptureRequest, live: LiveWeb, say: Say) -> str:
    """A task whose chain is not recorded now: snapshots that are there serve it, and it stands at its moment."""
    there = {name: Snapshot.open(capture.folder.snapshots / name) for name in _present(capture.folder)}
    anchor = capture.task.anchor
    if anchor.block != NO_BLOCK and not (anchor.chain in there and can_pin(there[anchor.chain].heights, anchor.block)):
        raise BadInput(
            f"--origin live needs a node: task {capture.task.id} stands at block {anchor.block} of {anchor.chain}, "
            "which is not recorded",
            next_command="add --rpc-url URL, or set CAIA_REPLAY_RPC_URL",
        )
    run = live.run(there)
    if run.answer is None and capture.task.gold.result:
        raise CheckFailed(
            f"task {capture.task.id} cannot be recorded: its {run.fault}; nothing was changed; next: where it asks the "
            "chain, add --rpc-url URL"
        )
    live.settle()
    again = gold_run(Asked(capture.folder, capture.task), there)
    prove(capture.task, run, again, "; nothing was changed")
    say(f"{capture.task.id}: {again.answer or 'what its calls brought'}, replayed offline")
    return again.answer or ""


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


class PoolPlayer:
    """Plays ``task`` once with the model and the agent of these names.

    Raises ``BadInput`` for a name that is none, or a key that is missing.
    """

    def __init__(
        self, task: Task, suite: Suite, model: str, agent: str, environ: Mapping[str, str], budget: Budget, attempt: int
    ) -> None:
        self.name = f"{agent}+{model}#{attempt}"
        self._task, self._budget, self._attempt = task, budget, attempt
        self._model, self._agent = resolve_model(model, environ, seed=attempt), resolve_agent(agent)
        self._recipe = suite.recipes.get(task.shape)

    def play(self, toolset: Toolset) -> Trajectory:
        """One run; its score is nobody's business here."""
        task = self._task
        gold = task.gold if self._model.needs_gold else None
        brief = PolicyHints(task.question, self._recipe, gold, task.answer.kind, task.answer.unit)
        key = RunKey(task.id, "clean", "tools", self._agent.name, self._attempt)
        session = self._model.session(key, brief)
        try:
            return self._agent.run(asked(task), session, toolset, self._budget)
        finally:
            session.close()

    def close(self) -> None:
        """Let go of the model's connections."""
        self._model.close()
