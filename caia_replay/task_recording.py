"""One task recorded, sealed and judged, with models that play beside its gold chain: what ``record --task`` does."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

from caia_replay.core.agent import Budget
from caia_replay.core.task import Task
from caia_replay.errors import BadInput, CheckFailed, one_line
from caia_replay.interop.planned import wanted_requests
from caia_replay.models.resolve import endpoint_hosts
from caia_replay.recording.api_key import Keys
from caia_replay.recording.capture_request import CaptureRequest
from caia_replay.recording.capture_task import record_chain
from caia_replay.recording.leak import LeakFilter
from caia_replay.recording.live_web import HttpPolicy, Player
from caia_replay.recording.record_task import record_task
from caia_replay.recording.scrub import MIN_SECRET_CHARS
from caia_replay.recording.world_seal import seal_recorded
from caia_replay.runner.pool_player import PoolPlayer
from caia_replay.scoring.verifiers import verify

_BUDGET: Final = Budget(20, None, None)
"""Of a pooled run: as many turns as a replay's default."""

_SECRET_ENDS: Final = ("_API_KEY", "_TOKEN", "_SECRET")
"""How variables are called that hold what must not show, whoever reads them."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Pool:
    """The models that play beside the gold chain, each ``runs`` times in ``agent``; none by default."""

    models: tuple[str, ...] = ()
    agent: str = "react"
    runs: int = 1


def record_and_judge(wish: CaptureRequest, pool: Pool, pause_s: float, say: Say) -> None:
    """Record a task, seal its world, and hold the recorded answer against the task's own.

    Raises ``CheckFailed`` where they contradict each other; the recording is kept then. Otherwise as ``record_task``.
    """

    def line(text: str) -> None:
        say(one_line(text))  # an answer may come from a page, and pages from anybody

    if wish.origin == "synthetic":
        if pool.models:
            raise BadInput("--pool plays on the living internet", next_command="--origin live")
        task, answer = wish.task, record_chain(wish, line).answer
        for told in seal_recorded(wish.folder.path, wish.chain):
            line(told)
    else:
        task, answer = _record_live(wish, pool, pause_s, line)
    if not task.gold.result:
        line(f"{task.id}: unverifiable: no chain of calls yields its answer")
        return
    score = verify(task.answer, answer)
    if score.correct is None:
        line(f"{task.id}: {answer}; whether that is right is for a judge ({score.reason})")
    elif score.correct is not True:
        expected = "; ".join(task.answer.values)
        raise CheckFailed(f"{task.id}: the recorded chain gives {answer} ({score.reason}), expected {expected}")
    else:
        line(f"{task.id}: confirmed: the recorded chain gives what the suite says")


def _record_live(wish: CaptureRequest, pool: Pool, pause_s: float, say: Say) -> tuple[Task, str]:
    suite = wish.folder.suite
    leaks = LeakFilter([wish.folder.task(task_id) for task_id in suite.active()])
    hosts = frozenset[str]().union(*(endpoint_hosts(model, os.environ) for model in pool.models))
    secrets = {value.strip() for name, value in os.environ.items() if name.endswith(_SECRET_ENDS)}
    hidden = frozenset(value for value in {*secrets, wish.rpc_url} if len(value) >= MIN_SECRET_CHARS)
    manners = HttpPolicy(Keys(os.environ), pause_s=pause_s, leaks=leaks.why, passing=hosts, secrets=hidden)
    with ExitStack() as stack:
        players = []
        for model in pool.models:
            for attempt in range(1, pool.runs + 1):
                one = PoolPlayer(wish.task, suite, model, pool.agent, os.environ, _BUDGET, attempt)
                stack.callback(one.close)
                players.append(Player(one.name, one.play))
        extra = wanted_requests(wish.folder.path, wish.task.id, say=say)
        done = record_task(wish, manners, say, players, extra)
    return done.task, done.answer
