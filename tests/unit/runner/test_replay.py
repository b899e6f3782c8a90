"""A replay from plan to certified run folder, and how two run folders differ."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.analysis.diff import first_difference
from caia_replay.core.score import RULES
from caia_replay.errors import BadInput, WallLimit
from caia_replay.runner.certificate import certify
from caia_replay.runner.episode import play, staged
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.runner.replay import Finished, replay
from caia_replay.runner.run_end import RunEnd
from caia_replay.store.results import read_table
from caia_replay.store.run_folder import RECORD_FIELDS, Journal
from caia_replay.store.world_folder import WorldFolder, open_world, seal_world
from caia_replay.tools.catalog import WorldToolset
from tests.finished_run import rewritten
from tests.trajectories import entries, records, write_entries


def planned(folder: WorldFolder, **changes: Any) -> RunPlan:
    wanted: dict[str, Any] = {"tasks": folder.suite.active()[:2], "model": "policy/credulous", "runs": 2}
    return make_plan(folder, **({"arms": ("clean", "attacked"), "campaign": "edited"} | wanted | changes))


def replayed(folder: WorldFolder, out: Path, workers: int = 1, resume: bool = False, **changes: Any) -> Finished:
    plan = planned(folder, **changes)
    return replay(plan, folder, out, workers=workers, resume=resume, replace=False)


@pytest.fixture(scope="module")
def whole(folder: WorldFolder, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """An uninterrupted run in both arms."""
    return replayed(folder, tmp_path_factory.mktemp("whole") / "run")


def test_the_run_folder_has_every_agreed_file_and_field(folder: WorldFolder, whole: Finished, tmp_path: Path) -> None:
    """A folder per cell with tables, summary, certificate, trajectories; machine and moment stand in run.json alone."""
    names = ["arms.json", "attacked-tools", "clean-tools", "index.json", "run.json"]
    assert sorted(path.name for path in whole.out.iterdir()) == names
    run = json.loads((whole.out / "run.json").read_bytes())
    for cell in ("clean-tools", "attacked-tools"):
        place = whole.out / cell
        summary, certificate = (
            json.loads((place / f"{name}.json").read_bytes()) for name in ("summary", "certificate")
        )
        assert summary["digest"] == certificate["digest"]
        assert len(read_table(place / "results.parquet")) == 4
        assert len(records(place)) == 4
        assert sum(row["kind"] == "tool" for row in read_table(place / "steps.parquet")) == summary["calls"]
        told = json.dumps(certificate)
        assert run["started"] not in told and (run["host"] not in told or not run["host"])
    (summary,) = replayed(folder, tmp_path / "bare", conditions=("no-tools",), arms=("clean",)).summaries
    assert (summary["calls"], summary["caia_web_share"], summary["tool_share"]) == (0, None, {})  # null, not zero
    assert summary["attack"] == dict.fromkeys(summary["attack"], 0)


@pytest.mark.check
def test_worker_counts_do_not_change_a_byte(folder: WorldFolder, whole: Finished, tmp_path: Path) -> None:
    """One and two workers leave identical runs."""
    assert first_difference(whole.out, replayed(folder, tmp_path / "two", workers=2).out) is None


def test_an_interrupted_replay_resumes_to_the_same_run(folder: WorldFolder, whole: Finished, tmp_path: Path) -> None:
    """What a stop left in the journal is kept, the rest is played, and the result is the uninterrupted one."""
    stopped = 0

    def stop_soon(end: RunEnd) -> None:
        nonlocal stopped
        stopped += 1
        if stopped == 3:
            raise KeyboardInterrupt

    out = tmp_path / "cut"
    with pytest.raises(KeyboardInterrupt):
        replay(planned(folder), folder, out, workers=1, resume=False, replace=False, watch=stop_soon)
    assert not out.exists()
    assert Journal(out).path.is_dir()
    with pytest.raises(BadInput, match="--resume"):
        replayed(folder, out)
    assert first_difference(whole.out, replayed(folder, out, resume=True).out) is None


def test_a_run_that_the_clock_ended_has_no_certificate_until_it_is_played_again(
    folder: WorldFolder, whole: Finished, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its cell and the folder have null for a digest, and it is not scored; resumed, it is whole."""
    usual, made = WorldToolset.call, 0

    def late_once(toolset: WorldToolset, name: str, arguments: str) -> Any:
        nonlocal made
        made += 1
        if made == 3:
            raise WallLimit(name, 20)
        return usual(toolset, name, arguments)

    monkeypatch.setattr(WorldToolset, "call", late_once)
    ended = replayed(folder, tmp_path / "run")
    assert [cell["uncertified_runs"] for cell in ended.summaries] == [1, 0]
    assert [cell["digest"] is None for cell in ended.summaries] == [True, False]
    assert ended.summaries[0]["scored"]["runs"] == 3
    assert json.loads((ended.out / "index.json").read_bytes())["digest"] is None
    assert "took longer than 20 s" in ended.causes[0]
    assert first_difference(whole.out, replayed(folder, tmp_path / "run", resume=True).out) is None
    with pytest.raises(BadInput, match="finished run is there"):
        replayed(folder, tmp_path / "run", resume=True)


