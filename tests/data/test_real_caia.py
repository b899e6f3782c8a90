"""CAIA's own files, read where they are: every row imports, and the counts are those that notes have of them.

No sentence of theirs is here, only ids and counts.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from caia_replay.interop.caia_suite import REPORT, Import, counts, import_caia, read_suite
from caia_replay.interop.oce_format import ExecutionStub, import_oce, read_stubs
from caia_replay.interop.oce_format import counts as oce_counts
from caia_replay.scoring.spec import check_spec
from caia_replay.store.plain import build, read_toml
from caia_replay.store.world_folder import open_draft

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def caia(real_data: Path) -> Path:
    """The folder of CAIA's public files."""
    return real_data / "caia"


@pytest.fixture(scope="module")
def suite(caia: Path) -> Import:
    """The 178 as tasks."""
    return read_suite(caia / "benchmark_178.csv")


def pairs(suite: Import, kind: str) -> list[tuple[str, ...]]:
    """The tasks of each finding of one kind."""
    return [found.tasks for found in suite.findings if found.kind == kind]


def test_every_row_becomes_a_task_that_opens(caia: Path, suite: Import, tmp_path: Path) -> None:
    """178 folders that are read back as they were, under the ids 001 to 178."""
    import_caia(caia / "benchmark_178.csv", tmp_path / "caia-178")
    folder = open_draft(tmp_path / "caia-178")
    assert [folder.task(name) for name in folder.suite.active()] == list(suite.tasks)
    assert [task.id for task in suite.tasks] == [f"caia-{at:03d}" for at in range(1, 179)]
    assert len(json.loads((tmp_path / "caia-178" / REPORT).read_bytes())["tasks"]) == 178


def test_the_counts_are_those_of_the_notes(suite: Import) -> None:
    """Eight blocks, seven transactions, dates and none to within two, 26 in Chinese, six categories."""
    # The notes have about 92 dates and 71 without. Here a year alone, a day written as month.day and a month without
    # a day are dates too, and one that lies after the data set's own is none.
    told = counts(suite)
    assert told["anchor"] == {"date": 94, "assumed": 69, "block": 8, "transaction": 7}
    assert told["language"] == {"en": 152, "zh": 26}
    assert list(told["category"].values()) == [77, 49, 23, 14, 8, 7]


def test_no_guess_is_one_that_nothing_can_satisfy(suite: Import) -> None:
    """Every spec is sound, every task says how it was come by, more than half need no judge; five state a tolerance."""
    rules = Counter(tag for task in suite.tasks for tag in task.tags if tag.startswith("tolerance:"))
    assert rules["tolerance:stated"] == 4 and rules["tolerance:range"] == 3
    assert {task.id: check_spec(task.answer) for task in suite.tasks if check_spec(task.answer)} == {}
    marks = Counter(tag for task in suite.tasks for tag in task.tags if tag in ("answer:guessed", "answer:open"))
    assert marks == {"answer:guessed": 106, "answer:open": 72}
    assert all(any(tag.startswith("anchor:") for tag in task.tags) for task in suite.tasks)


def test_the_known_pairs_are_found(suite: Import) -> None:
    """One duplicate whose answers agree; one transaction in three rows, two of them readable as a contradiction."""
    assert pairs(suite, "duplicate") == [("caia-001", "caia-030")]
    assert pairs(suite, "same-transaction") == [("caia-029", "caia-104", "caia-117")]
    assert pairs(suite, "contradiction") == [("caia-029", "caia-117")]
    assert pairs(suite, "same-block") == [("caia-001", "caia-030"), ("caia-020", "caia-032")]
    assert len(pairs(suite, "grader-note")) == 27


def test_no_word_of_the_file_is_in_the_report(suite: Import, caia: Path, tmp_path: Path) -> None:
    """Neither a question nor an answer of more than a few letters."""
    import_caia(caia / "benchmark_178.csv", tmp_path / "x")
    report = (tmp_path / "x" / REPORT).read_text("utf-8")
    texts = [text for entry in suite.entries for text in (entry.row.question, entry.row.answer or "") if len(text) > 11]
    assert [text[:20] for text in texts if text in report] == []


def test_the_older_sixty_import_without_answers(caia: Path) -> None:
    """Their ids are no numbers; five blocks and transactions, and the day that no calendar has is told."""
    older = read_suite(caia / "benchmark_tasks_v02.json")
    told = counts(older)
    assert told["anchor"] == {"date": 37, "assumed": 18, "block": 4, "transaction": 1}
    assert (told["answer"], told["findings"]["no-answer"]) == ({"open": 60}, 60)
    assert [found.what for found in older.findings if "calendar" in found.what] == ["no calendar has 2025-02-29"]


@pytest.mark.check
def test_the_seventy_execution_tasks_become_stubs(caia: Path, tmp_path: Path) -> None:
    """Balances as data for 63 of them, wholly for seven; every other one has its reasons."""
    stubs = import_oce(caia / "oce_eval_data.json", tmp_path / "oce")
    files = {stub.id: tmp_path / "oce" / "tasks" / stub.id / "execution.toml" for stub in stubs}
    assert [build(ExecutionStub, read_toml(files[stub.id]), "") for stub in stubs] == stubs
    told = oce_counts(stubs)
    assert (told["tasks"], told["whole"], told["part"], told["none"], told["doubtful"]) == (70, 7, 56, 7, 7)
    assert [stub.id for stub in stubs if not stub.checked and not stub.not_data] == []
    assert read_stubs(caia / "oce_eval_data.json") == stubs
