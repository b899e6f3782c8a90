"""A run's folder, its tables and its ledger."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.model import Price
from caia_replay.errors import BadInput
from caia_replay.store.ledger import costs, dollars, run_cost, step_cost
from caia_replay.store.results import ATTACK_FACTS, RESULTS, STEPS, read_table, result_row, step_rows, write_table
from caia_replay.store.run_folder import (
    INDEX,
    RECORD_FIELDS,
    Journal,
    open_index,
    read_json,
    write_json,
)
from caia_replay.store.trajectory_file import LOOSE


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
    assert [path.name for path in (out / "clean-tools" / LOOSE).glob("*/*")] == ["1.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_a_finished_run_is_never_overwritten_unasked(tmp_path: Path) -> None:
    """An explicit folder with a finished run in it is refused; the default one is replaced."""
    out = tmp_path / "run"
    finished(out, "old")
    with pytest.raises(BadInput, match="finished run is there"):
        Journal(out).start("plan", resume=False, replace=False)
    with pytest.raises(BadInput, match="nothing to resume"):
        Journal(out).start("plan", resume=True, replace=True)
    finished(out, "new")
    assert read_json(out / "clean-tools" / LOOSE / "t" / "1.json")["answer"] == "new"


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


@pytest.mark.check
def test_a_journal_held_elsewhere_is_refused_or_waited_for(tmp_path: Path) -> None:
    """While a process holds it another is refused; workers of a killed replay end a moment after it."""
    held = Journal(tmp_path / "run")
    held.start("plan", resume=False, replace=True)
    for resume, replace in ((True, False), (False, True)):
        with pytest.raises(BadInput, match="another replay is writing there"):
            Journal(tmp_path / "run").start("plan", resume=resume, replace=replace)
    held.release()
    start(tmp_path / "run", resume=True)
    held = Journal(tmp_path / "run")
    held.start("plan", resume=False, replace=True)
    orphan = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.5)"], pass_fds=(held.lock_fd,))
    held.release()
    start(tmp_path / "run", resume=True)
    assert orphan.wait() == 0


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


SERVED = dict.fromkeys(("HIT", "DERIVED", "FORK", "RANKED", "COMPUTED", "MISS", "ERROR"), 1)
RECORD = {
    "task": "t",
    "category": "overlap",
    "arm": "clean",
    "condition": "tools",
    "attempt": 1,
    "stop": "answered",
    "answer": "12 \ud800",
    "expected": ["12", "13"],
    "planted": [{"value": "99", "url": "https://lie.example/"}],
    "score": {"correct": None, "reason": "not scored", "reading": None},
    "served": SERVED,
    "tokens": {"prompt": 3, "completion": 4, "cached": 1, "reasoning": 2, "reported": True},
    "waited_s": 7,
    "attack": {**dict.fromkeys(ATTACK_FACTS, False), "adopted": None, "adopted_attack": "", "first_step": 3},
    "loss_usd": "0",
    "steps": [
        {
            "kind": "model",
            "turn": 1,
            "content": "x",
            "tool_calls": [{"id": "c", "name": "n", "arguments": "{}"}],
            "prompt_tokens": 3,
            "completion_tokens": 4,
            "cached_tokens": 1,
            "reasoning_tokens": 2,
            "tokens_reported": True,
        },
        {"kind": "tool", "turn": 1, "call_id": "c", "tool": "n", "arguments": "{}", "shown": {"a": 1}, "served": "HIT"},
    ],
}


def test_rows_survive_the_way_to_parquet_and_back(tmp_path: Path) -> None:
    """What is written is read back; unscored stays null, and broken text becomes replacement characters."""
    row = result_row(RECORD, {})
    write_table(tmp_path / "r.parquet", [row], RESULTS)
    (back,) = read_table(tmp_path / "r.parquet")
    assert back["correct"] is None
    assert back["answer"] == "12 ?"
    assert {key: back[key] for key in back if key != "answer"} == {key: row[key] for key in row if key != "answer"}
    assert (back["turns"], back["calls"], back["served_miss"]) == (1, 1, 1)
    assert (back["expected"], back["planted"], back["planted_url"]) == ("12; 13", "99", "https://lie.example/")
    assert (back["adopted"], back["adopted_attack"], back["first_exposed_step"]) == (None, None, 3)
    assert result_row({**RECORD, "planted": []}, {})["planted"] is None


def test_steps_keep_their_order_and_json(tmp_path: Path) -> None:
    """One row per model turn and tool call, numbered, nested values as canonical JSON text."""
    write_table(tmp_path / "s.parquet", list(step_rows(RECORD, {})), STEPS)
    model, tool = read_table(tmp_path / "s.parquet")
    assert (model["step"], model["kind"], tool["step"], tool["shown"]) == (1, "model", 2, '{"a":1}')
    assert model["tool_calls"] == '[{"arguments":"{}","id":"c","name":"n"}]'


def test_tables_have_equal_bytes_and_broken_ones_are_named(tmp_path: Path) -> None:
    """A table's bytes depend on its rows alone; no Parquet, and no file, are one line each."""
    for name in ("a", "b"):
        write_table(tmp_path / name, [result_row(RECORD, {})], RESULTS)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert pq.read_schema(tmp_path / "a").names == RESULTS.names
    (tmp_path / "r.parquet").write_bytes(b"PAR1 no")
    for name in ("r.parquet", "missing.parquet"):
        with pytest.raises(BadInput, match=name):
            read_table(tmp_path / name)


