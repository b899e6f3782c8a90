import subprocess
import sys
from pathlib import Path

import pytest

from caia_replay.errors import BadInput
from caia_replay.store.run_folder import (
    INDEX,
    RECORD_FIELDS,
    Journal,
    open_index,
    read_json,
    trajectory_files,
    write_json,
)


def finished(out: Path, answer: str = "1") -> Journal:
    journal = Journal(out)
    journal.start("plan", resume=False, replace=True)
    journal.save({"task": "t", "attempt": 1, "answer": answer}, "clean-tools")
    write_json(journal.path / INDEX, {"cells": []})
    journal.finish()
    return journal


def start(out: Path, plan: str = "plan", *, resume: bool = False) -> None:
    journal = Journal(out)
    try:
        journal.start(plan, resume=resume, replace=False)
    finally:
        journal.release()


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
    start(out)
    Journal(out).save(dict.fromkeys(RECORD_FIELDS) | {"task": "t", "attempt": 1}, "clean-tools")
    start(out, resume=True)
    assert Journal(out).load("clean-tools", "t", 1)["task"] == "t"
    with pytest.raises(BadInput, match="another plan"):
        start(out, "other", resume=True)
    with pytest.raises(BadInput, match="--resume"):
        start(out)
    with pytest.raises(BadInput, match="nothing to resume"):
        Journal(tmp_path / "fresh").start("plan", resume=True, replace=False)


def test_what_a_killed_replay_was_writing_is_gone_when_it_is_resumed(tmp_path: Path) -> None:
    """A file under its temporary name, anywhere in the journal, is not part of the run; finished records stay."""
    journal = Journal(tmp_path / "run")
    start(tmp_path / "run")
    journal.save(dict.fromkeys(RECORD_FIELDS) | {"task": "t", "attempt": 1}, "clean-tools")
    record = journal.record_path("clean-tools", "t", 1)
    for torn in (record.with_name(".2.json.4711.partial"), journal.path / "clean-tools" / ".steps.parquet.8.partial"):
        torn.write_bytes(b"{")
    start(tmp_path / "run", resume=True)
    assert sorted(path.name for path in journal.path.rglob("*") if path.is_file()) == ["1.json", "plan.json"]


def test_a_journal_held_by_an_ending_worker_is_waited_for(tmp_path: Path) -> None:
    """The workers of a killed replay end a moment after it: its journal is resumed then, not refused."""
    held = Journal(tmp_path / "run")
    held.start("plan", resume=False, replace=True)
    orphan = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.5)"], pass_fds=(held.lock,))
    held.release()
    start(tmp_path / "run", resume=True)
    assert orphan.wait() == 0


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


def test_two_replays_never_write_one_folder(tmp_path: Path) -> None:
    """While one process holds a journal another is refused, even one that may replace it."""
    held = Journal(tmp_path / "run")
    held.start("plan", resume=False, replace=True)
    for resume, replace in ((True, False), (False, True)):
        with pytest.raises(BadInput, match="another replay is writing there"):
            Journal(tmp_path / "run").start("plan", resume=resume, replace=replace)
    held.release()
    start(tmp_path / "run", resume=True)


@pytest.mark.parametrize("name", ["", "..", "sealed/run", "sealed/below/run", "chain/run", "file", "full"])
def test_what_is_no_place_for_a_run_is_refused_and_kept(tmp_path: Path, name: str) -> None:
    """No folder of its own, a sealed world or snapshot, a file, a folder that holds something else."""
    for path in ("sealed/seal.json", "chain/manifest.json", "file", "full/precious"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("kept")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(BadInput):
        Journal(tmp_path / name if name != "" else Path()).start("plan", resume=False, replace=True)
    assert sorted(tmp_path.rglob("*")) == before


def test_an_empty_folder_and_a_link_are_filled_and_neighbours_stay(tmp_path: Path) -> None:
    """The run lands where a link points; a folder that happens to be called like it with .old is not touched."""
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to("far")
    (tmp_path / "link.old").mkdir()
    (tmp_path / "far.old").mkdir()
    finished(tmp_path / "link")
    finished(tmp_path / "link")
    assert open_index(tmp_path / "far") == {"cells": []}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["far", "far.old", "link", "link.old"]


def test_a_record_that_is_not_the_runs_is_refused(tmp_path: Path) -> None:
    """A file in an unfinished journal that lacks fields, or is another run's, is named and never used."""
    journal = Journal(tmp_path / "run")
    whole = dict.fromkeys(RECORD_FIELDS) | {"task": "t", "attempt": 1}
    for wrong in ({"task": "t", "attempt": 1}, whole | {"attempt": 2}, whole | {"task": "u"}):
        write_json(journal.record_path("clean-tools", "t", 1), wrong)
        with pytest.raises(BadInput, match="not the record of this run"):
            journal.load("clean-tools", "t", 1)
    write_json(journal.record_path("clean-tools", "t", 1), whole)
    assert journal.load("clean-tools", "t", 1) == whole


def test_what_was_played_is_never_thrown_away_unasked(tmp_path: Path) -> None:
    """A journal with a finished run in it is refused without --resume, also where a finished run may be replaced."""
    journal = Journal(tmp_path / "run")
    journal.start("plan", resume=False, replace=True)
    journal.release()
    again = Journal(tmp_path / "run")
    again.start("plan", resume=False, replace=True)
    again.release()
    journal.save({"task": "t", "attempt": 1}, "clean-tools")
    with pytest.raises(BadInput, match="RESUME=1"):
        Journal(tmp_path / "run").start("plan", resume=False, replace=True)
    assert journal.has("clean-tools", "t", 1)


def test_a_finished_run_is_not_resumed(tmp_path: Path) -> None:
    """--resume where everything is finished replaces nothing."""
    finished(tmp_path / "run", "kept")
    with pytest.raises(BadInput, match="nothing to resume"):
        Journal(tmp_path / "run").start("plan", resume=True, replace=True)


def test_a_run_that_another_try_may_end_otherwise_is_played_again(tmp_path: Path) -> None:
    """Taken up with the same plan alone, a resumable folder keeps its runs but those of wall_limit and model_fault."""
    out, whole = tmp_path / "run", dict.fromkeys(RECORD_FIELDS)
    journal = Journal(out)
    journal.start("plan", resume=False, replace=True)
    for attempt, stop in ((1, "answered"), (2, "wall_limit"), (3, "model_fault"), (4, "tape_miss")):
        journal.save(whole | {"task": "t", "attempt": attempt, "stop": stop}, "clean-tools")
    write_json(journal.path / INDEX, {"cells": [], "digest": None})
    journal.finish(resumable=True)
    assert open_index(out)["digest"] is None
    with pytest.raises(BadInput, match="another plan"):
        start(out, "other", resume=True)
    with pytest.raises(BadInput, match="finished run is there"):
        start(out)
    start(out, resume=True)
    assert not out.exists() and not (journal.path / INDEX).exists()
    assert [journal.has("clean-tools", "t", attempt) for attempt in (1, 2, 3, 4)] == [True, False, False, True]
    journal.save(whole | {"task": "t", "attempt": 2, "stop": "wall_limit"}, "clean-tools")
    start(out, resume=True)
    assert not journal.has("clean-tools", "t", 2)
