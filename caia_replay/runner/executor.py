"""Playing a plan in one process or over several; the outcome does not depend on which.

This process plays a part of the tasks, and the other workers are plain subprocesses: a dead one breaks nothing but its
own runs, and what it finished is in the journal. Each has its own forks, so that no read can come from another run's
block. They import what they need while this process opens the world, and open it while it plans the overlays.
"""

from __future__ import annotations

import os
import pickle
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final

from caia_replay.errors import BadInput, MachineFault
from caia_replay.models.human import HUMAN
from caia_replay.models.local_file import LOCAL
from caia_replay.models.resolve import POLICY, RECORDED
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


def processes(plan: RunPlan, workers: int, concurrency: int | None = None) -> int:
    """In how many processes ``workers`` play a plan. Raises ``BadInput`` for none."""
    if workers < 1:
        raise BadInput(f"--workers is {workers}; at least one worker is needed")
    if plan.model.startswith((LOCAL, HUMAN)):  # its one server takes the cores; there is one person
        return 1
    return min(workers, len(plan.tasks), concurrency or workers)


class Worker:
    """A process that plays a shard of a plan, as soon as it is told which."""

    def __init__(self, *modules: str) -> None:
        """It imports ``modules``, too, while it waits."""
        self._line, theirs = socket.socketpair()
        self._is_told = False
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "caia_replay.runner.worker", *modules],
                stdin=theirs.fileno(),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )

    def tell(self, journal: Journal, order: Mapping[str, Any], overlays: Future[bytes]) -> None:
        """Give it its shard, and what stands over the world once that is planned. It holds the journal's lock as well:
        should this process be killed, nobody resumes until the last worker has ended."""
        self._is_told = True
        try:
            socket.send_fds(self._line, [b"."], [journal.lock_fd])
            self._line.sendall(pickle.dumps(order))
            self._line.sendall(overlays.result())
        except (OSError, CancelledError):  # it died, which its code says, or is being closed; it waits for no more
            self._line.close()

    def close(self) -> None:
        """End it, whatever it does."""
        self._line.close()
        if not self._is_told:  # nobody waits for its imports
            self.process.kill()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextmanager
def workers_beside(count: int, model: str = "") -> Iterator[list[Worker]]:
    """As many workers for a plan's ``model``, which end with the block. What asks a live one takes most of a second to
    import, and is imported before they are told what to play."""
    with ExitStack() as stack:
        started = []
        for _ in range(count):
            worker = Worker(*(() if model.startswith((POLICY, RECORDED)) else ("openai",)))
            for stream in (worker.process.stdout, worker.process.stderr):
                assert stream is not None
                stack.callback(stream.close)
            stack.callback(worker.close)
            started.append(worker)
        yield started


def execute(
    stage: EpisodeContext,
    journal: Journal,
    workers: int,
    watch: Watch,
    concurrency: int | None = None,
    beside: Sequence[Worker] | None = None,
) -> EpisodeContext:
    """Play every run the started journal lacks, in ``workers`` processes with this one, ``concurrency`` at once in all;
    the stage, planned. ``beside`` are the others where they have been started. Raises what a worker died of."""
    count = processes(stage.plan, workers, concurrency)
    if beside is None:
        with workers_beside(count - 1, stage.plan.model) as beside:
            return execute(stage, journal, workers, watch, concurrency, beside)
    if count == 1:
        stage = stage.planned()
        play(stage, journal, watch, concurrency)
        return stage
    plan = stage.plan
    order: dict[str, Any] = {"out": journal.out, "world": stage.world.folder.seal.digest}
    order |= {"said": stage.said and stage.said.resolve(), "concurrency": concurrency, "share": count}
    watching, ended = _Watching(watch), SimpleQueue[Worker]()
    overlays = Future[bytes]()

    def attend(worker: Worker, index: int) -> None:
        worker.tell(journal, {**order, "plan": plan.shard(index, count)}, overlays)
        assert worker.process.stdout is not None
        for line in worker.process.stdout:
            if line.endswith(b"\n"):  # a killed worker may leave half of one
                watching.tell(worker.process.pid, read_run_end(line))
        ended.put(worker)

    listeners = [
        threading.Thread(target=attend, name="attend", args=(worker, index))
        for index, worker in enumerate(beside, start=1)
    ]
    try:
        for listener in listeners:
            listener.start()
        stage = stage.planned()
        overlays.set_result(pickle.dumps(stage.overlays))
        own = replace(stage, plan=plan.shard(0, count))
        play(own, journal, partial(watching.tell, os.getpid()), concurrency, count)
        for _ in beside:
            _finish(_first(ended, listeners))
        return stage
    finally:
        overlays.cancel()
        for worker, listener in zip(beside, listeners, strict=True):
            worker.close()
            if listener.ident is not None:
                listener.join()


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


def _first(ended: SimpleQueue[Worker], listeners: list[threading.Thread]) -> Worker:
    while True:
        is_over = not any(listener.is_alive() for listener in listeners)
        try:
            return ended.get(timeout=_LOOK_S)
        except Empty:
            if is_over:
                raise MachineFault("a thread that listens to a worker died as it started") from None


def _finish(worker: Worker) -> None:
    assert worker.process.stderr is not None
    message = worker.process.stderr.read().decode(errors="replace").strip()
    code = worker.process.wait()
    if code == BadInput.exit_code and "\n" not in message:
        raise BadInput(message)
    if code != 0:
        last = message.splitlines()[-1] if message else "it said nothing"
        raise MachineFault(f"a worker died with code {code}: {last}; finished runs are kept, add --resume")
