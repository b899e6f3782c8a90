"""What docs/ shows by example, run as it stands: scoring, twins, recording, agents of your own, Python, fleets."""

from __future__ import annotations

import doctest
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import caia_replay
from caia_replay.chain.anvil import AnvilProcess
from caia_replay.fleet.matrix import read_fleet
from caia_replay.intake.ledger import Ledger
from caia_replay.intake.review import write_review
from caia_replay.intake.rubric import read_rubric
from caia_replay.intake.trial import read_draft, save_draft
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


def test_the_spreadsheet_of_intake_is_taken_in(mini: Path) -> None:
    """The file of the page, by the commands of the page up to the one that asks a live judge."""
    page = text_of("intake.md")
    (content,) = re.findall(r"^```csv\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (mini / "questions.csv").write_text(content, "utf-8")
    added, listed, screened, judged = re.findall(r"^    (caia-replay intake .*)$", page, re.MULTILINE)[:4]
    done = run(mini, added)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "added 2 questions to intake"), done.stderr
    assert run(mini, listed).stdout.endswith("2 questions\n")
    done = run(mini, judged)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1) and "OPENAI_API_KEY" in done.stderr
    done = run(mini, screened)
    assert done.returncode == 0 and "2 questions: 2 left to a person" in done.stdout, done.stderr


@pytest.mark.check
def test_the_question_of_intake_becomes_a_task(mini: Path) -> None:
    """The page's commands in order up to the ones over runs, its draft as it is typed, four reviews."""
    page = text_of("intake.md").partition("## Retire them")[0]
    (content,) = re.findall(r"^```csv\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (mini / "questions.csv").write_text(content, "utf-8")
    (typed,) = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    said = [re.split(r"\s{2,}", line, maxsplit=1)[1] for line in typed.splitlines()]
    draft = dict(zip(("values", "steps", "result", "chain", "block"), said, strict=True))
    lines = re.findall(r"^    ((?:caia-replay|mkdir) .*)$", page, re.MULTILINE)
    lines = [line for line in lines if "--model" not in line]
    for line in lines:
        if line.startswith("mkdir"):
            subprocess.run(["sh", "-c", line], cwd=mini, check=True)
        elif "intake review" in line:
            (name,) = re.findall(r"intake try (q-[0-9a-f]{16}) ", page)
            ledger, rules = Ledger(mini / "intake"), read_rubric(mini / "intake").review
            save_draft(ledger, name, "ben", read_draft(draft))
            for by in re.findall(r"`(?:--as )?(ben|cleo|dan|eve)`", page):
                points = {one.id: 4 for one in rules.criteria}
                write_review(ledger, name, by, rules, points=points, notes="", conflict="")
        else:
            done = run(mini, line)
            assert done.returncode == 0, line + done.stdout + done.stderr
            assert not line.endswith("verify --suite mini-6") or done.stdout.endswith("7/7 solvable\n")
    assert len(lines) == 15 and "mini6-early-events" in done.stdout


@pytest.mark.check
def test_the_task_of_its_page_is_added(mini: Path) -> None:
    """The copy of the suite, the recipe, and every command in order, as they are written."""
    page = text_of("add-a-task.md")
    (copied,) = re.findall(r"^```sh\n(.*?)^cd mine\n```$", page, re.MULTILINE | re.DOTALL)
    subprocess.run(["sh", "-ec", copied], cwd=mini, check=True)
    recipe = next(
        one for one in re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL) if "[recipes" in one
    )
    place, lines = mini / "mine", re.findall(r"^    (caia-replay .*)$", page, re.MULTILINE)
    before = run(place, lines[0])
    assert before.returncode == 0 and re.findall(r'`("timestamp": \d+)`', page)[0] in before.stdout
    with (place / "cassettes/mini-6/suite.toml").open("a") as file:
        file.write("\n" + recipe)
    done = [run(place, line) for line in lines[1:]]
    assert [one.returncode for one in done] == [0] * 5, [one.stdout + one.stderr for one in done]
    assert done[3].stdout.endswith("7/7 solvable\n")


