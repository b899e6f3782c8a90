"""The commands that import questions."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from caia_replay.cli_import import caia, oce
from caia_replay.command_group import Commands


def run(*arguments: object) -> Result:
    """The two commands below a group that ends as the command line does."""
    group = Commands("import")
    group.add_command(caia)
    group.add_command(oce)
    return CliRunner().invoke(group, [str(argument) for argument in arguments])


def test_caia_tells_what_it_wrote(tmp_path: Path) -> None:
    """Counts, findings, and where the report is."""
    source = tmp_path / "q.csv"
    source.write_text("id,question,answer,category\n1,Who leads Arda?,Bresk,overlap\n")
    done = run("caia", source, "--out", tmp_path / "mine")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0] == "1 tasks"
    assert (tmp_path / "mine" / "tasks" / "caia-001" / "task.toml").is_file()


def test_oce_tells_what_is_data(tmp_path: Path) -> None:
    """The same form of command."""
    source = tmp_path / "q.json"
    told = {
        "question": "Pay",
        "level": 1,
        "chain": "ethereum",
        "category": "x",
        "criteria": "wallet ARD decreases by 1",
    }
    source.write_text(json.dumps([{"task_id": "1", **told}]))
    done = run("oce", source, "--out", tmp_path / "mine")
    assert done.exit_code == 0
    assert (tmp_path / "mine" / "tasks" / "oce-001" / "execution.toml").is_file()


@pytest.mark.parametrize("command", ["caia", "oce"])
@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"[{}]", b"a,b\n1,2\n"])
def test_a_strangers_file_is_one_line_and_exit_2(tmp_path: Path, command: str, data: bytes) -> None:
    """And nothing is written."""
    source = tmp_path / "q"
    source.write_bytes(data)
    done = run(command, source, "--out", tmp_path / "mine")
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1 and "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["q"]


def test_a_place_to_write_is_needed(tmp_path: Path) -> None:
    """A user's file may not be written where nobody said."""
    assert run("caia", tmp_path / "q").exit_code == 2
    assert isinstance(caia, click.Command)
