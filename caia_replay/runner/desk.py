"""The runs of a plan, handed out to external agents: each once, in the plan's order, to whoever asks next.

Every run is played as any other is (``EpisodeContext.run``), in a thread of its own; its client decides what happens
in it, and is told that it has ended once its record is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from queue import SimpleQueue
from threading import Lock
from typing import Final

from caia_replay.errors import BadInput, nearest
from caia_replay.models.external import ClientRun, ExternalModel, TooMany
from caia_replay.runner.episode import EpisodeContext
from caia_replay.runner.in_flight import Flight, Run
from caia_replay.runner.plan import Cell
from caia_replay.runner.run_end import Watch, run_end
from caia_replay.store.run_folder import Journal
from caia_replay.tools.catalog import CatalogTool, catalog_of

MOST_AT_ONCE: Final = 256
"""Runs that clients have taken and not ended: each has a thread, and may have a node."""


class NoneLeft(Exception):
    """Every run that was asked for is handed out."""


class Desk:
    """Hands out what the started journal lacks of the stage's plan. ``take`` may be called from any thread."""

    def __init__(self, stage: EpisodeContext, journal: Journal, watch: Watch, idle_s: float) -> None:
        self.plan, self.idle_s = stage.plan, idle_s
        self._stage, self._journal, self._watch = stage, journal, watch
        self._flight, self._lock = Flight(), Lock()
        self._begun = SimpleQueue[Run | None]()
        self._taken: dict[str, ClientRun] = {}
        self._playing = 0
        self._is_closed = False
        self._left = list[tuple[str, Cell, int]]()
        for task, cell, attempt in self.plan.episodes():
            if journal.has(cell.folder, task, attempt):
                watch(run_end(journal.load(cell.folder, task, attempt), cell.folder, None))
            else:
                self._left.append((task, cell, attempt))
        if not self._left:
            self._begun.put(None)

    @property
    def catalog(self) -> Mapping[str, CatalogTool]:
        """The tools of the world that is played in."""
        return catalog_of(self._stage.world.folder)

    @property
    def left(self) -> int:
        """How many runs nobody has taken yet."""
        return len(self._left)

    def take(self, task: str = "") -> ClientRun:
        """The next run, or the next of ``task``, in the caller's hands from now on.

        Raises ``NoneLeft``, ``TooMany`` where as many are being played as can be, and ``BadInput`` for no task of the
        plan.
        """
        if task and task not in self.plan.tasks:
            raise BadInput(f"no task {task!r:.80} is played here", nearest=nearest(task, self.plan.tasks))
        with self._lock:
            at = next((at for at, (name, _, _) in enumerate(self._left) if task in ("", name)), None)
            if at is None or self._is_closed:
                raise NoneLeft
            if self._playing >= MOST_AT_ONCE:
                raise TooMany
            self._playing += 1
            run = ClientRun(self.idle_s)
            self._taken[run.id] = run
            self._begun.put(self._played(run, *self._left.pop(at)))
            if not self._left:
                self._begun.put(None)
        return run

    def run(self, name: str) -> ClientRun | None:
        """The run that a client has, or had, under this id."""
        return self._taken.get(name)

    def play(self) -> None:
        """Return when every run has been taken and has ended. Raises what a run could not be played or kept for."""
        try:
            self._flight.fly(self._handed_out(), lambda: MOST_AT_ONCE)
        finally:
            self.close()

    def close(self) -> None:
        """Hand out nothing more, and break off what is being played: no trace of it is kept."""
        with self._lock:
            self._is_closed = True
        self._begun.put(None)
        for run in list(self._taken.values()):
            if not run.ended.done():
                run.end("")

    def _handed_out(self) -> Iterator[Run]:
        while (run := self._begun.get()) is not None:
            yield run

    def _played(self, client: ClientRun, task_id: str, cell: Cell, attempt: int) -> Run:
        stage = replace(self._stage, model=ExternalModel(self.plan.model, client))

        def played() -> Callable[[], None]:
            with self._broken_by_a_fault(client):
                record = stage.run(stage.world.folder.task(task_id), cell, attempt)

            def keep() -> None:
                with self._broken_by_a_fault(client):
                    self._journal.save(record, cell.folder)
                    self._watch(run_end(record, cell.folder, None, self._flight.others))
                with self._lock:
                    self._playing -= 1
                client.end(record["stop"])

            return keep

        return played

    @contextmanager
    def _broken_by_a_fault(self, client: ClientRun) -> Iterator[None]:
        """Wake whoever waits: the flight raises the fault once it looks."""
        try:
            yield
        except BaseException:
            client.end("")
            self._begun.put(None)
            raise
