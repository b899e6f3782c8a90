"""Behaviour of the plugin in projects of its users: isolation, the same blocks everywhere, clear refusals."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from caia_replay.interop.scratch_chain import ScratchChain

PROJECT = Path(__file__).resolve().parents[3]
Run = Callable[..., "subprocess.CompletedProcess[str]"]

MARK = 'pytestmark = pytest.mark.fork(chain="mini", block=60)\n'
ONE_READ = "def test_read(fork):\n    assert fork.chain_id == 700177\n"


def counts(run: subprocess.CompletedProcess[str]) -> str:
    """pytest's closing line, without its time."""
    return re.sub(r" in [0-9.]+s.*", "", run.stdout.rstrip().splitlines()[-1].strip("= "))


@pytest.mark.fork(chain="mini", block=44)
def test_our_own_suite_uses_it(fork: ScratchChain) -> None:
    """The shipped snapshot is found from this project's rootdir; a task's answer is read from it."""
    supply = fork.call({"to": "0xd0dbb13f312d0707e535c47975f05803a103aad5", "data": "0x18160ddd"})
    assert (int(supply, 16), fork.block) == (56_039_000 * 10**18, 44)


def test_a_read_and_a_write_that_the_next_test_does_not_see(run_project: Run) -> None:
    """Either order: the balance that one test spent is whole in the other."""
    source = (
        MARK
        + """
@pytest.mark.parametrize("turn", [1, 2, 3])
def test_spend(fork, turn):
    assert (fork.block, fork.chain_id, balance(fork, HOLDER)) == (60, 700177, 25930 * 10**18)
    assert fork.rpc("eth_getTransactionCount", HOLDER, "latest") == hex(11)
    receipt = fork.send({"from": HOLDER, "to": MARE, "data": transfer(FRIEND, 5)})
    assert receipt["status"] == "0x1" and receipt["blockNumber"] == hex(61)
    assert (fork.block, balance(fork, HOLDER)) == (61, 25930 * 10**18 - 5)
    assert fork.rpc("eth_getTransactionCount", HOLDER, "latest") == hex(12)
"""
    )
    run = run_project(source)
    assert counts(run) == "3 passed", run.stdout


def test_scripted_transactions_make_the_same_blocks_everywhere(run_project: Run, tmp_path: Path) -> None:
    """Two tests with different delays, two runs and two workers: one list of block hashes."""
    source = (
        MARK
        + """
@pytest.mark.parametrize("delay_s", [0, 0.02, 0.4])
def test_script(fork, delay_s):
    for amount, sender, to in ((5, HOLDER, FRIEND), (6, FRIEND, HOLDER), (7, HOLDER, FRIEND)):
        fork.send({"from": sender, "to": MARE, "data": transfer(to, amount)})
        time.sleep(delay_s)
    fork.send({"from": HOLDER, "to": FRIEND, "value": 1})
    fork.mine(3)
    hashes = [fork.rpc("eth_getBlockByNumber", hex(n), False)["hash"] for n in range(60, fork.block + 1)]
    assert len(hashes) == 8
    worker = os.environ.get("PYTEST_XDIST_WORKER", "alone")
    (HERE.parent / f"{os.getpid()}-{worker}-{delay_s}.hashes").write_text(" ".join(hashes))
"""
    )
    for arguments in ((), (), ("-n", "2")):
        run = run_project(source, *arguments)
        assert counts(run) == "3 passed", run.stdout
    written = sorted(tmp_path.glob("*.hashes"))
    assert len(written) == 9
    assert {path.name.split("-")[1] for path in written} == {"alone", "gw0", "gw1"}
    assert len({path.read_text() for path in written}) == 1


def test_a_miss_is_typed_and_fails_only_its_test(run_project: Run) -> None:
    """An uncaught miss names what was asked; the test after it is served."""
    source = (
        MARK
        + """
def test_stranger(fork):
    fork.send({"from": HOLDER, "to": MARE, "data": transfer(STRANGER, 5)})

def test_after(fork):
    assert balance(fork, HOLDER) == 25930 * 10**18
"""
    )
    run = run_project(source)
    assert counts(run) == "1 failed, 1 passed", run.stdout
    assert "Miss: storage not recorded: 0x2931acaffd9415d5bb5f60a58b7f3b0d54211dc0 slot 0x" in run.stdout


