"""One life of the interpreter: it starts, answers, ends, and leaves no thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from caia_replay.errors import BadInput
from caia_replay.sandbox.compiled_file import CompiledFolder
from caia_replay.sandbox.guest import Guest
from caia_replay.sandbox.limits import Limits
from caia_replay.sandbox.module import load
from tests.guest_threads import guest_threads
from tests.unit.sandbox.conftest import NOW, SMALL


@pytest.fixture
def guest(sandbox: CompiledFolder) -> Iterator[Guest]:
    """A guest that has started."""
    made = Guest(*load(sandbox), NOW, SMALL)
    yield made
    made.close()


def test_a_guest_lives_until_it_is_closed(guest: Guest) -> None:
    """Its thread waits between calls, and is gone when closing returns."""
    before = guest_threads()
    assert guest.is_alive and guest.run(b"1 + 1").stdout == "2\n"
    guest.close()
    guest.close()
    assert not guest.is_alive and guest_threads() == before - 1


def test_a_guest_is_closed_in_the_midst_of_a_call(sandbox: CompiledFolder) -> None:
    """Closing ends code that would take forever, from another thread, as Ctrl-C must."""
    before = guest_threads()
    guest = Guest(*load(sandbox), NOW, Limits(fuel=10**15))
    done: list[object] = []
    caller = threading.Thread(target=lambda: done.append(guest.run(b"while True: pass")))
    caller.start()
    while guest._codes.qsize():
        time.sleep(0.001)
    guest.close()
    caller.join()
    assert len(done) == 1 and guest_threads() == before


def test_a_guest_that_ended_says_why_and_has_no_thread(guest: Guest) -> None:
    """An exit is told with its code; nothing is left to be closed."""
    before = guest_threads()
    assert guest.run(b"import os; os._exit(7)").stopped == "it ended the interpreter with exit code 7"
    assert not guest.is_alive and guest_threads() == before - 1


def test_a_fault_of_the_host_is_not_taken_for_the_guests(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What breaks on this side of the sandbox is raised here."""

    def broken(data: bytes) -> None:
        raise ZeroDivisionError("here")

    monkeypatch.setattr(guest._outputs[1], "add", broken)
    with pytest.raises(ZeroDivisionError, match="here"):
        guest.run(b"print(1)")
    assert not guest.is_alive


def test_too_little_memory_to_start_is_told(sandbox: CompiledFolder) -> None:
    """A guest that does not come up is bad input, not a silent nothing."""
    before = guest_threads()
    with pytest.raises(BadInput, match="does not start"):
        Guest(*load(sandbox), NOW, Limits(memory_bytes=1_000_000))
    assert guest_threads() == before
