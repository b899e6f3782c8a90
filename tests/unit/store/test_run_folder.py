from pathlib import Path

import pytest

from caia_replay.errors import BadInput
from caia_replay.store.run_folder import INDEX, Journal, open_index, read_json, trajectory_files, write_json


def finished(out: Path, answer: str = "1") -> Journal:
    journal = Journal(out)
    journal.start("plan", resume=False, replace=True)
    journal.save({"task": "t", "attempt": 1, "answer": answer}, "clean-tools")
    write_json(journal.path / INDEX, {"cells": []})
    journal.finish()
    return journal


def test_a_journal_becomes_the_run_folder_whole(tmp_path: Path) -> None:
    """Until it is finished nothing is at the run folder's name; afterwards all of it is."""
    out = tmp_path / "run"
    journal = Journal(out)
    journal.start("plan", resume=False, replace=False)
    journal.save({"task": "t", "attempt": 1}, "clean-tools")
    assert journal.has("clean-tools", "t", 1)
    assert not journal.has("clean-tools", "t", 2)
    assert not out.exists()
    write_json(journal.path / INDEX, {"cells": []})
    journal.finish()
    assert open_index(out) == {"cells": []}
    assert [path.name for path in trajectory_files(out / "clean-tools")] == ["1.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_a_finished_run_is_never_overwritten_unasked(tmp_path: Path) -> None:
    """An explicit folder with a finished run in it is refused; the default one is replaced."""
    out = tmp_path / "run"
    finished(out, "old")
    with pytest.raises(BadInput, match="finished run is there"):
        Journal(out).start("plan", resume=False, replace=False)
    finished(out, "new")
    assert read_json(out / "clean-tools" / "trajectories" / "t" / "1.json")["answer"] == "new"


def test_resume_goes_on_only_with_the_same_plan(tmp_path: Path) -> None:
    """An unfinished journal is kept for --resume and refused for another plan or a fresh start."""
    out = tmp_path / "run"
    Journal(out).start("plan", resume=False, replace=False)
    Journal(out).save({"task": "t", "attempt": 1}, "clean-tools")
    Journal(out).start("plan", resume=True, replace=False)
    assert Journal(out).load("clean-tools", "t", 1)["task"] == "t"
    with pytest.raises(BadInput, match="another plan"):
        Journal(out).start("other", resume=True, replace=False)
    with pytest.raises(BadInput, match="--resume"):
        Journal(out).start("plan", resume=False, replace=False)
    with pytest.raises(BadInput, match="nothing to resume"):
        Journal(tmp_path / "fresh").start("plan", resume=True, replace=False)


def test_what_is_no_run_folder_is_named(tmp_path: Path) -> None:
    """Opening an empty, unfinished or broken folder says which it is."""
    with pytest.raises(BadInput, match="not a finished run folder"):
        open_index(tmp_path)
    Journal(tmp_path / "run").start("plan", resume=False, replace=False)
    with pytest.raises(BadInput, match="unfinished"):
        open_index(tmp_path / "run")
    (tmp_path / INDEX).write_text("[1]")
    with pytest.raises(BadInput, match="no JSON object"):
        open_index(tmp_path)
