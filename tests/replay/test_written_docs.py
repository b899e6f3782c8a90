"""What docs/ shows by example, run as it stands: scoring, twins, recording, agents of your own, Python, fleets."""

from __future__ import annotations

import doctest
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import caia_replay
from caia_replay.chain.anvil import AnvilProcess
from caia_replay.cli import main
from caia_replay.fleet.matrix import read_fleet
from caia_replay.scoring.tolerance import PRESETS
from tests.finished_run import finished_run

DOCS = Path(__file__).resolve().parents[2] / "docs"
COMMAND = str(Path(sys.executable).with_name("caia-replay"))


def text_of(name: str) -> str:
    """A page."""
    return (DOCS / name).read_text("utf-8")


def blocks_of(page: str) -> list[str]:
    """Its Python, in order."""
    return re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def run(root: Path, line: str) -> subprocess.CompletedProcess[str]:
    """A command of a page, without a key in the environment."""
    keyless = {key: value for key, value in os.environ.items() if not key.startswith("OPENAI_")}
    words = [COMMAND, *shlex.split(line)[1:]]
    return subprocess.run(words, cwd=root, env=keyless, capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize(("name", "least"), [("scoring.md", 41), ("twins.md", 8)])
def test_every_example_gives_what_is_written(name: str, least: int) -> None:
    """The Python blocks of a page as one session, in order."""
    blocks = blocks_of(text_of(name))
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, name, name, 0)
    told: list[str] = []
    failed, tried = doctest.DocTestRunner(verbose=False).run(session, out=told.append)
    assert not failed, "".join(told)
    assert tried == len(re.findall(r"^>>> ", "\n".join(blocks), re.MULTILINE)) >= least


