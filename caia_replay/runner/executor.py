"""Playing a plan in one process or over several; the outcome does not depend on which.

Workers are plain subprocesses: a dead one breaks nothing but its own runs, and what it finished is
in the journal. Each has its own forks, so that no read can come from another run's block.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from dataclasses import replace
from queue import SimpleQueue
from typing import Any, Final

from caia_replay.errors import BadInput, MachineFault
from caia_replay.runner.episode import EpisodeContext, play
from caia_replay.runner.plan import RunPlan
from caia_replay.runner.run_end import RunEnd, Watch, read_run_end
from caia_replay.store.run_folder import Journal


def execute(
    stage: EpisodeContext, journal: Journal, workers: int, watch: Watch, concurrency: int | None = None
) -> None:
    """Play every run the started journal lacks, ``concurrency`` at once in all. Raises what a worker died of."""
    plan = stage.plan
    if workers < 1:
        raise BadInput(f"--workers is {workers}; at least one worker is needed")
    count = min(workers, len(plan.tasks), concurrency or workers)
    if count == 1:
        play(stage, journal, watch, concurrency)
        return
    world = stage.world.folder.seal.digest
    said = None if stage.said is None else str(stage.said.resolve())
    running = [_start(plan.shard(index, count), journal, world, said, concurrency, count) for index in range(count)]
    watching, ended = _Watching(watch), SimpleQueue[subprocess.Popen[str]]()
    listeners = [threading.Thread(target=_listen, args=(worker, watching, ended)) for worker in running]
    try:
        for listener in listeners:
            listener.start()
        for _ in running:
            _finish(ended.get())  # a rejected key is told at once: the others would go on asking, and paying
    finally:
        for worker in running:
            _stop(worker)
        for worker, listener in zip(running, listeners, strict=True):
            if listener.ident is not None:
                listener.join()
            for stream in (worker.stdout, worker.stderr):
                if stream is not None:
                    stream.close()


def _start(
    plan: RunPlan, journal: Journal, world: str, said: str | None, concurrency: int | None, share: int
) -> subprocess.Popen[str]:
    worker = subprocess.Popen(
        [sys.executable, "-m", "caia_replay.runner.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=(journal.lock_fd,),  # should this process be killed, nobody resumes until the last worker has ended
    )
    assert worker.stdin is not None
    order: dict[str, Any] = {"plan": plan.plain(), "out": str(journal.out), "world": world, "said": said}
    order |= {"concurrency": concurrency, "share": share}
    worker.stdin.write(json.dumps(order) + "\n")
    worker.stdin.flush()
    return worker


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


def _listen(worker: subprocess.Popen[str], watching: _Watching, ended: SimpleQueue[subprocess.Popen[str]]) -> None:
    assert worker.stdout is not None
    for line in worker.stdout:
        if line.endswith("\n"):  # a killed worker may leave half of one
            watching.tell(worker.pid, read_run_end(line))
    ended.put(worker)


def _finish(worker: subprocess.Popen[str]) -> None:
    assert worker.stderr is not None
    message = worker.stderr.read().strip()
    code = worker.wait()
    if code == BadInput.exit_code and "\n" not in message:
        raise BadInput(message)
    if code != 0:
        last = message.splitlines()[-1] if message else "it said nothing"
        raise MachineFault(f"a worker died with code {code}: {last}; finished runs are kept, add --resume")


def _stop(worker: subprocess.Popen[str]) -> None:
    if worker.stdin is not None and not worker.stdin.closed:
        worker.stdin.close()
    try:
        worker.wait(timeout=5)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()
