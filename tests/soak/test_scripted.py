"""Scripted transactions on forks that know nothing of each other: the same blocks, whatever the clock does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SNAPSHOT = HERE.parents[1] / "chain_snapshots" / "mini"


@pytest.mark.parametrize(
    ("seed", "steps", "delay_s"),
    [
        pytest.param(1, 12, 0.02, id="sample"),
        *(pytest.param(seed, 250, delay_s, id=f"full {seed}", marks=pytest.mark.soak)
          for seed, delay_s in ((2, 0.0), (3, 0.03), (4, 0.06))),
    ],
)  # fmt: skip
@pytest.mark.check
def test_four_forks_of_two_processes_mine_the_same_blocks(
    seed: int, steps: int, delay_s: float, anvil_binary: Path
) -> None:
    """Receipts, pending blocks and block hashes are equal over two processes with two forks each, delays random."""
    command = [sys.executable, str(HERE / "scripted.py"), str(SNAPSHOT), str(seed), str(steps), str(delay_s)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate()[0].splitlines() for process in running]
    assert [process.returncode for process in running] == [0, 0]
    transcripts = [line for lines in said for line in lines]
    assert len(transcripts) == 4 and len(set(transcripts)) == 1
    told = json.loads(transcripts[0])
    assert {item["status"] for item in told if "status" in item} == {"0x0", "0x1"}
    mined = [item for item in told if "transactions" in item and item["hash"] is not None][-1]
    assert int(mined["number"], 16) == 60 + steps
