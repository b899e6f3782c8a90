"""A Foundry project recorded against a node with history, and tested again with the node gone, by the real forge."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.foundry_origin import archive, forge_blocks, forge_project

pytestmark = pytest.mark.check

COMMAND = [sys.executable, "-c", "from caia_replay.cli import main; main()", "rpc"]
BOTH = "forge test --json > tests.json && forge script script/Holders.s.sol > script.txt"
LEAST_TESTS = 40


@dataclass(frozen=True)
class Project:
    """A built Foundry project whose chain was recorded, and what the recording printed."""

    folder: Path
    environment: dict[str, str]
    said: str

    def served(self, *command: str) -> subprocess.CompletedProcess[str]:
        """A command on the record alone."""
        return run(self.folder, self.environment, "serve", "--chain", "harbour", "--", *command)


def run(folder: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """One rpc command, in the project's folder."""
    return subprocess.run(
        [*COMMAND, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.fixture(scope="module")
def project(anvil_binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """Recorded; the node behind it has ended before the first test."""
    folder, environment = forge_project(tmp_path_factory.mktemp("foundry") / "project")
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    environment["CAIA_REPLAY_ANVIL"] = str(anvil_binary)
    with archive(anvil_binary, folder) as node:
        record = ["record", "--upstream", node.url, "--out", "chain_snapshots/harbour"]
        ran = run(folder, environment, *record, "--", "sh", "-c", BOTH)
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    yield Project(folder, environment, ran.stdout)


def test_forty_tests_pass_with_the_node_gone(project: Project) -> None:
    """Forks, rolls, pranks, writes, reverts, proxies, logs, fuzz and invariant runs, and a script: all pass alone."""
    ran = project.served("sh", "-c", BOTH)
    assert ran.returncode == 0, ran.stderr[-3000:]
    suites = json.loads((project.folder / "tests.json").read_text("utf-8"))
    results = {
        f"{suite} {name}": test["status"]
        for suite, told in suites.items()
        for name, test in told["test_results"].items()
    }
    assert len(results) >= LEAST_TESTS and set(results.values()) == {"Success"}
    assert "Script ran successfully" in (project.folder / "script.txt").read_text("utf-8")
    assert "missed" not in ran.stderr and "it passes alone" in project.said


def test_two_runs_are_equal_to_the_byte(project: Project) -> None:
    """Gas reports and traces do not differ between two offline runs, nor with eight threads."""
    # What forge draws for invariant runs differs from run to run on a living node, too, whatever the seed.
    command = ("forge", "test", "-vvvv", "--gas-report", "--no-match-contract", "Invariant")
    one, two, eight = (forge_blocks(project.served(*command, *more).stdout) for more in ((), (), ("-j", "8")))
    assert sum(block.count("[PASS]") for block in one) >= LEAST_TESTS and any("::buy" in block for block in one)
    assert one == two == eight


def test_no_changed_request_of_forge_survives(project: Project) -> None:
    """A thousand requests of forge's with another address, slot, block, method or argument are killed, every one."""
    ran = run(project.folder, project.environment, "mutate", "--chain", "harbour", "--", "forge", "test")
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    assert "1000 changed ones" in ran.stdout and "kill rate 100.0%" in ran.stdout
    assert all(f"{field}: " in ran.stdout for field in ("address", "slot", "block"))