def test_the_ledger_is_a_column_of_both_tables() -> None:
    """With a price each completion and each run has its dollars; without one they are null, as are a tool call's."""
    price = Price("1000000", "2000000", "2026-11-01", "x", cached="0")
    assert result_row(RECORD, {}, price)["cost_usd"] == "10"
    assert [row["cost_usd"] for row in step_rows(RECORD, {}, price)] == ["10", None]
    assert result_row(RECORD, {})["cost_usd"] is None
    assert [row["cost_usd"] for row in step_rows(RECORD, {})] == [None, None]
    row = result_row(RECORD, {})
    assert (row["cached_tokens"], row["reasoning_tokens"], row["tokens_reported"]) == (1, 2, True)


PRICE = Price("1.25", "10", "2026-11-01", "the vendor's page", cached="0.125")
COUNTS = st.integers(0, 10**7)


def turn(prompt: int, completion: int, cached: int = 0) -> dict[str, Any]:
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, "cached_tokens": cached}
    return {"kind": "model", **counts}


def run(*steps: dict[str, Any], correct: bool | None = True, reported: bool = True) -> dict[str, Any]:
    return {"steps": list(steps), "score": {"correct": correct}, "tokens": {"reported": reported}}


def test_a_completion_costs_what_a_hand_count_gives() -> None:
    """1,000 prompt tokens, 400 of them cached, and 100 of completion: 600 at 1.25, 400 at 0.125 and 100 at 10."""
    assert step_cost(turn(1_000, 100, 400), PRICE) == Decimal("0.0018")
    assert step_cost({"kind": "tool"}, PRICE) == 0
    without = Price("1.25", "10", "2026-11-01", "x")
    assert step_cost(turn(1_000, 100, 400), without) == Decimal("0.00225")


@given(st.lists(st.tuples(COUNTS, COUNTS, COUNTS), max_size=6))
def test_a_run_is_the_sum_of_its_completions(counts: list[tuple[int, int, int]]) -> None:
    """Exactly, in any order, never less than nothing, and cached tokens never make it dearer."""
    steps = [turn(*each) for each in counts]
    assert run_cost(run(*steps), PRICE) == run_cost(run(*reversed(steps)), PRICE)
    assert run_cost(run(*steps), PRICE) == sum((step_cost(step, PRICE) for step in steps), Decimal(0)) >= 0
    uncached = [turn(prompt, completion) for prompt, completion, _ in counts]
    assert run_cost(run(*steps), PRICE) <= run_cost(run(*uncached), PRICE)


def test_what_nobody_knows_is_null_with_a_reason() -> None:
    """A cell tells its total and the price of being right; no price, a policy, no right run: null and why."""
    cell = costs([run(turn(8 * 10**5, 0)), run(turn(0, 10**5), correct=False)], PRICE, policy=False)
    assert (cell["cost_usd"], cell["cost_per_score"], cell["cost_reason"]) == ("2", "2", None)
    assert (cell["cost_estimated"], cell["price"]["as_of"]) == (False, "2026-11-01")
    broken = costs([run(turn(8 * 10**5, 0)), run(turn(0, 10**5), correct=None)], PRICE, policy=False)
    assert (broken["cost_usd"], broken["cost_per_score"]) == ("2", "1")  # what is not scored is paid, and no score's
    for policy, words in ((False, "no price"), (True, "script")):
        cell = costs([run(turn(1, 1))], None, policy=policy)
        assert (cell["cost_usd"], cell["cost_per_score"], cell["price"]) == (None, None, None)
        assert words in cell["cost_reason"]
    cell = costs([run(turn(10**6, 0), correct=None, reported=False)], PRICE, policy=False)
    assert (cell["cost_usd"], cell["cost_per_score"], cell["cost_estimated"]) == ("1.25", None, True)
    assert "no run was right" in cell["cost_reason"]
    assert [dollars(Decimal(text)) for text in ("1E+2", "0.00120", "0")] == ["100", "0.0012", "0"]
    assert dollars(None) is None