@pytest.mark.check
def test_the_example_of_recording_http_becomes_a_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its server on a port that is free, its first lines of Python, its two files, sealed and asked again."""
    page = text_of("recording-http.md")
    (shown,) = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    made, served = shown.splitlines()
    subprocess.run(["sh", "-c", made], cwd=tmp_path, check=True)
    for name, content in re.findall(
        r"`(cassettes/[^`\n]+\.toml)`\n\n```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    words = [sys.executable, "-u", *served.replace("8000", "0").split()[1:]]
    sealed, asked = re.findall(r"^    (caia-replay .*)$", page, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        port = re.findall(r"port (\d+)", server.stdout.readline())[0]
        exec(blocks_of(page)[0].replace("8000", port), {})
        again = f"--map https://api.library.example=http://127.0.0.1:{port}"
        done = [run(tmp_path, sealed), run(tmp_path, f"{asked.replace('--suite S', '--suite mine')} {again}")]
        server.terminate()
    assert [one.returncode for one in done] == [0, 0], [one.stderr for one in done]
    assert "sealed world" in done[0].stdout and done[1].stdout.startswith("1 request the same, 0 changed")


def test_every_query_of_results_runs(mini: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line over two runs as a replay leaves them; the page names every number of a summary."""
    monkeypatch.chdir(mini)
    page = text_of("results.md")
    for arm in ("clean", "attacked"):
        finished_run(mini / "runs" / arm, mini / "cassettes" / "mini-6", [("mini6-event-count", 1, "45")], arm=arm)
    lines = re.findall(r'^    duckdb\.sql\("(.*)"\)$', page, re.MULTILINE)
    with duckdb.connect() as database:
        rows = [database.execute(line).fetchall() for line in lines]
    assert rows[0] == [("some-model", "attacked", 1.0), ("some-model", "clean", 1.0)] and len(rows) == 5
    summary = json.loads((mini / "runs/attacked/attacked-tools/summary.json").read_text("utf-8"))
    assert not {*summary} - {*re.findall(r"`(\w+)`", page)}, "these stand in a summary and not in results.md"


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
    """Each file under the name it is given there, the flags and the commands as written but for the port."""
    text = text_of("recording.md")
    files = re.findall(r"`(cassettes/[^`]+\.toml)`(?:(?!```).)*```toml\n(.*?)```", text, re.DOTALL)
    assert [name.rpartition("/")[2] for name, _ in files] == ["world.toml", "suite.toml", "task.toml"]
    for name, content in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    flags = re.search(r"`anvil --port 8545 ([^`]+)`", text)
    told = re.search(r"^    caia-replay record --task dev-balance(?:.*\n    caia-replay)*.*$", text, re.MULTILINE)
    assert flags is not None and told is not None
    commands = [line.strip() for line in told[0].splitlines()]
    node = AnvilProcess(anvil_binary, flags[1].split())
    try:
        recorded = run(tmp_path, commands[0].replace("8545", str(node.port)))
    finally:
        node.stop()
    verified, checked, linted, replayed = (run(tmp_path, line) for line in commands[1:])
    done = (recorded, verified, checked, linted, replayed)
    assert [one.returncode for one in done] == [0] * 5, [one.stderr for one in done]
    assert verified.stdout.endswith("1/1 solvable\n") and checked.stdout.endswith("1/1 sound\n")
    assert "--arm clean: no page is recorded" in replayed.stdout and "100.0 %" in replayed.stdout


@pytest.mark.check
@pytest.mark.parametrize("name", ["agents.md", "policies.md", "lint.md", "discernment.md", "tapes.md"])
def test_every_command_of_a_page_runs(mini: Path, name: str) -> None:
    """In order, beside the small world. What needs a key, or something made with one, ends in one line and code 2."""
    shutil.copytree(DOCS.parent / "model_tapes" / "smollm2", mini / "model_tapes" / "smollm2")
    lines = re.findall(r"^    (caia-replay .*?)(?: +# .*)?$", text_of(name), re.MULTILINE)
    assert lines
    for line in lines:
        done, keyed = run(mini, line), "gpt-5" in line or "recorded/five" in line
        assert done.returncode == (2 if keyed else 0), f"{line}: {done.stderr}{done.stdout}"
        assert not keyed or "OPENAI_API_KEY" in done.stderr or "no model tape" in done.stderr


@pytest.mark.check
def test_what_pages_ask_of_the_shipped_suites_runs(tmp_path: Path) -> None:
    """Single calls, lists and comparisons, as they stand; two snapshots that differ are exit code 1."""
    for name in ("cassettes", "chain_snapshots"):
        (tmp_path / name).symlink_to(DOCS.parent / name)
    shown = re.compile(r"^    (caia-replay (?:call|attack list|attack diff|rpc diff)\b.*?)(?: +# .*)?$", re.MULTILINE)
    lines = [
        line for name in ("attacks.md", "execution.md", "rpc.md", "web.md") for line in shown.findall(text_of(name))
    ]
    done = {line: run(tmp_path, line) for line in lines}
    wrong = {line: one.stderr for line, one in done.items() if one.returncode != ("rpc diff" in line)}
    assert len(lines) == 6 and wrong == {} and all(one.stdout for one in done.values())


