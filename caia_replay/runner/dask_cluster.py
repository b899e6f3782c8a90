"""Playing a plan on a Dask cluster: each run is one task of the cluster, and its record comes back to this journal.

Every worker process opens the world, plans and resolves once, those that join late too. A run whose worker is killed is
played again by another; what has come back is in the journal, as without a cluster. The world stands at the same path
on every machine, and is the same by its seal.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

from distributed import Client, WorkerPlugin, as_completed, get_worker
from distributed.scheduler import KilledWorker

from caia_replay.cassette.egress import egress_guard
from caia_replay.core.score import RULES
from caia_replay.core.version import __version__
from caia_replay.errors import BadInput, MachineFault, SealBroken
from caia_replay.models.resolve import endpoint_hosts
from caia_replay.runner.episode import EpisodeContext, staged
from caia_replay.runner.plan import Cell, RunPlan
from caia_replay.runner.run_end import Watch, run_end
from caia_replay.store.run_folder import Journal
from caia_replay.store.world_folder import open_world

_PATIENCE_S: Final = 10
_CODE: Final = (__version__, RULES)


def play_on(address: str, stage: EpisodeContext, journal: Journal, watch: Watch) -> None:
    """Play every run the started journal lacks on the cluster of the scheduler at ``address`` (tcp://HOST:PORT).

    As many are in flight as its workers have threads. Raises ``BadInput`` where nobody answers there, for traffic that
    is to be kept, and what a worker refuses; ``MachineFault`` for a run that killed worker after worker.
    """
    plan = stage.plan
    if plan.record_model is not None:
        raise BadInput("a cluster keeps no tape of a model", where="--record-model", next_command="leave --dask out")
    left = []
    for episode in plan.episodes():
        task, cell, attempt = episode
        if journal.has(cell.folder, task, attempt):
            watch(run_end(journal.load(cell.folder, task, attempt), cell.folder, stage.model.price))
        else:
            left.append(episode)
    digest = stage.world.folder.seal.digest
    with _client(address) as client, _player(client, _Player(plan, digest)) as name:
        futures = [client.submit(_played, name, *episode, pure=False, retries=0) for episode in left]
        try:
            for _, outcome in as_completed(futures, loop=client.loop, with_results=True):
                if isinstance(outcome, str):
                    raise BadInput(outcome)
                cell, record = outcome
                journal.save(record, cell.folder)
                watch(run_end(record, cell.folder, stage.model.price))
        except KilledWorker as fault:
            raise MachineFault(f"a run killed worker after worker: {fault}; finished runs are kept") from fault
        finally:
            client.cancel(futures, force=True)


@contextmanager
def _client(address: str) -> Iterator[Client]:
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what is wrong is told in one line, below
    try:
        client = Client(address, timeout=_PATIENCE_S, set_as_default=False)
    except (OSError, ValueError) as fault:
        what = f"no Dask scheduler answers: {fault}"
        raise BadInput(what, where=f"--dask {address:.80}", next_command="dask scheduler, and dask worker") from fault
    with client:
        yield client


@contextmanager
def _player(client: Client, player: _Player) -> Iterator[str]:
    """The name of ``player`` on every worker, those that are still to come included, until the block ends."""
    try:
        client.register_plugin(player, name=player.name)
        yield player.name
    finally:
        client.unregister_worker_plugin(player.name)


class _Player(WorkerPlugin):  # type: ignore[misc]
    """What plays a plan in a worker process. What cannot be played is told by each run, as text: a worker that fails
    to begin would be gone without a word."""

    def __init__(self, plan: RunPlan, world: str) -> None:
        self.name = f"caia-replay {plan.digest(world)} {os.getpid()}"
        self._plan, self._world, self._code = plan, world, _CODE
        self._opened: ExitStack | None = None
        self.stage: EpisodeContext | str = "not begun"

    def setup(self, worker: Any) -> None:
        """Open the world and resolve the model; called by each worker as it joins."""
        self._opened = ExitStack()
        try:
            if self._code != _CODE:
                raise BadInput(f"this is caia-replay {_CODE[0]}, rules {_CODE[1]}; {self._code} is asked for")
            folder = open_world(self._plan.world)
            if folder.seal.digest != self._world:
                raise SealBroken("this is another world than the one that is replayed", where=folder.path)
            own = urlsplit(worker.scheduler.address).hostname or ""
            self._opened.enter_context(egress_guard(endpoint_hosts(self._plan.model, os.environ) | {own}))
            self.stage = self._opened.enter_context(staged(self._plan, folder))
        except (BadInput, OSError) as fault:
            self.stage = f"Dask worker {worker.address}: {fault}"

    def teardown(self, worker: Any) -> None:
        """End what was begun."""
        if self._opened is not None:
            self._opened.close()


def _played(name: str, task: str, cell: Cell, attempt: int) -> tuple[Cell, dict[str, Any]] | str:
    """In a worker: a run's record, or why there is none."""
    stage = get_worker().plugins[name].stage
    if isinstance(stage, str):
        return stage
    try:
        return cell, stage.run(stage.world.folder.task(task), cell, attempt)
    except BadInput as fault:
        return str(fault)
