from pathlib import Path

import pytest

from caia_replay.errors import BadInput
from caia_replay.runner.batch import play
from caia_replay.runner.plan import make_plan
from caia_replay.store.run_folder import RECORD_FIELDS, Journal
from caia_replay.store.world_folder import open_world


def test_runs_the_journal_has_are_not_played_again(shipped: Path, tmp_path: Path) -> None:
    """A kept record stays as it is; only what lacks is played, and progress counts both."""
    folder = open_world(str(shipped))
    plan = make_plan(
        folder,
        tasks=folder.suite.active()[:2],
        arms=("clean",),
        runs=2,
    )
    journal = Journal(tmp_path / "run")
    kept = dict.fromkeys(RECORD_FIELDS) | {"task": plan.tasks[0], "attempt": 1, "mark": "kept"}
    journal.save(kept, "clean-tools")
    counted: list[int] = []
    play(plan, Journal(tmp_path / "run"), counted.append)
    assert sum(counted) == plan.size
    assert journal.load("clean-tools", plan.tasks[0], 1) == kept
    assert journal.load("clean-tools", plan.tasks[1], 2)["stop"] == "answered"


def test_an_unknown_campaign_is_refused_before_any_run(shipped: Path, tmp_path: Path) -> None:
    """The attacked arm needs its overlay; without it nothing is played."""
    plan = make_plan(
        open_world(str(shipped)),
        arms=("attacked",),
        runs=1,
        campaign="seo-havy",
    )
    with pytest.raises(BadInput, match="nearest: seo-heavy"):
        play(plan, Journal(tmp_path / "run"), lambda count: None)
    assert not list(tmp_path.rglob("*.json"))
