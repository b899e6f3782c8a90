"""caia-replay record, as a user types it: recorded, proven, sealed; cut, killed, or pointed at the wrong node."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.check
COMMAND = str(Path(sys.executable).with_name("caia-replay"))


@pytest.fixture(scope="module")
def origin(anvil_binary: Path, living_origin: ModuleType) -> Iterator[Any]:
    with living_origin.living(anvil_binary) as found:
        yield found


@pytest.fixture
def door(origin: Any, living_origin: ModuleType) -> Iterator[Any]:
    with living_origin.gate(origin.port) as found:
        yield found


@pytest.fixture
def root(origin: Any, living_origin: ModuleType, tmp_path: Path) -> Path:
    living_origin.draft_world(tmp_path, origin)
    return tmp_path


def run(root: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "CAIA_REPLAY_RPC_URL"}
    return subprocess.run(
        [COMMAND, *arguments], cwd=root, env=environment | variables, capture_output=True, text=True, timeout=600
    )


def kept(root: Path) -> dict[Path, bytes]:
    """Every file but the lock and the journals, which are disposable."""
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and ".cache" not in path.parts}


def test_a_new_task_is_recorded_sealed_and_replayed(root: Path, door: Any) -> None:
    """From a world without snapshot or seal to one that call, verify and lint accept; then nothing is left to do."""
    done = run(root, "record", "--task", "toy-call", "--origin", "live", "--rpc-url", door.url)
    assert (done.returncode, done.stderr) == (0, "")
    assert "toy-call: 7, replayed offline" in done.stdout and f"sealed {root}/cassettes" in done.stdout
    called = run(root, "call", "balance_query", '{"address": "0x' + "00" * 20 + '"}', "--task", "toy-call")
    assert called.returncode == 0 and '"served": "FORK"' in called.stdout
    assert run(root, "lint", "chain_snapshots").returncode == 0
    again = run(root, "record", "--task", "toy-call", "--origin", "live", CAIA_REPLAY_RPC_URL=door.url)
    assert again.returncode == 0 and "recorded already" in again.stdout


def test_another_answer_than_the_task_s_is_a_failed_check(root: Path, door: Any) -> None:
    """What the chain says is kept; that the task expects something else is exit code 1."""
    path = root / "cassettes" / "toy-world" / "tasks" / "toy-call" / "task.toml"
    path.write_text(path.read_text().replace('values = ["7"]', 'values = ["8"]'))
    done = run(root, "record", "--task", "toy-call", "--origin", "live", "--rpc-url", door.url)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert "the recorded chain gives 7" in done.stderr and "expected 8" in done.stderr
    assert (root / "chain_snapshots" / "toy" / "manifest.json").is_file()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--origin", "live"), "--origin live needs a node"),
        (("--origin", "live", "--rpc-url", "http://127.0.0.1:1/sEcret-0123456789"), "cannot be reached"),
        (("--origin", "live", "--rpc-url", "ws://sEcret-0123456789"), "begins with http"),
        (("--origin", "synthetic"), "names no seed"),
        (("--origin", "recorded"), "--origin"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_leaves_nothing(root: Path, arguments: tuple[str, ...], words: str) -> None:
    """No node, a dead one, no http, no seed, no such origin: exit code 2, and the address is not repeated."""
    before = kept(root)
    done = run(root, "record", "--task", "toy-call", *arguments)
    assert done.returncode == 2 and words in done.stderr and len(done.stderr.splitlines()) == 1
    assert "sEcret" not in done.stdout + done.stderr
    assert kept(root) == before


def test_a_node_of_another_chain_is_refused(mini: Path, door: Any) -> None:
    """The shipped world is of another chain id than this node; its files stay as they are."""
    before = kept(mini)
    done = run(mini, "record", "--task", "mini6-supply", "--origin", "synthetic", "--rpc-url", door.url)
    assert done.returncode == 2 and "serves chain id 7005, and chain mini has chain id 700177" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert kept(mini) == before


def test_a_synthetic_world_is_recorded_from_its_seed(mini: Path) -> None:
    """Its chain's snapshot lost, it is grown again and recorded; no address is needed, and the answer is the same."""
    shutil.rmtree(mini / "chain_snapshots" / "mini")
    done = run(mini, "record", "--task", "mini6-treasury-balance", "--origin", "synthetic")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert "replayed offline" in done.stdout and "sealed" in done.stdout


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_capture_that_was_stopped_goes_on(root: Path, door: Any, how: signal.Signals) -> None:
    """Stopped in the middle by any signal: no node is left, nothing is half-written, the same command ends it."""
    door.hold = "eth_getBalance"  # which a running fork asks
    command = [COMMAND, "record", "--task", "toy-balance", "--origin", "live", "--rpc-url", door.url]
    running = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not door.held:
        time.sleep(0.02)
    children = _children(running.pid)
    assert children, "a node was running"
    running.send_signal(how)
    said = running.communicate(timeout=600)[1]
    if how is not signal.SIGKILL:
        assert running.returncode == 3 and said.count("\n") == 1 and "goes on from there" in said
    while time.monotonic() < deadline and any(Path(f"/proc/{pid}").exists() for pid in children):
        time.sleep(0.02)
    assert not any(Path(f"/proc/{pid}").exists() for pid in children)
    assert not list((root / "chain_snapshots").glob("toy*"))
    door.hold = None
    done = run(root, "record", "--task", "toy-balance", "--origin", "live", "--rpc-url", door.url)
    assert (done.returncode, done.stderr) == (0, "") and "going on with" in done.stdout


def _children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(child) for child in task.read_text().split()]
    return found
