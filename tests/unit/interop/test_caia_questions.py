from __future__ import annotations

import csv
from pathlib import Path

import pytest

from caia_replay.errors import BadInput
from caia_replay.interop.caia_questions import questions_of
from caia_replay.interop.caia_suite import import_caia
from caia_replay.recording.withheld import is_withheld, restore, withhold
from caia_replay.store.plain import thawed, toml_text
from caia_replay.store.world_folder import load_task

ROWS = (
    ("1", "How many lamps did Grey Harbor report on 2024-05-01?", "about 1,204 lamps", "On-chain Analysis"),
    ("2", "Which keeper founded the guild?", "Ann Grey (either spelling), or Anne Grey", "General Knowledge"),
    (
        "30",
        "List the towers of the north and their years, please.",
        "| Tower | Year |\n|---|---|\n| A | 1901 |",
        "Overlap",
    ),
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "benchmark.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "question", "answer", "category"), *ROWS])
    return path


def test_an_imported_suite_gets_its_words_back(source: Path, tmp_path: Path) -> None:
    """Each task that was imported and withheld is, to the byte, the imported one again."""
    import_caia(source, tmp_path / "suite")
    words = questions_of(source)
    assert sorted(words) == ["caia-001", "caia-002", "caia-030"]
    for task_id in words:
        folder = tmp_path / "suite" / "tasks" / task_id
        hidden = withhold(load_task(folder))
        restored = restore(hidden, words[task_id])
        assert is_withheld(hidden) and restored.doubt == ""
        assert toml_text(thawed(restored.task)).encode() == (folder / "task.toml").read_bytes()


def test_a_file_that_is_none_of_caias_is_refused(tmp_path: Path) -> None:
    """As the import refuses it."""
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(BadInput, match="column"):
        questions_of(tmp_path / "x.csv")