def test_every_example_in_python_gives_what_is_written(mini: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The API as its page shows it, beside the small world; the page names all that the package shows."""
    monkeypatch.chdir(mini)
    page = text_of("python.md")
    cells = json.loads((DOCS.parent / "examples" / "from-python.ipynb").read_text("utf-8"))["cells"]
    session = doctest.DocTestParser().get_doctest("\n".join(blocks_of(page)), {}, "python.md", "python.md", 0)
    told: list[str] = []
    failed, tried = doctest.DocTestRunner(verbose=False).run(session, out=told.append)
    assert not failed and tried == 14 == sum(cell["cell_type"] == "code" for cell in cells), "".join(told)
    assert all(f"`{name}" in page for name in caia_replay.__all__ if name != "__version__")
    assert all(hasattr(caia_replay, name) for name in caia_replay.__all__) and 8 <= len(caia_replay.__all__) <= 12


def test_every_preset_stands_in_the_docs() -> None:
    """The table of presets names each with its figure, and no other."""
    written = dict(re.findall(r"^\| `(caia-[a-z0-9-]+)` \| ([0-9.]+) \|", text_of("scoring.md"), re.MULTILINE))
    assert written == {name: str(preset.percent) for name, preset in PRESETS.items()}


def test_the_commands_of_twins_are_those_of_the_command_line() -> None:
    """Every line of the example names a command that exists with the options it has."""
    lines = re.findall(r"^    caia-replay (.+)$", text_of("twins.md"), re.MULTILINE)
    for line in lines:
        words = line.split()
        context = main.make_context("caia-replay", words, resilient_parsing=True)
        name, command, rest = main.resolve_command(context, words)
        while hasattr(command, "resolve_command"):
            name, command, rest = command.resolve_command(context, rest)
        assert command is not None and command.make_context(name, rest), line
    assert len(lines) == 4


@pytest.mark.check
def test_every_command_of_scoring_runs(mini: Path) -> None:
    """Each in turn over a finished run; the one with a live judge says in one line that it needs a key."""
    lines = re.findall(r"^    (caia-replay .*)$", text_of("scoring.md"), re.MULTILINE)
    assert len(lines) == 3 and sum("--judge" in line for line in lines) == 1
    finished_run(mini / "runs" / "mine", mini / "cassettes" / "mini-6", [("mini6-event-count", 1, "45")])
    (mini / "verdicts.json").write_text(json.dumps({"version": 1, "judge": "gpt-5", "verdicts": {}}))
    for line in lines:
        done = run(mini, line)
        if "--judge" in line:
            assert (done.returncode, done.stderr.count("\n")) == (2, 1) and "OPENAI_API_KEY" in done.stderr
        else:
            assert done.returncode == 0 and "own rule" in done.stdout, done.stderr


@pytest.mark.check
def test_the_world_of_recording_is_recorded_and_solvable(anvil_binary: Path, tmp_path: Path) -> None:
    """Each file under the name it is given there, the flags and the two commands as written but for the port."""
    text = text_of("recording.md")
    files = re.findall(r"`(cassettes/[^`]+\.toml)`(?:(?!```).)*```toml\n(.*?)```", text, re.DOTALL)
    assert [name.rpartition("/")[2] for name, _ in files] == ["world.toml", "suite.toml", "task.toml"]
    for name, content in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    flags = re.search(r"`anvil --port 8545 ([^`]+)`", text)
    wanted = r"^    (caia-replay (?:record|verify) --.*devnet.*|caia-replay record .*8545)$"
    commands = re.findall(wanted, text, re.MULTILINE)
    assert flags is not None and len(commands) == 2
    node = AnvilProcess(anvil_binary, flags[1].split())
    try:
        recorded = run(tmp_path, commands[0].replace("8545", str(node.port)))
    finally:
        node.stop()
    verified, linted = run(tmp_path, commands[1]), run(tmp_path, "caia-replay lint")
    assert [(done.returncode, done.stderr) for done in (recorded, verified, linted)] == [(0, "")] * 3
    assert verified.stdout.endswith("1/1 solvable\n")


@pytest.mark.check
def test_the_agent_of_its_page_plays(mini: Path) -> None:
    """The class as it stands, by the command as it stands."""
    page = text_of("your-agent.md")
    (code,) = blocks_of(page)
    (line,) = re.findall(r"^    (caia-replay .*)$", page, re.MULTILINE)
    (mini / "my_agent.py").write_text(code, "utf-8")
    done = run(mini, line)
    assert done.returncode == 0 and "with my_agent:Careful" in done.stdout, done.stderr
    summary = json.loads((mini / "runs/careful/clean-tools/summary.json").read_text("utf-8"))
    assert summary["stops"] == {"answered": 6}


@pytest.mark.check
def test_the_fleet_of_the_page_is_played(mini: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files are read, its commands run in order and leave folders of the names it gives, its table is made."""
    page = text_of("fleet.md")
    monkeypatch.chdir(mini)
    tried, live = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    Path("live.toml").write_text(live)
    assert [entry.plan.size for entry in read_fleet(Path("live.toml"), {}).entries] == [90] * 3
    Path("try.toml").write_text(tried)
    for line in re.findall(r"^    (caia-replay fleet \w+ try.toml)  .*$", page, re.MULTILINE):
        done = run(mini, line)
        assert done.returncode == 0, done.stderr
    assert (mini / re.findall(r"`(runs/try/[^`]+)`", page)[0] / "index.json").is_file()
    with duckdb.connect() as database:
        rows = database.execute(re.findall("^    (select .*)$", page, re.MULTILINE)[0]).fetchall()
    assert len(rows) == 8 and {row[0] for row in rows} == {"policy/credulous", "policy/oracle"}


@pytest.mark.check
def test_every_export_of_the_page_is_written(mini: Path) -> None:
    """The run of its example, and what each command leaves; the one that needs Inspect AI says so where it is not."""
    lines = re.findall(r"^    (caia-replay .*)$", text_of("exports.md"), re.MULTILINE)
    done = {line.split()[2] if "export" in line else "replay": run(mini, line) for line in lines}
    assert [(name, one.returncode) for name, one in done.items()] == [
        *(("replay", 0), ("csv", 0), ("parquet", 0), ("eee", 0)),
        *(("inspect", 2), ("harbor", 0)),
    ]
    named = re.findall(r"^    (docker build .*)$", text_of("exports.md"), re.MULTILINE)
    assert [f"next: {line}" for line in named] == done["harbor"].stdout.splitlines()[2:3]
    assert {"mine.csv", "mine-tables", "mine-eee"} <= {path.name for path in mini.iterdir()}
