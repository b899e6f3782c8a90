"""Playing a plan in one process or over several; the outcome does not depend on which.

This process plays a part of the tasks, and the other workers are plain subprocesses: a dead one breaks nothing but its
own runs, and what it finished is in the journal. Each has its own forks, so that no read can come from another run's
block. What takes long to plan, the overlays, they are given while they open the world.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final

from caia_replay.errors import BadInput, MachineFault
from caia_replay.runner.episode import EpisodeContext, play
from caia_replay.runner.plan import RunPlan
from caia_replay.runner.run_end import RunEnd, Watch, read_run_end
from caia_replay.store.run_folder import Journal

RUNS_A_WORKER: Final = 100
"""Fewer than these are played sooner than another process has started."""
MOST_WORKERS: Final = 8
"""By default: each takes memory, and a live model's endpoint is seldom faster than these."""


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def workers_for(plan: RunPlan) -> int:
    """How many workers play a plan where nobody says: as many as cores, and no more than have enough to do."""
    return max(1, min(cores(), plan.size // RUNS_A_WORKER, MOST_WORKERS))


def execute(
    stage: EpisodeContext, journal: Journal, workers: int, watch: Watch, concurrency: int | None = None
) -> EpisodeContext:
    """Play every run the started journal lacks, in ``workers`` processes with this one, ``concurrency`` at once in all;
    the stage, planned. Raises what a worker died of."""
    plan = stage.plan
    if workers < 1:
        raise BadInput(f"--workers is {workers}; at least one worker is needed")
    count = min(workers, len(plan.tasks), concurrency or workers)
    if count == 1:
        stage = stage.planned()
        play(stage, journal, watch, concurrency)
        return stage
    order: dict[str, Any] = {"out": journal.out, "world": stage.world.folder.seal.digest}
    order |= {"said": stage.said and stage.said.resolve(), "concurrency": concurrency, "share": count}
    running = [_start(journal) for _ in range(1, count)]
    watching, ended = _Watching(watch), SimpleQueue[subprocess.Popen[bytes]]()
    overlays = Future[bytes]()
    listeners = [
        threading.Thread(
            target=_attend,
            name="attend",
            args=(worker, {**order, "plan": plan.shard(index, count)}, overlays, watching, ended),
        )
        for index, worker in enumerate(running, start=1)
    ]
    try:
        for listener in listeners:
            listener.start()
        stage = stage.planned()  # while the others open the world
        overlays.set_result(pickle.dumps(stage.overlays))
        own = replace(stage, plan=plan.shard(0, count))
        play(own, journal, partial(watching.tell, os.getpid()), concurrency, count)
        for _ in running:
            _finish(_first(ended, listeners))
        return stage
    finally:
        overlays.cancel()
        for worker in running:
            _stop(worker)
        for worker, listener in zip(running, listeners, strict=True):
            if listener.ident is not None:
                listener.join()
            for stream in (worker.stdout, worker.stderr):
                if stream is not None:
                    stream.close()


def _start(journal: Journal) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "caia_replay.runner.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=(journal.lock_fd,),  # should this process be killed, nobody resumes until the last worker has ended
    )


_LOOK_S: Final = 1.0
_SUMMED: Final = ("in_flight", "waiting", "refused", "fewest")


class _Watching:
    """What all workers tell, told one at a time: what is told of the endpoint is the sum over them."""

    def __init__(self, watch: Watch) -> None:
        self._watch, self._lock = watch, threading.Lock()
        self._last: dict[int, RunEnd] = {}

    def tell(self, worker: int, end: RunEnd) -> None:
        with self._lock:
            self._last[worker] = end
            last = self._last.values()
            sums = {name: sum(getattr(one, name) for one in last) for name in _SUMMED}
            self._watch(replace(end, **sums))


def _attend(
    worker: subprocess.Popen[bytes],
    order: Mapping[str, Any],
    overlays: Future[bytes],
    watching: _Watching,
    ended: SimpleQueue[subprocess.Popen[bytes]],
) -> None:
    assert worker.stdin is not None and worker.stdout is not None
    with suppress(BrokenPipeError, CancelledError):  # it died before it had read its order: its code says so
        pickle.dump(order, worker.stdin)
        worker.stdin.flush()
        worker.stdin.write(overlays.result())
        worker.stdin.flush()
    for line in worker.stdout:
        if line.endswith(b"\n"):  # a killed worker may leave half of one
            watching.tell(worker.pid, read_run_end(line))
    ended.put(worker)


def _first(ended: SimpleQueue[subprocess.Popen[bytes]], listeners: list[threading.Thread]) -> subprocess.Popen[bytes]:
    while True:
        is_over = not any(listener.is_alive() for listener in listeners)
        try:
            return ended.get(timeout=_LOOK_S)
        except Empty:
            if is_over:
                raise MachineFault("a thread that listens to a worker died as it started") from None


def _finish(worker: subprocess.Popen[bytes]) -> None:
    assert worker.stderr is not None
    message = worker.stderr.read().decode(errors="replace").strip()
    code = worker.wait()
    if code == BadInput.exit_code and "\n" not in message:
        raise BadInput(message)
    if code != 0:
        last = message.splitlines()[-1] if message else "it said nothing"
        raise MachineFault(f"a worker died with code {code}: {last}; finished runs are kept, add --resume")


def _stop(worker: subprocess.Popen[bytes]) -> None:
    if worker.stdin is not None:
        with suppress(BrokenPipeError):
            worker.stdin.close()
    try:
        worker.wait(timeout=5)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()
