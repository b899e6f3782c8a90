"""Whole replays, killed and resumed at random moments, over several worker counts."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from caia_replay.analysis.diff import first_difference

COMMAND = str(Path(sys.executable).with_name("caia-replay"))
ROUNDS = 12


def command(world: Path, out: Path, workers: int, *more: str) -> list[str]:
    whole = [COMMAND, "replay", "--suite", str(world), "--runs", "10", "--workers", str(workers), "--out", str(out)]
    return [*whole, *more]


@pytest.mark.soak
def test_kill_and_resume_end_in_the_same_certificate(shipped: Path, tmp_path: Path) -> None:
    """kill -9 after a random time, then --resume with another worker count: identical to the uninterrupted run."""
    source = random.Random(20261120)
    whole = tmp_path / "whole"
    subprocess.run(command(shipped, whole, 1), check=True, capture_output=True)
    resumed = 0
    for number in range(ROUNDS):
        out = tmp_path / str(number)
        started = subprocess.Popen(
            command(shipped, out, source.choice((1, 2, 3))), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(source.uniform(0.2, 2.5))
        os.kill(started.pid, signal.SIGKILL)
        started.wait()
        if not out.exists():
            unfinished = out.with_name(out.name + ".partial").is_dir()
            more = ("--resume",) if unfinished else ()
            resumed += unfinished
            subprocess.run(command(shipped, out, source.choice((1, 2, 3)), *more), check=True, capture_output=True)
        assert first_difference(whole, out) is None
    assert resumed > 0
    index = json.loads((whole / "index.json").read_bytes())
    assert index["digest"].startswith("sha256:")
