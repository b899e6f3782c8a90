import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from caia_replay.errors import BadInput
from caia_replay.runner.executor import execute
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.store.run_folder import Journal
from caia_replay.store.world_folder import open_world


def plan(world: Path, model: str = "policy/oracle", runs: int = 2) -> RunPlan:
    return make_plan(
        open_world(str(world)),
        arms=("clean",),
        model=model,
        runs=runs,
    )


def started(out: Path) -> Journal:
    journal = Journal(out)
    journal.start("p", resume=False, replace=False)
    return journal


def test_every_run_is_counted_once_over_any_number_of_workers(shipped: Path, tmp_path: Path) -> None:
    """Progress adds up to the plan, and every record is in the journal, with more workers than tasks too."""
    whole = plan(shipped, runs=1)
    for workers in (1, 2, 9):
        out = tmp_path / str(workers)
        journal = started(out)
        counted: list[int] = []
        execute(whole, journal, workers, counted.append)
        journal.release()
        assert sum(counted) == whole.size
        assert all(Journal(out).has(cell.folder, task, attempt) for task, cell, attempt in whole.episodes())


def test_bad_input_in_a_worker_is_the_same_one_line(shipped: Path, tmp_path: Path) -> None:
    """What a worker refuses reaches the user as it would without workers."""
    broken = plan(shipped, model="policy/oracel")
    faults = []
    for workers in (1, 2):
        with pytest.raises(BadInput) as caught:
            execute(broken, started(tmp_path / str(workers)), workers, lambda count: None)
        faults.append(str(caught.value))
    assert faults[0] == faults[1]
    with pytest.raises(BadInput, match="at least one worker"):
        execute(broken, started(tmp_path / "x"), 0, lambda count: None)


def test_killing_the_parent_leaves_no_worker_and_no_node(shipped: Path, tmp_path: Path) -> None:
    """After kill -9 of a replay its workers and their Anvils are gone."""
    command = [str(Path(sys.executable).with_name("caia-replay")), "replay", "--suite", str(shipped)]
    command += ["--model", "policy/oracle", "--runs", "4000", "--workers", "2", "--out", str(tmp_path / "run")]
    parent = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    family: set[int] = set()
    deadline = time.monotonic() + 60
    try:
        while time.monotonic() < deadline and not any("anvil" in name_of(pid) for pid in family):
            family = descendants(parent.pid)
            time.sleep(0.05)
        assert any("anvil" in name_of(pid) for pid in family)
        family = descendants(parent.pid)
    finally:
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and any(name_of(pid) for pid in family):
        time.sleep(0.05)
    assert [name_of(pid) for pid in family if name_of(pid)] == []


def test_workers_hold_the_journal_as_their_parent_does(shipped: Path, tmp_path: Path) -> None:
    """Should the parent be killed, nobody goes on in the folder while a worker may still write there."""
    journal = started(tmp_path / "run")
    holders: list[int] = []

    def look(count: int) -> None:
        family = descendants(os.getpid())
        holders.extend(pid for pid in family if "anvil" not in name_of(pid) and holds(pid, journal.path))

    execute(plan(shipped, runs=1), journal, 2, look)
    journal.release()
    assert holders


def holds(pid: int, folder: Path) -> bool:
    """Whether a process has a folder open."""
    return any(link.samefile(folder) for link in Path(f"/proc/{pid}/fd").glob("*") if link.exists())


def descendants(pid: int) -> set[int]:
    """Every process below ``pid`` now."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*"):
        children = ""
        with suppress(OSError):  # a thread may end between being listed and being read
            children = (task / "children").read_text()
        for child in children.split():
            found |= {int(child)} | descendants(int(child))
    return found


def name_of(pid: int) -> str:
    """A process's name; empty when it is gone or only waits to be reaped."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    name, rest = fields[fields.index("(") + 1 :].rsplit(")", 1)
    return "" if rest.split()[0] == "Z" else name
