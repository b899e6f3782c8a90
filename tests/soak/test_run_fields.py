"""Every field of every file of a run folder, changed once: no reader of finished runs takes one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.analysis.finished_run import open_run
from caia_replay.analysis.rescore import rescore
from caia_replay.errors import BadInput
from caia_replay.runner.plan import make_plan
from caia_replay.runner.replay import replay
from caia_replay.store.world_folder import open_world
from tests.field_sweep import changed, fields


@pytest.mark.soak
def test_a_field_changed_anywhere_is_refused(shipped: Path, tmp_path: Path) -> None:
    """By rescore, and by what audit, diff, gap and why-miss open a run with; the folder itself is taken by both."""
    folder = open_world(str(shipped))
    plan = make_plan(folder, tasks=folder.suite.active()[:1], arms=("clean", "attacked"), runs=1)
    played = replay(plan, folder, tmp_path / "run", workers=1, resume=False, replace=False).out
    assert rescore([played], Path.cwd()).notes == ()
    every = fields(played)
    assert len(every) > 800
    for number, (file, place) in enumerate(every):
        path = played / file
        kept = path.read_bytes()
        changed(path, place)
        with pytest.raises(BadInput):
            open_run(played, Path.cwd()) if number % 2 else rescore([played], Path.cwd())
        path.write_bytes(kept)
    assert open_run(played, Path.cwd()).as_played
