"""Run folders of strangers: whatever stands in them, an analysis ends in a result or in one line, and never waits."""

from __future__ import annotations

import io
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.cli import main
from caia_replay.errors import BadInput
from caia_replay.store.results import read_table
from caia_replay.store.run_folder import MOST_VALUES, read_json
from caia_replay.store.trajectory_file import TRAJECTORIES
from tests.damage import nested
from tests.finished_run import rewritten
from tests.trajectories import entries, write_entries
from tests.twin_runs import replayed, reseeded

CELL = "clean-tools"
ESCAPE = "\x1b[2J\x9b31m\u202e"
"""Clears a terminal, colours it by one C1 letter, and turns the direction of what follows."""


@pytest.fixture(scope="module")
def played(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run folders ``run``, ``agent`` (another agent's) and ``twin``, of one task each; the first has a miss."""
    root = tmp_path_factory.mktemp("strangers")
    twin = reseeded(shipped, root / "world", 2)
    for name, world, agent in (("run", shipped, "react"), ("agent", shipped, "caia"), ("twin", twin, "react")):
        replayed(world, root / name, model="policy/oracle", agent=agent, runs=1, tasks=("mini6-vote-date",))
    missed = {"kind": "page", "message": "not recorded: https://h.example/x"}
    steps(root / "run", served="MISS", tool="url_fetching", arguments="{}", missed=missed)
    return root


def steps(run: Path, **changed: Any) -> None:
    """Put other values into every call of a run."""
    calls = lambda record: [step for step in record["steps"] if step["kind"] == "tool"]  # noqa: E731
    rewritten(run, lambda record: [step.update(changed) for step in calls(record)])


def commands(run: Path, played: Path) -> list[list[str]]:
    """Everything that reads a finished run."""
    agent, twin = str(played / "agent"), str(played / "twin")
    return [
        ["why-miss", str(run)], ["rescore", str(run)], ["rescore", "--json", str(run)], ["gap", str(run), twin],
        ["diff", str(run), str(played / "run")], ["diff", "--agents", str(run), agent], ["audit", str(run)],
    ]  # fmt: skip


def said(arguments: list[str]) -> tuple[int, str, str]:
    """The command in this process: exit code, stdout and stderr. Whatever it raises is a traceback."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main(arguments)
    return int(ended.value.code or 0), out.getvalue(), err.getvalue()


def fifo(path: Path) -> None:
    """A pipe that nobody ever writes into."""
    path.unlink()
    os.mkfifo(path)


def link(to: str) -> Callable[[Path], None]:
    def changed(path: Path) -> None:
        path.unlink()
        path.symlink_to(to)

    return changed


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


KINDS = {"pipe": fifo, "folder": folder, "dangling": link("nowhere"), "device": link("/dev/zero")}
FILES = ("index.json", "run.json", *(f"{CELL}/{name}" for name in (
    "results.parquet", "steps.parquet", "summary.json", "certificate.json", "trajectories.zip",
)))  # fmt: skip


@pytest.mark.check
def test_what_is_no_plain_file_is_refused_at_once(played: Path, tmp_path: Path) -> None:
    """A pipe, a folder, a dangling link or a device in any file's place is told by name and never waited for."""
    path = tmp_path / "file"
    for change in KINDS.values():
        path.write_bytes(b"{}")
        change(path)
        for read in (read_json, read_table):
            with pytest.raises(BadInput, match="file: cannot be read as"):
                read(path)
        path.rmdir() if path.is_dir() else path.unlink()
    for name in FILES:
        run = Path(shutil.copytree(played / "run", tmp_path / "copy"))
        fifo(run / name)
        for arguments in commands(run, played):
            code, _, err = said(arguments)
            assert code in (0, 1, 2) and err.count("\n") == (code == 2), (name, arguments, err)
        shutil.rmtree(run)


def test_a_missing_column_is_told_by_name(played: Path, tmp_path: Path) -> None:
    """Also one that may be empty in every row, by each command that counts rows."""
    run = Path(shutil.copytree(played / "run", tmp_path / "run"))
    path = run / CELL / "results.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["category"]), path)
    for arguments in commands(run, played):
        code, _, err = said(arguments)
        assert code == 2 and "column 'category' is missing" in err


def test_nothing_of_a_run_reaches_the_terminal_raw(played: Path, tmp_path: Path) -> None:
    """Escapes and marks in a run's texts are replaced where they are printed, and no text is read as markup."""
    run = Path(shutil.copytree(played / "run", tmp_path / "run"))
    error = {"kind": f"page{ESCAPE}", "message": f"not recorded: {ESCAPE}https://h.example/x"}
    steps(run, tool=f"t{ESCAPE}", nearest=ESCAPE, missed=error, shown={"error": error})
    rewritten(run, model=f"[/red]{ESCAPE}", agent=f"[/red]{ESCAPE}")
    for arguments in [*commands(run, played), ["diff", "--agents", str(played / "agent"), str(run)]]:
        _, out, err = said(arguments)
        assert out or err
        assert not {letter for letter in out + err if not letter.isprintable() and letter != "\n"}, arguments


TABLES = {
    "nested": pa.table({"task": [["t"]]}), "binary": pa.table({"task": [b"t"]}),
    "twice": pa.Table.from_arrays([pa.array(["t"]), pa.array(["t"])], ["task", "task"]),
    "rows": pa.table({"task": pa.nulls(MOST_VALUES + 1)}),
    "text": pa.table({"task": pa.array(["t" * 2**20]).take(pa.array([0] * 1025))}),
}  # fmt: skip


@pytest.mark.check
@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_flat_and_of_a_bounded_size(tmp_path: Path, name: str) -> None:
    """Lists, bytes, one name twice, too many rows, and a text that a small file repeats without end, are refused."""
    path = tmp_path / "results.parquet"
    pq.write_table(TABLES[name], path, compression="zstd")
    assert path.stat().st_size < 100_000
    with pytest.raises(BadInput, match=r"results\.parquet: cannot be read as Parquet: (?:column|two|more)"):
        read_table(path)


@pytest.mark.check
def test_folders_without_end_and_cells_elsewhere_are_refused(played: Path, tmp_path: Path) -> None:
    """Fifteen hundred folders in one another overflow nothing; a cell is a folder of the run, once."""
    run = Path(shutil.copytree(played / "run", tmp_path / "run"))
    with nested(run):
        assert said(["diff", str(run), str(played / "run")])[0] == 2
    index = json.loads((run / "index.json").read_bytes())
    for cells in ([{"folder": name}] for name in ("..", ".", "", "a\0b", "\ud800", "a/b", "/etc", "x" * 5000)):
        (run / "index.json").write_text(json.dumps(index | {"cells": cells}))
        assert all(said(arguments)[0] == 2 for arguments in commands(run, played))
    (run / "index.json").write_text(json.dumps(index | {"cells": index["cells"] * 2}))
    assert all(said(arguments)[0] == 2 for arguments in commands(run, played))


JSON = st.recursive(
    st.sampled_from([None, True, -1, 0, 2**70, 1.5, "", "clean", ESCAPE, "[/x]", "9" * 5000, "\ud800", "NaN"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "task", "folder"]), inner),
    max_leaves=3,
)


def replaced(value: Any, path: list[int], new: Any) -> Any:
    """``value`` with ``new`` somewhere in it."""
    if not path or not isinstance(value, (dict, list)) or not value:
        return new
    keys: list[Any] = sorted(value) if isinstance(value, dict) else list(range(len(value)))
    at = keys[path[0] % len(keys)]
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[at] = replaced(value[at], path[1:], new)
    return changed


def harmed(path: Path, data: st.DataObject) -> None:
    """A file made another kind, cut, with a byte flipped, with another JSON value, or with a column of another one."""
    how = data.draw(st.sampled_from([*KINDS, "cut", "byte", "value", "value", "value"]), "how")
    held = path.read_bytes()
    if how in KINDS:
        KINDS[how](path)
    elif how != "value":
        at = data.draw(st.integers(0, len(held) - 1), "at")
        path.write_bytes(held[:at] + (b"" if how == "cut" else bytes([held[at] ^ 1 + at % 255]) + held[at + 1 :]))
    elif path.suffix == ".json":
        places, new = data.draw(st.lists(st.integers(0, 30), max_size=4), "places"), data.draw(JSON, "new")
        path.write_text(json.dumps(replaced(json.loads(held), places, new)))
    elif path.name == TRAJECTORIES:
        places, new = data.draw(st.lists(st.integers(0, 30), max_size=4), "places"), data.draw(JSON, "new")
        found = entries(path.parent)
        name = min(found)
        changed = json.dumps(replaced(json.loads(found[name]), places, new)).encode()
        write_entries(path.parent, {**found, name: changed})
    else:
        table = pq.read_table(path)
        at = data.draw(st.integers(0, table.num_columns - 1), "column")
        new = data.draw(st.sampled_from([None, -1, 2**62, float("nan"), "", ESCAPE, "9" * 5000, True, [1]]), "new")
        pq.write_table(table.set_column(at, table.schema.names[at], pa.array([new] * len(table))), path)


@pytest.mark.check
@settings(max_examples=60)
@given(data=st.data())
def test_a_mutated_run_ends_every_analysis_in_a_result_or_one_line(played: Path, data: st.DataObject) -> None:
    """Exit code 0, 1 or 2; one line on stderr with 2; no traceback, nothing raw on the terminal, whatever is harmed."""
    with tempfile.TemporaryDirectory() as place:
        run = Path(shutil.copytree(played / "run", Path(place) / "run"))
        for name in data.draw(st.lists(st.sampled_from(FILES), min_size=1, max_size=2, unique=True), "files"):
            harmed(run / name, data)
        for arguments in commands(run, played):
            code, out, err = said(arguments)
            assert code in (0, 1, 2) and err.count("\n") == (code == 2), (arguments, err)
            assert "\x1b" not in out + err
