"""Several runs at once in one process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue

import pytest

from caia_replay.errors import Interrupted, MachineFault
from caia_replay.runner.in_flight import Flight
from tests.odd_threads import dying


def test_all_are_played_with_as_many_at_once_as_there_is_room() -> None:
    """And each outcome is kept, one at a time; room may grow meanwhile."""
    together = threading.Barrier(4, timeout=60)
    kept: list[int] = []
    rooms = iter([1, 2])

    def run(number: int) -> Callable[[], Callable[[], None]]:
        def played() -> Callable[[], None]:
            together.wait()  # breaks unless four are in flight
            return lambda: kept.append(number)

        return played

    Flight().fly([run(number) for number in range(12)], lambda: next(rooms, 4))
    assert sorted(kept) == list(range(12))


def test_the_first_fault_ends_the_flight_and_nothing_is_kept_after_it() -> None:
    """Who is still waiting for an endpoint then ends in silence."""
    late, ended = threading.Event(), threading.Event()
    kept: list[str] = []

    def broken() -> Callable[[], None]:
        raise ValueError("the key was refused")

    def waiting() -> Callable[[], None]:
        late.wait(60)
        ended.set()
        return lambda: kept.append("late")

    with pytest.raises(ValueError, match="the key was refused"):
        Flight().fly([waiting, broken, *[waiting] * 100], lambda: 2)
    late.set()
    assert ended.wait(60) and kept == []


def test_an_interrupted_run_lets_the_others_in_flight_end() -> None:
    """Their outcomes are kept, no other run is begun, and then it is told."""
    first: SimpleQueue[threading.Thread] = SimpleQueue()
    kept: list[str] = []

    def interrupted() -> Callable[[], None]:
        for _ in range(2):
            first.put(threading.current_thread())
        raise Interrupted("the purse is empty")

    def answering() -> Callable[[], None]:
        first.get(timeout=60).join()
        return lambda: kept.append("answered")

    with pytest.raises(Interrupted, match="the purse is empty"):
        Flight().fly([answering, answering, interrupted, *[answering] * 50], lambda: 3)
    assert len(kept) == 2


def test_what_cannot_be_kept_ends_the_flight() -> None:
    """As a full disk does."""

    def full() -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        Flight().fly([lambda: full] * 3, lambda: 3)


def test_a_run_whose_thread_dies_is_a_fault_of_the_machine() -> None:
    """Nobody waits for it for ever."""
    with dying("run"), pytest.raises(MachineFault, match="died as it started"):
        Flight().fly([lambda: lambda: None], lambda: 2)
