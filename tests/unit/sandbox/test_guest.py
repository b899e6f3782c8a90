"""One life of the interpreter: what its loop does with code, what it writes, and that it leaves no thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import BadInput, MachineFault
from caia_replay.sandbox.compiled_file import CompiledFolder
from caia_replay.sandbox.driver import run
from caia_replay.sandbox.guest import Guest
from caia_replay.sandbox.limits import LIMITS, Execution, Limits
from caia_replay.sandbox.module import load
from caia_replay.sandbox.output import Output
from tests.odd_threads import dying, guest_threads
from tests.unit.sandbox.conftest import NOW, SMALL


@pytest.fixture
def guest(sandbox: CompiledFolder) -> Iterator[Guest]:
    """A guest that has started."""
    made = Guest(*load(sandbox), NOW, SMALL)
    yield made
    made.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_guest_whose_thread_dies_is_a_machine_s_fault(sandbox: CompiledFolder) -> None:
    """Nobody waits for ever for a thread that died as it started."""
    module = load(sandbox)
    with dying("sandbox"), pytest.raises(MachineFault, match="thread died"):
        Guest(*module, NOW, SMALL)


def test_a_guest_lives_until_it_is_closed(guest: Guest, sandbox: CompiledFolder) -> None:
    """Its thread waits between calls and is gone when closing returns; one that does not come up is bad input."""
    before = guest_threads()
    assert guest.is_alive and guest.run(b"1 + 1").stdout == "2\n"
    guest.close()
    guest.close()
    assert not guest.is_alive and guest_threads() == before - 1
    before = guest_threads()
    with pytest.raises(BadInput, match="does not start"):
        Guest(*load(sandbox), NOW, Limits(memory_bytes=1_000_000))
    assert guest_threads() == before


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

    def broken(data: bytes, *, left_out: int) -> None:
        raise ZeroDivisionError("here")

    monkeypatch.setattr(guest._outputs[1], "add", broken)
    with pytest.raises(ZeroDivisionError, match="here"):
        guest.run(b"print(1)")
    assert not guest.is_alive


@given(st.lists(st.text(max_size=20), max_size=10), st.integers(1, 40), st.booleans())
def test_an_output_is_the_first_or_the_last_of_what_was_written(parts: list[str], limit: int, last: bool) -> None:
    """However it was written, whole characters of one end are kept, at most one fewer than would fit."""
    output = Output(limit, last=last)
    for part in parts:
        output.add(part.encode())
    text, size = output.take()
    whole = "".join(parts)
    assert size == len(whole.encode())
    assert whole.endswith(text) if last else whole.startswith(text)
    assert text == whole if size <= limit else limit - 3 <= len(text.encode()) <= limit


def test_an_output_begins_anew_once_taken() -> None:
    """Bytes that are no UTF-8 are replaced and counted; a flood is counted and not kept; no limit is nought."""
    output = Output(10, last=False)
    output.add(b"one")
    assert output.share(90) == range(7)
    output.add(b"twothre", left_out=83)
    assert output.take() == ("onetwothre", 93)
    output.add(b"one")
    assert output.take() == ("one", 3)
    assert output.take() == ("", 0)
    output = Output(10, last=True)
    output.add(b"\xff\xfea")
    assert output.take() == ("\N{REPLACEMENT CHARACTER}" * 2 + "a", 3)
    for last in (False, True):
        output = Output(100, last=last)
        for _ in range(1_000):
            output.add(b"x" * 10_000)
        assert len(output._kept) == 100 and output.take() == ("x" * 100, 10_000_000)
    assert min(LIMITS.fuel, LIMITS.memory_bytes, LIMITS.stdout_bytes, LIMITS.stderr_bytes, LIMITS.code_bytes) > 0
    assert Execution("", "", 0, 0, 1).stopped == ""


def test_the_last_expression_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """As at a prompt: its value, unless that is None; earlier ones are not shown."""
    names: dict[str, object] = {}
    assert run("x = 40\nx\nx + 2", "<call 1>", names) == ""
    assert run("None", "<call 2>", names) == ""
    assert run("y = x", "<call 3>", names) == ""
    assert run("", "<call 4>", names) == run("# nothing", "<call 5>", names) == ""
    assert capsys.readouterr().out == "42\n"
    assert names["x"] == names["y"] == 40


def test_an_exception_is_told_without_the_loop() -> None:
    """Its own frames with their lines, the innermost of many; an exit in a line; one that breaks its showing too."""
    told = run("def f():\n    return 1 / 0\n\nf()", "<call 1>", {})
    assert told.startswith("Traceback (most recent call last):\n") and "driver" not in told
    assert 'File "<call 1>", line 2, in f\n    return 1 / 0\n' in told
    assert told.endswith("ZeroDivisionError: division by zero\n")
    told = run("".join(f"def f{at}(): f{at + 1}()\n" for at in range(100)) + "f0()", "<call 1>", {})
    assert told.count("File") == 8 and "f99" in told and told.endswith("NameError: name 'f100' is not defined\n")
    assert run("import sys; sys.exit('enough')", "<call 1>", {}) == "SystemExit: enough\n"
    assert run("exit(0)", "<call 1>", {"exit": __builtins__["exit"]}) == "SystemExit: 0\n"
    code = "class E(SystemExit):\n    code = property(lambda self: 1 / 0)\nraise E"
    assert run(code, "<call 1>", {}) == "E, which cannot be shown: ZeroDivisionError\n"
    assert run("import builtins\ndel builtins.len", "<call 1>", {}) == ""
    assert run("import builtins\ndel builtins.len\n1 / 0", "<call 2>", {}).endswith(
        "ZeroDivisionError: division by zero\n"
    )
    assert run("assert len('ab') == 2", "<call 3>", {}) == ""
    for code in ("a = [", "\0", "return 1", "1 = x", "\t x", "(" * 500 + ")" * 500):
        told = run(code, "<call 1>", {})
        assert "Error: " in told and "Traceback" not in told
