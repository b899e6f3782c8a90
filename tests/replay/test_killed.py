"""kill -9 of nodes and of runners: no answer changes, and no Anvil outlives who started it.

``KILLED_ROUNDS`` says how often each is done; the soak asks for more than one.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from caia_replay.analysis.diff import first_difference

pytestmark = pytest.mark.check
COMMAND = str(Path(sys.executable).with_name("caia-replay"))
ROUNDS = range(int(os.environ.get("KILLED_ROUNDS", "1")))
DEADLINE_S = 60.0
PROJECT = Path(__file__).resolve().parents[2]
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

Process = tuple[int, int]
"""A process id with the moment it started, since ids come again."""

WAITING = """
import time
import pytest

@pytest.mark.fork(chain="mini", block=60)
@pytest.mark.parametrize("turn", range(4))
def test_wait(fork, turn):
    fork.mine()
    time.sleep(600)
"""


def processes() -> Iterator[tuple[Process, int, str, str]]:
    """Every process there is: who, its parent's id, its name, its state."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            found = re.fullmatch(r"(\d+) \((.*)\) (\S) (.*)", (folder / "stat").read_text().strip(), re.DOTALL)
            assert found is not None
            fields = found[4].split()
            yield (int(found[1]), int(fields[18])), int(fields[0]), found[2], found[3]


def below(pid: int) -> dict[Process, str]:
    """All descendants of a process that still run, with their names."""
    children: dict[int, list[tuple[Process, str]]] = {}
    for process, parent, name, state in processes():
        if state not in "ZX":
            children.setdefault(parent, []).append((process, name))
    found: dict[Process, str] = {}
    todo = [pid]
    while todo:
        for process, name in children.get(todo.pop(), []):
            found[process] = name
            todo.append(process[0])
    return found


def anvils(pid: int) -> set[Process]:
    """The Anvils among its descendants that serve a chain; one that was only asked its version does not."""
    return {process for process, name in below(pid).items() if name == "anvil" and serves(process[0])}


def serves(pid: int) -> bool:
    with suppress(OSError):
        return b"--fork-url" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def until(wanted: Callable[[], object], what: str) -> None:
    """Look again and again; fails when it never comes true."""
    ends = time.monotonic() + DEADLINE_S
    while not wanted():
        assert time.monotonic() < ends, what
        time.sleep(0.01)


def finished(out: Path) -> int:
    """How many runs the journal of a running replay holds; the folder may get its final name while it is looked at."""
    found = os.walk(out.with_name(f"{out.name}.partial"))
    return sum(name.endswith(".json") for folder, _, names in found if "trajectories" in folder for name in names)


def replay(world: Path, out: Path, runs: int, workers: int) -> list[str]:
    whole = [COMMAND, "replay", "--suite", str(world), "--model", "policy/oracle", "--out", str(out)]
    return [*whole, "--runs", str(runs), "--workers", str(workers)]


@linux
def test_a_replay_whose_nodes_are_killed_has_the_same_certificate(shipped: Path, tmp_path: Path) -> None:
    """kill -9 of its Anvils at random moments, twice in a row too, and nothing in the run folder differs."""
    runs, rng, killed = 20, random.Random(20261121), set()
    whole = tmp_path / "whole"
    subprocess.run(replay(shipped, whole, runs, 1), check=True, capture_output=True)
    for turn in ROUNDS:
        out = tmp_path / str(turn)
        running = subprocess.Popen(replay(shipped, out, runs, 1 + turn % 2), stdout=subprocess.PIPE)
        while running.poll() is None:
            # Two kills may meet one call, three may not: a node that always dies is given up.
            for pause_s in (rng.uniform(0, 0.3), rng.uniform(0, 0.5)):
                for process in anvils(running.pid):
                    with suppress(ProcessLookupError):
                        os.kill(process[0], signal.SIGKILL)
                        killed.add(process)
                time.sleep(pause_s)
            before = finished(out)
            enough = before + (
                8 if turn % 2 else 3
            )  # with two workers the call of one may wait while the other plays on
            until(lambda: running.poll() is not None or finished(out) >= enough, "the replay stands still")  # noqa: B023
        told = running.communicate()[0].decode()
        assert running.returncode == 0, told
        assert first_difference(whole, out) is None
    print(f"{len(killed)} kills")
    assert len(killed) >= len(ROUNDS)


@linux
def test_a_killed_replay_leaves_no_process_behind(shipped: Path, tmp_path: Path) -> None:
    """kill -9 of the command while two workers hold an Anvil each: workers and Anvils all end."""
    for turn in ROUNDS:
        running = subprocess.Popen(replay(shipped, tmp_path / str(turn), 50, 2), stdout=subprocess.DEVNULL)
        killed_with(running, 2)


@linux
@pytest.mark.parametrize("arguments", [(), ("-n", "2")])
def test_a_killed_pytest_leaves_no_process_behind(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """kill -9 of pytest in the middle of tests with a fork, alone and with two workers."""
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nfork_snapshots = {PROJECT / 'chain_snapshots'}\n")
    (tmp_path / "test_it.py").write_text(WAITING)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments, str(tmp_path)]
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    for _ in ROUNDS:
        running = subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        killed_with(running, 2 if arguments else 1)


def killed_with(running: subprocess.Popen[bytes], forks: int) -> None:
    """Kill ``running`` once it has this many Anvils, and see everything below it end.

    They are given a moment: an Anvil that still starts would end by itself when its upstream is gone.
    """
    family: dict[Process, str] = {}
    try:
        until(lambda: len(anvils(running.pid)) == forks or running.poll() is not None, "the Anvils never started")
        time.sleep(0.5)
        family = below(running.pid)
        assert running.poll() is None and len(anvils(running.pid) & family.keys()) == forks
    finally:
        running.kill()
        running.wait()
    until(
        lambda: not family.keys() & {process for process, _, _, state in processes() if state not in "ZX"},
        f"left behind: {family}",
    )