@pytest.mark.check
def test_the_agent_of_its_page_plays(mini: Path) -> None:
    """The class as it stands, by the command as it stands."""
    page = text_of("your-agent.md")
    (code,) = blocks_of(page)
    (line,) = re.findall(r"^    (caia-replay .*)$", page, re.MULTILINE)
    (mini / "my_agent.py").write_text(code, "utf-8")
    done = run(mini, line)
    assert done.returncode == 0 and "with my_agent:Careful" in done.stdout, done.stderr
    summary = json.loads((mini / "runs/policy-credulous/clean-tools/summary.json").read_text("utf-8"))
    assert summary["stops"] == {"answered": 6}


@pytest.mark.check
def test_the_tutorial_is_walked_from_top_to_bottom(mini: Path) -> None:
    """Its commands in order and its class, beside the small world; the one that needs a key says so in one line."""
    page = text_of("tutorial.md")
    shutil.copytree(DOCS.parent / "model_tapes" / "smollm2", mini / "model_tapes" / "smollm2")
    (code,) = blocks_of(page)
    (mini / "my_agent.py").write_text(code, "utf-8")
    lines = re.findall(r"^    (caia-replay .*)$", page, re.MULTILINE)
    done = [run(mini, line) for line in lines]
    assert [one.returncode for one in done] == [0, 0, 0, 0, 0, 0, 0, 2, 0], [one.stderr for one in done]
    assert "100.0 %" in done[1].stdout and done[5].stdout.strip().endswith("proven")
    assert "PLANTED" in done[3].stdout
    summaries = [mini / "runs" / name / "attacked-tools" / "summary.json" for name in ("policy-credulous", "careful")]
    assert [json.loads(path.read_text("utf-8"))["pass_at_1"] for path in summaries] == [0.0, 0.0]
    assert done[7].stderr.count("\n") == 1 and "OPENAI_API_KEY" in done[7].stderr
    assert len(page.split()) <= 900


def test_the_chinese_tutorial_has_the_same_blocks() -> None:
    """The same commands and code, in the same order."""
    blocks = [
        re.findall(r"^(?:    |```).*$", text_of(name), re.MULTILINE) for name in ("tutorial.md", "tutorial.zh.md")
    ]
    assert blocks[0] == blocks[1] and len(blocks[0]) > 9


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


@pytest.mark.check
def test_a_program_is_recorded_as_the_page_shows(tmp_path: Path) -> None:
    """Its block as it stands, on a port that is free; what its commands say is what is written, command by command."""
    page = text_of("any-client.md")
    (shown,) = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (told,) = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    block = shown.replace("8080", port).replace("\nsleep 1\n", "\nsleep 3\n")
    end = "trap 'kill $! 2> /dev/null || true' EXIT"
    path = f"{Path(COMMAND).parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "-ec", f"{end}\n{block}"], cwd=tmp_path, env={**os.environ, "PATH": path},
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert ran.returncode == 0 and ran.stdout.count("Ulysses\n") == 3, ran
    assert ran.stderr == re.sub(r"^# .*\n", "", told, flags=re.MULTILINE).replace("8080", port)


@pytest.mark.check
def test_a_suite_of_another_field_is_made_from_its_page_alone(tmp_path: Path) -> None:
    """Its files under the names it gives, its server, its commands in order, on a port that is free; five of five."""
    page = text_of("another-field.md")
    for name, content in re.findall(r"^`([^`\n]+)`\n\n```\w+\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    (served,) = re.findall(r"`python3 (-m http\.server 8000 [^`]+)`", page)
    commands = re.findall(r"^    (caia-replay .*)$", page, re.MULTILINE)
    words = served.replace("8000", "0").split()
    with subprocess.Popen(
        [sys.executable, "-u", *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        found = re.search(r"port (\d+)", server.stdout.readline())
        assert found is not None
        recorded = run(tmp_path, commands[0].replace("8000", found[1]))
        server.kill()
    assert recorded.returncode == 0, recorded.stderr
    told = [run(tmp_path, line) for line in commands[1:]]
    assert [one.returncode for one in told] == [0] * 10, [one.stderr + one.stdout for one in told if one.returncode]
    made, (sealed, checked, verified, called, replayed) = told[:5], told[5:]
    assert len(made) == 5 and "sealed world" in sealed.stdout and "5/5 sound" in checked.stdout
    assert verified.stdout.endswith("5/5 solvable\n") and json.loads(called.stdout)["served"] == "HIT"
    summary = json.loads((tmp_path / "runs/policy-oracle/clean-tools/summary.json").read_text("utf-8"))
    assert (summary["pass_at_1"], summary["authority_share"]["authoritative"]) == (1.0, 1.0), replayed.stdout
    assert run(tmp_path, "caia-replay audit runs/policy-oracle").stdout.strip().endswith("proven")
