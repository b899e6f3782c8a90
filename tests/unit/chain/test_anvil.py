"""Behaviour of one Anvil process, by its process id."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from caia_replay.chain.anvil import AnvilProcess
from caia_replay.errors import ForkFault


def gone(pid: int) -> bool:
    """Whether no process has this id, after the moment that the kernel needs."""
    for _ in range(1000):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


class SlowOutput:
    """An output that takes a moment to close, and must be let alone meanwhile."""

    def __init__(self, output: Any) -> None:
        self._output = output
        self._closing = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._output, name)

    def close(self) -> None:
        if self._closing:
            raise OSError("it is being closed")
        self._closing = True
        time.sleep(0.02)
        self._output.close()
        self._closing = False


def test_it_listens_on_its_own_port_and_leaves_nothing(anvil_binary: Path) -> None:
    """Two processes have two ports, answer with their own chain, and are gone after stop."""
    nodes = [AnvilProcess(anvil_binary, ["--chain-id", str(chain)]) for chain in (71, 72)]
    for chain, node in zip((71, 72), nodes, strict=True):
        connection = node.connect()
        assert connection.demand("eth_chainId") == hex(chain)
        connection.close()
        assert node.alive
    for node in nodes:
        node.stop()
        node.stop()
        assert gone(node.pid)
        assert not node.alive


def test_it_may_be_stopped_by_several_threads_at_once(anvil_binary: Path) -> None:
    """Each of them returns when the process is gone, and none of them trips over another."""
    faults: list[Exception] = []
    for _ in range(4):
        node = AnvilProcess(anvil_binary, [])
        together = threading.Barrier(8)
        output = node._output
        node._output = SlowOutput(output)  # type: ignore[assignment]

        def stop(node: AnvilProcess = node, together: threading.Barrier = together) -> None:
            together.wait()
            try:
                node.stop()
            except (OSError, ValueError) as fault:
                faults.append(fault)

        threads = [threading.Thread(target=stop) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert output.closed and gone(node.pid)
    assert faults == []


def test_a_child_that_cannot_start_says_why(anvil_binary: Path, tmp_path: Path) -> None:
    """Its last words are in the fault."""
    with pytest.raises(ForkFault, match="--no-such-flag"):
        AnvilProcess(anvil_binary, ["--no-such-flag"])
    with pytest.raises(ForkFault, match="cannot be started"):
        AnvilProcess(tmp_path / "missing", [])


def test_it_outlives_the_thread_that_started_it(anvil_binary: Path) -> None:
    """The kernel's death signal follows a thread, and worker threads come and go."""
    made: list[AnvilProcess] = []
    starter = threading.Thread(target=lambda: made.append(AnvilProcess(anvil_binary, [])))
    starter.start()
    starter.join()
    connection = made[0].connect()
    assert connection.demand("eth_blockNumber") == "0x0"
    connection.close()
    made[0].stop()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux kills a child with its parent")
@pytest.mark.parametrize("end", ["kill", "exit"])
def test_it_dies_with_its_parent(anvil_binary: Path, end: str) -> None:
    """Neither a killed parent nor one that forgets to stop leaves a node behind."""
    code = (
        "import sys, time; from pathlib import Path; from caia_replay.chain.anvil import AnvilProcess\n"
        f"node = AnvilProcess(Path({str(anvil_binary)!r}), []); print(node.pid, flush=True)\n"
        f"time.sleep(60) if {end!r} == 'kill' else sys.exit(0)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    if end == "kill":
        os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    assert gone(pid)
