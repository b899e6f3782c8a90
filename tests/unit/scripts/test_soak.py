"""scripts/soak.py on small parts of real pytest runs."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "soak.py"


@pytest.fixture(scope="module")
def soak(loaded: Callable[[str], ModuleType]) -> ModuleType:
    """The script as a module."""
    return loaded("soak")


def part(folder: Path, name: str, body: str, marked: bool = True) -> None:
    mark = "@pytest.mark.soak\n" if marked else ""
    source = f"import pytest\n\n\n{mark}def test_it(tmp_path):\n{textwrap.indent(textwrap.dedent(body), '    ')}\n"
    (folder / f"test_{name}.py").write_text(source)


@pytest.mark.check
def test_parts_are_counted_by_how_they_ended(soak: ModuleType, tmp_path: Path) -> None:
    """A passing part counts as passed, a failing one as failed, and the exit code is 1."""
    part(tmp_path, "a", "assert 1 + 1 == 2")
    part(tmp_path, "b", "assert 1 + 1 == 3")
    outcome = soak.run_parts(tmp_path, 120, 0)
    assert (outcome.passed, outcome.failed, outcome.exit_code) == (["test_a"], ["test_b"], 1)
    assert outcome.report().splitlines() == ["1 passed, 1 failed", "failed: test_b"]


class Interrupted(subprocess.Popen[bytes]):
    """A part whose limit is over once its trace is there, whenever that is; ``now`` is the script's clock."""

    trace: Path
    now = 0.0

    def wait(self, timeout: float | None = None) -> int:
        """The limit is the longest wait there is; whoever is asked to stop may take as long as it takes."""
        if timeout != 600:
            return super().wait()
        while self.poll() is None and not self.trace.exists():
            time.sleep(0.02)
        Interrupted.now += timeout
        raise subprocess.TimeoutExpired(self.args, timeout)


@pytest.mark.check
def test_a_part_past_its_limit_is_unfinished(soak: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part past its limit is stopped, its fixtures torn down, and nothing of it runs on; the next is not reached."""
    trace, left = tmp_path / "trace", tmp_path / "left"
    body = f"""
        import pathlib, signal, subprocess
        forgotten = subprocess.Popen(["sleep", "600"])
        pathlib.Path({str(left)!r}).write_text(str(forgotten.pid))
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell hands it on as ignored
        trace = pathlib.Path({str(trace)!r})
        try:
            trace.write_text("started")
            while True:
                signal.pause()
        finally:
            trace.write_text("torn down")
    """
    part(tmp_path, "a", body)
    part(tmp_path, "b", "assert sorted([2, 1]) == [1, 2]")
    for name, value in (("trace", trace), ("now", 0.0)):
        monkeypatch.setattr(Interrupted, name, value, raising=False)
    stood_in = SimpleNamespace(Popen=Interrupted, TimeoutExpired=subprocess.TimeoutExpired)
    monkeypatch.setattr(soak, "subprocess", stood_in)
    monkeypatch.setattr(soak, "time", SimpleNamespace(monotonic=lambda: Interrupted.now))
    outcome = soak.run_parts(tmp_path, 600, 0)
    assert (outcome.unfinished, outcome.unreached, outcome.exit_code) == (["test_a"], ["test_b"], 1)
    assert trace.read_text() == "torn down"
    until_gone(int(left.read_text()))
    assert outcome.report().splitlines()[:3] == ["0 passed, 0 failed", "not finished: test_a", "not reached: test_b"]


def until_gone(pid: int) -> None:
    """Wait for the end of a process that is nobody's child here: it may stay a zombie until its parent looks."""
    for _ in range(1000):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:  # it is gone
            return
        if state == "Z":
            return
        time.sleep(0.02)
    pytest.fail(f"process {pid} still runs")


@pytest.mark.check
def test_no_part_is_not_green(soak: ModuleType, tmp_path: Path) -> None:
    """An empty or missing folder exits 1 and says that nothing ran; a file that selects nothing is a failure."""
    for folder in (tmp_path, tmp_path / "missing"):
        outcome = soak.run_parts(folder, 120, 0)
        assert outcome.exit_code == 1
        assert "not a pass" in outcome.report()
    part(tmp_path, "a", "assert sorted([2, 1]) == [1, 2]", marked=False)
    assert soak.run_parts(tmp_path, 120, 0).failed == ["test_a"]


@given(st.lists(st.integers(), unique=True, max_size=8), st.integers(min_value=0, max_value=100))
def test_rotation_loses_nothing(soak: ModuleType, names: list[int], turn: int) -> None:
    """Every part appears once, and over as many turns as there are parts each one goes first."""
    parts = [Path(str(name)) for name in names]
    assert sorted(soak.rotated(parts, turn)) == sorted(parts)
    assert {soak.rotated(parts, turn + step)[0] for step in range(len(parts))} == set(parts)


def test_bad_minutes_are_refused() -> None:
    """SOAK_MINUTES that is no positive number exits 2 with one line."""
    for minutes in ("abc", "0", "-1", "nan", "inf"):
        given = {**os.environ, "SOAK_MINUTES": minutes}
        run = subprocess.run([sys.executable, str(SCRIPT)], env=given, capture_output=True, text=True)
        assert run.returncode == 2
        assert run.stderr.count("\n") == 1 and "SOAK_MINUTES" in run.stderr
