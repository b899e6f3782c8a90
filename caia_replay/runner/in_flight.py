"""Runs in flight: several at once in one process, each in a thread of its own.

Threads wait for a model together, and that is nearly all a live run does. What needs a processor in earnest is divided
over processes instead (``executor``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Condition, Thread, current_thread
from typing import Final

from caia_replay.errors import Interrupted, MachineFault

_LOOK_S: Final = 0.05
"""How often is looked whether there is room for another run: a limit grows without telling."""
_DEAD_S: Final = 1.0

Run = Callable[[], Callable[[], None]]


class Flight:
    """Runs that are played together."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._flying: set[Thread] = set()
        self._is_over = False
        self._fault: BaseException | None = None
        self._stop: Interrupted | None = None

    @property
    def others(self) -> int:
        """How many runs are in flight, besides the one whose outcome is just being kept."""
        return max(len(self._flying) - 1, 0)

    def fly(self, runs: Iterable[Run], room: Callable[[], int]) -> None:
        """Play every run, at most ``room()`` at once, and return when all have ended.

        A run plays and returns what keeps its outcome, which is called by one thread at a time. The first exception of
        any ends the flight and is raised; nothing is kept after that, and who waits for an endpoint is left behind.
        Where one was interrupted no other is begun, and that is raised when those in flight have ended.
        """
        try:
            for run in runs:
                if not self._start(run, room):
                    break
            self._end()
        finally:
            with self._changed:
                self._is_over = True

    def _start(self, run: Run, room: Callable[[], int]) -> bool:
        """Begin a run as soon as there is room; whether there may be another."""
        with self._changed:
            while self._fault is None and self._stop is None and len(self._flying) >= max(room(), 1):
                self._wait(_LOOK_S)
            self._raise()
            if self._stop is not None:
                return False
            thread = Thread(target=self._play, args=(run,), name="run", daemon=True)
            try:
                thread.start()
            except RuntimeError as fault:
                raise MachineFault(f"no thread can be started for another run: {fault}") from fault
            self._flying.add(thread)
            return True

    def _end(self) -> None:
        with self._changed:
            while self._fault is None and self._flying:
                self._wait(_DEAD_S)
            self._raise()
            if self._stop is not None:
                raise self._stop

    def _play(self, run: Run) -> None:
        fault: BaseException | None = None
        keep: Callable[[], None] | None = None
        try:
            keep = run()
        except BaseException as caught:  # noqa: BLE001 -- raised where the flight was begun
            fault = caught
        with self._changed:
            try:
                if keep is not None and not self._is_over and self._fault is None:
                    keep()
            except BaseException as caught:  # noqa: BLE001
                fault = caught
            if isinstance(fault, Interrupted):
                self._stop = self._stop or fault
            else:
                self._fault = self._fault or fault
            self._flying.discard(current_thread())
            self._changed.notify_all()

    def _wait(self, longest_s: float) -> None:
        """Until a run ends, or one has died without a word."""
        if not self._changed.wait(longest_s) and not all(thread.is_alive() for thread in self._flying):
            raise MachineFault("the thread of a run died as it started")

    def _raise(self) -> None:
        if self._fault is not None:
            raise self._fault
