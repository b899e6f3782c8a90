import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from caia_replay.errors import BadInput
from caia_replay.runner.diff import first_difference
from caia_replay.runner.plan import make_plan
from caia_replay.runner.replay import replay
from caia_replay.store.results import RESULTS, read_table, write_table
from caia_replay.store.world_folder import open_world


@pytest.fixture(scope="module")
def run(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small finished run."""
    folder = open_world(str(shipped))
    plan = make_plan(
        folder,
        tasks=folder.suite.active()[:1],
        arms=("clean",),
        model="policy/oracle",
        runs=2,
    )
    out = tmp_path_factory.mktemp("diff") / "run"
    replay(plan, folder, out, workers=1, resume=False, replace=False, progress=lambda count: None)
    return out


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
    """A value changed in a table is shown where it stands, old and new."""
    path = copy / "clean-tools" / "results.parquet"
    rows = read_table(path)
    rows[1]["answer"] = "changed by hand"
    write_table(path, rows, RESULTS)
    found = first_difference(run, copy)
    assert found is not None
    assert f"task {rows[1]['task']}, attempt 2: answer" in found
    assert "changed by hand" in found


@pytest.mark.parametrize("name", ["summary.json", "certificate.json"])
def test_a_changed_number_in_a_json_file_is_named(run: Path, copy: Path, name: str) -> None:
    """Every value of summary and certificate is compared."""
    path = copy / "clean-tools" / name
    content = json.loads(path.read_bytes())
    field = sorted(key for key, value in content.items() if isinstance(value, (int, float)) and key != "version")[0]
    path.write_text(json.dumps({**content, field: 12345}))
    found = first_difference(run, copy)
    assert found is not None
    assert f"{name}: {field}" in found


def test_what_tells_arms_apart_is_compared(run: Path, copy: Path) -> None:
    """A changed number of arms.json is named; a run without the file differs in its files."""
    path = copy / "arms.json"
    content = json.loads(path.read_bytes())
    path.write_text(json.dumps({**content, "comparisons": [*content["comparisons"], {}]}))
    assert "arms.json: comparisons" in str(first_difference(run, copy))
    path.unlink()
    assert str(first_difference(run, copy)).startswith("files")


def test_trajectories_are_compared_to_the_byte(run: Path, copy: Path) -> None:
    """A changed step, a changed byte and a missing trajectory all show."""
    path = sorted((copy / "clean-tools" / "trajectories").glob("*/*.json"))[0]
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"turn": 1', b'"turn": 7', 1))
    assert "turn: 1 != 7" in str(first_difference(run, copy))
    path.write_bytes(data + b"\n")
    assert "the bytes differ" in str(first_difference(run, copy))
    path.unlink()
    assert "trajectories" in str(first_difference(run, copy))


def test_a_missing_row_is_counted(run: Path, copy: Path) -> None:
    """A table with a row less differs even when the others agree."""
    path = copy / "clean-tools" / "steps.parquet"
    table = pq.read_table(path)
    pq.write_table(table.slice(0, table.num_rows - 1), path)
    assert "number of rows" in str(first_difference(run, copy))


def test_a_field_a_file_and_a_cell_too_many_or_too_few_are_named(run: Path, copy: Path) -> None:
    """A null that only one side has, a stray file and a removed cell are differences; a broken index is refused."""
    path = copy / "clean-tools" / "summary.json"
    data = path.read_bytes()
    path.write_text(json.dumps({**json.loads(data), "extra": None}))
    assert "extra: only in the second" in str(first_difference(run, copy))
    path.write_bytes(data)
    (copy / "clean-tools" / "stray").touch()
    assert "stray" in str(first_difference(run, copy))
    (copy / "clean-tools" / "stray").unlink()
    index = json.loads((copy / "index.json").read_bytes())
    (copy / "index.json").write_text(json.dumps({**index, "cells": []}))
    assert "cells: 1 entries != 0 entries" in str(first_difference(run, copy))
    for cells in (None, [{}], [{"folder": "../elsewhere"}]):
        (copy / "index.json").write_text(json.dumps({**index, "cells": cells}))
        with pytest.raises(BadInput, match="cells"):
            first_difference(run, copy)


def test_what_is_no_run_is_refused(run: Path, tmp_path: Path) -> None:
    """A folder without a finished run is one line, not a difference."""
    with pytest.raises(BadInput, match="not a finished run folder"):
        first_difference(run, tmp_path)


def test_runs_without_a_certificate_equal_nothing(run: Path, copy: Path, tmp_path: Path) -> None:
    """What the clock ended may be the same to the byte: nobody can say that it would be again."""
    path = copy / "index.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "digest": None}))
    assert "digest" in (first_difference(run, copy) or "")
    assert "not certified" in (first_difference(copy, Path(shutil.copytree(copy, tmp_path / "second"))) or "")
