"""record --plan, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from caia_replay.cli import main

ROOT = Path(__file__).parents[2]


def test_a_shipped_suite_can_be_planned() -> None:
    """One line a task that begins with its id and says why; the same as JSON."""
    path = str(ROOT / "cassettes" / "mini-6")
    told = CliRunner().invoke(main, ["record", "--plan", path], catch_exceptions=False)
    assert told.exit_code == 0
    lines = [line for line in told.output.splitlines() if line.startswith("mini6-")]
    assert len(lines) == 6 and all(" recordable: " in line for line in lines)
    assert told.output.splitlines()[-1].startswith("6 of 6 tasks are recorded: mini6-")
    plan = json.loads(CliRunner().invoke(main, ["record", "--plan", path, "--json"], catch_exceptions=False).output)
    assert [task["id"] for task in plan["tasks"]] == [line.split()[0] for line in lines]


def test_what_is_no_suite_is_one_line(tmp_path: Path) -> None:
    """Exit code 2."""
    told = CliRunner().invoke(main, ["record", "--plan", str(tmp_path)])
    assert told.exit_code == 2 and len(told.output.splitlines()) == 1
    both = CliRunner().invoke(main, ["record", "--plan", str(tmp_path), "--task", "x"])
    assert both.exit_code == 2 and "--plan and --task are different commands" in both.output
    nothing = CliRunner().invoke(main, ["record"])
    assert nothing.exit_code == 2 and "--task ID" in nothing.output
