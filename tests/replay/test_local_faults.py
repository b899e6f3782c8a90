"""A replay of a local model on a machine that fails under it: named, resumable, and no server left; with a stand-in for
the engine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from caia_replay.models.local_file import PYTHON_VARIABLE
from tests.llama_engine import engine_python, weights

pytestmark = pytest.mark.check
REPLAY = (sys.executable, "-c", "from caia_replay.cli import main; main()", "replay")
TOLD = ("--suite", "mini-6", "--task", "mini6-base-fee-bound", "--arm", "clean")
TOLD += ("--agent", "text-react", "--tools", "compact,core-4")
ANSWERS = ("FINAL ANSWER: 12",)
PATIENCE_S = 120

ON_A_SMALL_DISK = """
mount -t tmpfs -o size=$1k tmpfs "$2" || exit 99
shift; out=$1; shift
"$@" --out "$out/run"; code=$?
[ $code = 2 ] || exit 98
[ ! -e "$out/run" ] || exit 97
cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -q '[l]lama_server.py' && exit 96
mount -o remount,size=64m "$out"
"$@" --out "$out/run" $([ -e "$out/run.partial" ] && echo --resume) >&2 || exit 95
cat "$out/run/clean-tools/certificate.json"
"""
ALONE = ("unshare", "-rmpf", "--mount-proc", "sh", "-c")
"""A shell that sees its own processes and none else."""


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The stand-in is the engine that the command finds."""
    return os.environ | {PYTHON_VARIABLE: str(engine_python(tmp_path / "site"))}


def certificate(run: Path) -> Any:
    return json.loads((run / "clean-tools" / "certificate.json").read_text())


def servers(path: Path) -> list[int]:
    """The running servers of a file of weights."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = place.read_bytes()
        except OSError:
            continue
        if b"llama_server.py" in line and str(path).encode() in line:
            found.append(int(place.parent.name))
    return found


def awaited(condition: Any, what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


@pytest.mark.parametrize("kib", [8, 64])
def test_a_full_disk_is_named_and_resumed(mini: Path, environ: dict[str, str], tmp_path: Path, kib: int) -> None:
    """Exit code 2, one line, no run folder and no server; with room the same command ends in the right certificate."""
    path, disk = weights(tmp_path / "small.gguf", *ANSWERS), tmp_path / "disk"
    disk.mkdir()
    command = [*REPLAY, *TOLD, "--model", f"local/{path}", "--runs", "8"]
    sound = subprocess.run([*command, "--out", str(tmp_path / "sound")], cwd=mini, env=environ, capture_output=True)
    assert sound.returncode == 0, sound.stderr
    script = [*ALONE, ON_A_SMALL_DISK, "sh", str(kib), str(disk), *command]
    ended = subprocess.run(script, cwd=mini, env=environ, capture_output=True, text=True)
    assert ended.returncode == 0, (ended.returncode, ended.stderr)
    (line,) = (line for line in ended.stderr.splitlines() if "No space left on device" in line)
    assert str(disk) in line and "next:" in line
    assert json.loads(ended.stdout[ended.stdout.index("{") :])["digest"] == certificate(tmp_path / "sound")["digest"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped and killed"])
def test_a_command_that_is_killed_in_a_completion_is_resumed(
    mini: Path, environ: dict[str, str], tmp_path: Path, number: signal.Signals
) -> None:
    """kill -9 of a writing or stopped command leaves no server and no half of a run; --resume plays the rest."""
    path, out = weights(tmp_path / "slow.gguf", *ANSWERS, hangs=2), tmp_path / "run"
    command = [*REPLAY, *TOLD, "--model", f"local/{path}", "--runs", "2", "--out", str(out)]
    partial = out.with_name("run.partial")
    with subprocess.Popen(command, cwd=mini, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as one:
        awaited(lambda: list(partial.glob("*/trajectories/*/1.json")), "the first run ended")
        assert len(servers(path)) == 1
        one.send_signal(number)
        one.kill()
    awaited(lambda: not servers(path), "the server ended with the command")
    assert not out.exists()
    again = subprocess.run([*command, "--resume"], cwd=mini, env=environ, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    assert certificate(out)["digest"] is not None and not servers(path)