@pytest.mark.parametrize("arguments", [(), ("-n", "2")])
def test_no_anvil_is_left(run_project: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """Not after tests that pass, fail or stop the run; and never two of one process at a time."""
    source = (
        MARK
        + """
def anvils():
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text()
        except OSError:
            continue
        if "(anvil)" in stat and stat.rpartition(")")[2].split()[1] == str(os.getpid()):
            found.append(folder.name)
    return found

@pytest.mark.parametrize("turn", range(4))
def test_one(fork, turn):
    fork.mine()
    (pid,) = anvils()
    (HERE.parent / f"{pid}.pid").touch()
    assert turn != 2
"""
    )
    run = run_project(source, *arguments)
    assert counts(run) == "1 failed, 3 passed", run.stdout
    pids = [int(path.stem) for path in tmp_path.glob("*.pid")]
    assert len(pids) == 4
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_wrong_markers_are_usage_errors(run_project: Run) -> None:
    """Exit code 4 before anything runs: a line per test, with what is wrong and the right form."""
    wrong = {
        "fork(chain='mini')": "the fork marker lacks block",
        "fork": "the fork marker lacks chain and block",
        "fork('mini', 60)": "the fork marker takes its arguments by name",
        "fork(chain='mini', blok=60)": "the fork marker has no argument blok",
        "fork(chain='../mini', block=60)": "chain of the fork marker is a snapshot folder's name, not '../mini'",
        "fork(chain='mini', block='60')": "block of the fork marker is a block number, not '60'",
        "fork(chain='mini', block=-1)": "block of the fork marker is a block number, not -1",
    }
    tests = [f"@pytest.mark.{marker}\ndef test_{at}(fork):\n    pass\n" for at, marker in enumerate(wrong)]
    run = run_project(ONE_READ + "".join(tests))
    assert run.returncode == 4, run.stdout
    lines = [line for line in run.stderr.splitlines() if "test_it.py::" in line]
    for at, (line, told) in enumerate(zip(lines, wrong.values(), strict=True)):
        assert f"test_it.py::test_{at}: {told}; use @pytest.mark.fork(chain=" in line
    assert "Traceback" not in run.stderr + run.stdout


def test_a_wrong_marker_fails_its_test_under_workers(run_project: Run) -> None:
    """A worker cannot refuse a run: the one test fails with the same line, the others run."""
    source = f"@pytest.mark.fork(block=60)\n{ONE_READ}\ndef test_other():\n    pass\n"
    run = run_project(source, "-n", "2")
    assert counts(run) == "1 passed, 1 error", run.stdout
    assert "the fork marker lacks chain; use" in run.stdout


@pytest.mark.parametrize(
    ("marker", "told"),
    [
        (
            "chain='minni', block=60",
            r"no snapshot of chain 'minni'; there: mini; nearest: mini; next: caia-replay",
        ),
        ("chain='mini', block=61", r"block not recorded: 61 .*there: blocks 0 to 60; next: correct block"),
    ],
)
def test_no_snapshot_or_height_is_one_clear_failure(run_project: Run, marker: str, told: str) -> None:
    """What is there and the next command, in one line without a traceback."""
    run = run_project(f"@pytest.mark.fork({marker})\n{ONE_READ}")
    assert counts(run) == "1 error", run.stdout
    assert re.search(told, run.stdout), run.stdout
    assert "pytest_plugin.py" not in run.stdout and "During handling" not in run.stdout


def test_the_same_word_without_the_fixture_is_left_alone(run_project: Run) -> None:
    """The plugin is in every run of its environment, and other people mark tests ``fork`` too."""
    run = run_project("@pytest.mark.fork('ours', slow=True)\ndef test_other():\n    pass\n")
    assert counts(run) == "1 passed", run.stdout


def test_the_fixture_needs_its_marker(run_project: Run) -> None:
    """Without one there is no chain to stand on, and the failure shows the marker."""
    run = run_project(ONE_READ)
    assert counts(run) == "1 error", run.stdout
    assert "the fork fixture needs a marker that says where it stands: @pytest.mark.fork(chain=" in run.stdout


def test_snapshots_are_found_at_or_above_rootdir(run_project: Run, tmp_path: Path) -> None:
    """Without the option the nearest chain_snapshots serves; none at all, or a wrong option, is told."""
    source = f"@pytest.mark.fork(chain='mini', block=60)\n{ONE_READ}"
    missing = run_project(source, snapshots="")
    assert "no folder chain_snapshots here or above; next: caia-replay import prestate" in missing.stdout
    wrong = run_project(source, snapshots="../elsewhere")
    assert re.search(r"fork_snapshots names no folder; next: correct fork_snapshots in .*pytest\.ini", wrong.stdout)
    shutil.copytree(PROJECT / "chain_snapshots", tmp_path / "chain_snapshots")
    assert counts(run_project(source, snapshots="")) == "1 passed"


def test_a_broken_seal_is_told(run_project: Run, tmp_path: Path) -> None:
    """A changed byte in a table, a manifest that is no JSON, and a folder under another chain's name."""
    source = "@pytest.mark.fork(chain='{}', block=60)\n" + ONE_READ
    folder = tmp_path / "chain_snapshots"
    shutil.copytree(PROJECT / "chain_snapshots", folder)
    (folder / "mini").rename(folder / "other")
    named = run_project(source.format("other"), snapshots="../chain_snapshots")
    assert "holds a snapshot of 'mini'; next: name it mini" in named.stdout
    (folder / "other").rename(folder / "mini")
    (table,) = (folder / "mini").glob("*accounts*")
    data = bytearray(table.read_bytes())
    data[len(data) // 2] ^= 1
    table.write_bytes(data)
    broken = run_project(source.format("mini"), snapshots="../chain_snapshots")
    assert table.name in broken.stdout
    assert (counts(broken), "pytest_plugin.py" in broken.stdout) == ("1 error", False)
    (folder / "mini" / "manifest.json").write_text("{")
    torn = run_project(source.format("mini"), snapshots="../chain_snapshots")
    assert (counts(torn), "manifest.json" in torn.stdout, "Traceback" in torn.stdout) == ("1 error", True, False)


def test_the_plugin_is_registered_and_light() -> None:
    """pytest loads it by its entry point, and importing it brings nothing of a fork with it."""
    code = "import sys, caia_replay.interop.pytest_plugin\nprint(*sorted({name.split('.')[0] for name in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"pyarrow", "web3", "uvicorn", "httpx", "tantivy", "vcr"} & set(run.stdout.split())
    asked = subprocess.run([sys.executable, "-m", "pytest", "--markers"], capture_output=True, text=True, check=True)
    assert "@pytest.mark.fork(chain, block): the recorded chain" in asked.stdout


@pytest.mark.parametrize("arguments", [(), ("-n", "2")])
def test_the_example_project_is_green(arguments: tuple[str, ...]) -> None:
    """What a protocol team would copy runs as its README says, alone and with two workers."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    call = [sys.executable, "-m", "pytest", "examples/offline_fork_ci", "-p", "no:cacheprovider", *arguments]
    run = subprocess.run(call, cwd=PROJECT, env=env, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout
    assert counts(run) == "5 passed"
