"""What policies score on a suite, each task once."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from caia_replay.runner.plan import make_plan
from caia_replay.runner.replay import replay
from caia_replay.store.results import read_table
from caia_replay.store.world_folder import open_world


def results(world: Path, policy: str, arm: str = "clean", tasks: Sequence[str] = ()) -> dict[str, bool]:
    """Whether a policy was right, by task."""
    folder = open_world(str(world))
    plan = make_plan(folder, tasks=tasks, arms=(arm,), conditions=("tools",), model=f"policy/{policy}", runs=1, seed=0)
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "run"
        replay(plan, folder, out, workers=1, resume=False, replace=False)
        return {row["task"]: bool(row["correct"]) for row in read_table(out / f"{arm}-tools" / "results.parquet")}


def scores(world: Path, policies: Sequence[str], arm: str = "clean") -> dict[str, tuple[int, int]]:
    """How many tasks each policy got right, and how many there are."""
    found = {policy: results(world, policy, arm) for policy in policies}
    return {policy: (sum(by_task.values()), len(by_task)) for policy, by_task in found.items()}
