from __future__ import annotations

import sys
from types import ModuleType

import pytest

from caia_replay.tools.session import Session


class Counted:
    """An interpreter that only counts."""

    started: list[Counted]

    def __init__(self, now: int, cache: object = None) -> None:
        self.now, self.closed = now, 0
        self.started.append(self)

    def close(self) -> None:
        self.closed += 1
        if self.now < 0:
            raise RuntimeError("it would not end")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Counted]:
    """Every interpreter that a session starts, in order."""
    stands_in = ModuleType("caia_replay.sandbox.interpreter")
    Counted.started = []
    stands_in.Interpreter = Counted  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "caia_replay.sandbox.interpreter", stands_in)
    return Counted.started


def test_nothing_is_started_before_it_is_asked_for(started: list[Counted]) -> None:
    """A run that runs no code starts no interpreter, and closing it closes none."""
    session = Session()
    session.close()
    assert started == []


def test_one_interpreter_for_all_calls_of_a_run(started: list[Counted]) -> None:
    """What one call defines the next one finds; another run has its own, with its own clock."""
    first, second = Session(), Session()
    assert first.interpreter(5) is first.interpreter(5)
    assert second.interpreter(7) is not first.interpreter(5)
    assert [found.now for found in started] == [5, 7]


def test_an_interpreter_is_closed_once(started: list[Counted]) -> None:
    """However often a session is closed; one that breaks while it ends is not ended again."""
    session = Session()
    session.interpreter(5)
    session.close()
    session.close()
    broken = Session()
    broken.interpreter(-1)
    with pytest.raises(RuntimeError):
        broken.close()
    broken.close()
    assert [found.closed for found in started] == [1, 1]
