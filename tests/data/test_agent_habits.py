"""What the searcher takes over from recorded agents is what their trajectories say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from caia_replay.models.policies.searcher import KEPT_WORDS, PAGES, QUERIES, QUERY_WORDS

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "agent_habits.py"


def habits(path: Path) -> dict[str, float]:
    """What the script prints, by name."""
    done = subprocess.run([sys.executable, str(SCRIPT), str(path)], capture_output=True, text=True, check=True)
    return {name: float(value) for name, value in (line.rsplit(": ", 1) for line in done.stdout.splitlines())}


@pytest.mark.real
def test_the_searcher_has_the_habits_of_recorded_agents(real_data: Path) -> None:
    """Queries a search, words a query, words kept, pages opened and operators are those of the 200 trajectories."""
    found = habits(real_data / "agent-traces" / "webdancer_sample_traj.jsonl")
    assert found["tasks"] == 200 and found["queries with an operator"] == 0
    assert (found["queries a search, median"], found["words a query, median"]) == (QUERIES, QUERY_WORDS)
    assert abs(found["words of a later query that the first has"] - KEPT_WORDS / QUERY_WORDS) < 0.1
    assert found["addresses a visit, mean"] <= PAGES and found["searches a task, mean"] == 1.02


def test_habits_of_what_holds_no_search_are_refused(tmp_path: Path) -> None:
    """A file of no trajectories, and a folder that is no cell, are one line and exit code 2."""
    path = tmp_path / "traces.jsonl"
    path.write_text('{"messages": []}\n')
    for wrong in (path, tmp_path, tmp_path / "none"):
        done = subprocess.run([sys.executable, str(SCRIPT), str(wrong)], capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