EDITS = range(int(os.environ.get("WORLD_EDITS", "5")))


@pytest.fixture(scope="module")
def untouched(folder: WorldFolder, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """Every task once in both arms."""
    return replayed(folder, tmp_path_factory.mktemp("untouched") / "run", tasks=(), runs=1)


@pytest.mark.check
@pytest.mark.parametrize("number", EDITS)
def test_a_world_changed_while_it_is_used_is_refused_or_changes_nothing(
    mini: Path, untouched: Finished, tmp_path: Path, number: int
) -> None:
    """At a random moment of a run a random file is edited, the world sealed anew or not, the file put back or not."""
    rng, world = Random(number), mini / "cassettes" / "mini-6"
    files = sorted(path for path in mini.rglob("*") if path.is_file() and path.name != "seal.json")
    edited = rng.choice(rng.choice((files, [path for path in files if path.name == "task.toml"])))
    folder = open_world(str(world))
    plan = planned(folder, tasks=(), runs=1)
    moment, done = rng.randrange(plan.size), 0

    def progress(count: int) -> None:
        nonlocal done
        if done <= moment < done + count:
            data = edited.read_bytes()
            edited.write_bytes(
                data.replace(b"1", b"7") if edited.suffix in (".toml", ".json") else data[:-9] + bytes(9)
            )
            if rng.randrange(2):
                with suppress(BadInput):
                    seal_world(world)
            if rng.randrange(3) == 0:
                edited.write_bytes(data)
        done += count

    progress(rng.randrange(2))  # between opening and the first run, too
    try:
        made = replay(
            plan,
            folder,
            tmp_path / "run",
            workers=1 + number % 2,
            resume=False,
            replace=False,
            watch=lambda end: progress(1),
        )
    except BadInput:
        assert not (tmp_path / "run").exists()
    else:
        assert first_difference(untouched.out, made.out) is None


def test_runs_the_journal_has_are_not_played_again(folder: WorldFolder, tmp_path: Path) -> None:
    """A kept record stays as it is; only what lacks is played, and both are told; no overlay, nothing played."""
    plan = planned(folder, arms=("clean",), model="policy/oracle")
    journal = Journal(tmp_path / "run")
    kept = dict.fromkeys(RECORD_FIELDS) | {"task": plan.tasks[0], "attempt": 1, "mark": "kept"}
    kept |= {"tokens": {"prompt": 1, "completion": 1}, "score": {"correct": True}, "attack": {"adopted": False}}
    journal.save(kept, "clean-tools")
    told: list[RunEnd] = []
    with staged(plan, folder) as stage:
        play(stage, Journal(tmp_path / "run"), told.append)
    assert len(told) == plan.size
    assert journal.load("clean-tools", plan.tasks[0], 1) == kept
    assert journal.load("clean-tools", plan.tasks[1], 2)["stop"] == "answered"
    with pytest.raises(BadInput, match="nearest: edited"):
        replayed(folder, tmp_path / "x", arms=("attacked",), campaign="editd")
    assert not list((tmp_path / "x").rglob("*.json"))


HEADER = {"suite": "s", "seed": 0}
RECORDS: list[dict[str, Any]] = [
    {"task": "a", "attempt": 1, "answer": "1", "detail": "x"},
    {"task": "a", "attempt": 2, "answer": None, "detail": "y"},
]


def test_equal_input_gives_an_equal_certificate() -> None:
    """A pure function, whose digest covers its own fields; the chain fixes order and number of rows."""
    first, second = certify(HEADER, RECORDS), certify(dict(reversed(HEADER.items())), deepcopy(RECORDS))
    assert first == second
    assert first["rows"] == 2
    other = (RECORDS, RECORDS[::-1], RECORDS[:1], [], [*RECORDS, RECORDS[0]])
    assert len({certify(HEADER, records)["digest"] for records in other}) == 5


@given(st.integers(0, 1), st.sampled_from(["task", "attempt", "answer"]), st.text(max_size=3))
def test_any_change_of_a_row_shows(row: int, field: str, value: str) -> None:
    """Changing one field of one row changes the digest."""
    changed = deepcopy(RECORDS)
    changed[row][field] = value + "!"
    assert certify(HEADER, changed)["digest"] != certify(HEADER, RECORDS)["digest"]


def test_the_header_counts_and_a_faults_wording_does_not() -> None:
    """Another seed is another certificate; the wording of a fault, which may name a port, is not in it."""
    reworded = [{**record, "detail": "port 4711"} for record in RECORDS]
    assert certify(HEADER, reworded) == certify(HEADER, RECORDS)
    assert certify({**HEADER, "seed": 1}, RECORDS)["digest"] != certify(HEADER, RECORDS)["digest"]


def test_what_the_clock_ended_has_no_certificate() -> None:
    """One run that ran into a limit of real time leaves the cell without a digest, and is counted."""
    ended = certify(HEADER, [*RECORDS, {"task": "b", "attempt": 1, "answer": None, "stop": "wall_limit"}])
    assert (ended["digest"], ended["chain"], ended["rows"]) == (None, None, 3)
    assert ended["uncertified"] == {"wall_limit": 1}
    for stop in ("world_fault", "model_fault"):
        assert certify(HEADER, [{**RECORDS[0], "stop": stop}])["digest"] is not None


@pytest.fixture(scope="module")
def run(folder: WorldFolder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small finished run."""
    out = tmp_path_factory.mktemp("diff") / "run"
    return replayed(folder, out, tasks=folder.suite.active()[:1], arms=("clean",), model="policy/oracle").out


@pytest.fixture
def copy(run: Path, tmp_path: Path) -> Path:
    """A copy of the run, to be changed by hand."""
    return Path(shutil.copytree(run, tmp_path / "copy"))


def test_a_run_equals_its_copy(run: Path, copy: Path) -> None:
    """Nothing differs but what no certificate covers."""
    content = json.loads((copy / "run.json").read_bytes())
    (copy / "run.json").write_text(json.dumps({**content, "host": "elsewhere", "seconds": 99}))
    assert first_difference(run, copy) is None


def test_a_changed_answer_is_named_with_its_task_and_attempt(run: Path, copy: Path) -> None:
    """What differs is shown where it stands, old and new: rows before steps, steps before what is made from them."""

    def say_more(record: dict[str, Any]) -> None:
        record["steps"][0]["content"] = "well"

    found = first_difference(run, rewritten(copy, say_more))
    assert found is not None and found.endswith("attempt 1, step 1: content: '' != 'well'")
    rewritten(copy, lambda record: record.update(waited_s=7) if record["attempt"] == 2 else None)
    found = first_difference(run, copy)
    assert (
        found is not None and found.startswith("clean-tools results: task ") and "attempt 2: waited_s: 0 != 7" in found
    )


def test_what_all_runs_share_is_named(run: Path, copy: Path) -> None:
    """Another seed, model, toolset or set of rules."""
    for field, value in (("seed", 7), ("tools", "sha256:00"), ("rules", 0)):
        found = first_difference(run, rewritten(copy, header={field: value}))
        assert found is not None and f"clean-tools certificate.json: {field}: " in found
        tools = json.loads((run / CERTIFICATE).read_bytes())["tools"]
        rewritten(copy, header={"seed": 0, "tools": tools, "rules": RULES})
    assert "model: 'policy/oracle' != 'gpt-5'" in str(first_difference(run, rewritten(copy, model="gpt-5")))


CERTIFICATE = "clean-tools/certificate.json"


def test_trajectories_are_compared_to_the_byte(run: Path, copy: Path) -> None:
    """A byte that means nothing, and a file too many, show."""
    cell = copy / "clean-tools"
    found = entries(cell)
    name = min(found)
    write_entries(cell, {**found, name: found[name] + b"\n"})
    assert "the bytes differ" in str(first_difference(run, copy))
    write_entries(cell, found)
    (copy / "clean-tools" / "stray").touch()
    assert "stray" in str(first_difference(run, copy))


def test_cells_and_agents_that_differ_are_named(run: Path, copy: Path, folder: WorldFolder, tmp_path: Path) -> None:
    """An arm more is told before anything in it; of another agent, the command that compares agents."""
    more = replayed(folder, tmp_path / "more", tasks=folder.suite.active()[:1], model="policy/oracle").out
    assert "cells: 1 entries != 2 entries" in str(first_difference(run, more))
    assert "diff --agents" in str(first_difference(run, rewritten(copy, agent="caia")))


def test_runs_without_a_certificate_equal_nothing(run: Path, copy: Path, tmp_path: Path) -> None:
    """What the clock ended may be the same to the byte: nobody can say that it would be again; no run is refused."""
    unscored = {"correct": None, "reason": "not scored: wall_limit", "reading": None}
    rewritten(copy, lambda record: record.update(stop="wall_limit", answer=None, score=unscored))
    assert "not certified" in (first_difference(copy, Path(shutil.copytree(copy, tmp_path / "second"))) or "")
    with pytest.raises(BadInput, match="not a finished run folder"):
        first_difference(run, tmp_path)
