"""The command that judges finished runs again: its table, its JSON, its exit codes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from caia_replay.cli import main
from caia_replay.core.message import Message
from caia_replay.core.model import Brief, Completion, RunKey, Usage
from caia_replay.models import resolve
from caia_replay.store.world_folder import load_task, save_task, seal_world
from tests.finished_run import finished_run

COUNT, DAY = "mini6-event-count", "mini6-vote-date"
RUNS = [(COUNT, 1, "45"), (COUNT, 2, "47"), (DAY, 1, "2024-06-04")]


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["rescore", *map(str, arguments)])


@pytest.fixture
def run(shipped: Path, tmp_path: Path) -> Path:
    """A finished run of a live model."""
    return finished_run(tmp_path / "run", shipped, RUNS, broken=[(DAY, 2, None)])


class YesMan:
    """A live model that finds everything right; it is interrupted after its first answer when ``stopped``."""

    is_policy = False
    needs_gold = False
    price = None
    name = "yes-man"
    closed = 0

    def __init__(self, stopped: bool = False) -> None:
        self.stopped = stopped
        self.asked = 0

    def session(self, key: RunKey, brief: Brief) -> YesMan:
        return self

    def complete(self, messages: Any, tools: Any) -> Completion:
        self.asked += 1
        if self.stopped and self.asked > 1:
            raise KeyboardInterrupt
        identity = messages[1].content[12:28]
        return Completion(Message("assistant", f"VERDICT {identity}: RIGHT"), Usage(1, 1), "stop")

    def close(self) -> None:
        YesMan.closed += 1


@pytest.fixture
def open_run(mini: Path) -> Path:
    """A finished run of two open answers."""
    world = mini / "cassettes" / "mini-6"
    task = load_task(world / "tasks" / DAY)
    save_task(world, replace(task, answer=replace(task.answer, kind="open", values=("in June",))))
    seal_world(world)
    return finished_run(mini / "open", world, [(DAY, 1, "June"), (DAY, 2, "the sixth month")])


def test_the_table_has_a_line_for_every_rule(run: Path) -> None:
    """Each rule by name with its figures and changes, what the numbers are not, and why a run has no verdict."""
    done = call(run)
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0] == f"{run}: mini-6, some-model with react"
    assert "not comparable to published CAIA scores" in lines
    assert not any("calibration policy" in line for line in lines)
    wide = next(line for line in lines if "+-5 %" in line)
    assert " ".join(wide.split()) == "+-5 % 100.0 % 100.0 % 3 of 3 - 1 1 0"
    own = next(line for line in lines if "own rule" in line)
    assert " ".join(own.split()) == "clean, tools own rule 75.0 % 50.0 % 2 of 3 - - - -"
    assert sum(" of 3 " in line for line in lines) == 12
    assert lines[-1] == "not scored in clean, tools: 1 of 4 runs: not scored: model_fault"


def test_a_policy_is_never_shown_as_a_model(shipped: Path, tmp_path: Path) -> None:
    """The heading that a replay's own table has stands here too."""
    done = call(finished_run(tmp_path / "run", shipped, RUNS, model="policy/credulous"))
    assert "calibration policy, not a model result" in done.output


def test_several_runs_stand_in_one_table(run: Path, shipped: Path, tmp_path: Path) -> None:
    """Each cell names its run."""
    other = finished_run(tmp_path / "other", shipped, RUNS[:1])
    done = call(run, other)
    assert done.exit_code == 0 and "run: clean, tools" in done.output and "other: clean, tools" in done.output
    assert done.output.count("own rule") == 2


def test_json_is_the_whole_table(run: Path) -> None:
    """Nothing but JSON is printed, cell by cell and rule by rule, unscored runs with their reasons."""
    (cell,) = json.loads(call(run, "--json").stdout)["cells"]
    assert cell["unscored"] == {"not scored: model_fault": 1} and len(cell["rules"]) == 12
    assert [rule["right"] for rule in cell["rules"] if rule["rule"] in ("own rule", "+-10 %")] == [2, 3]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere: not a finished run folder"),
        ([], "Missing argument"),
        (["RUN", "--judge", "policy/oracle"], "add --verdicts FILE"),
        (
            ["RUN", "--judge", "policy/oracle", "--verdicts", "v.json"],
            "is a script and judges nothing; next: --judge NAME",
        ),
        (["RUN", "--judge", "policy/oracel", "--verdicts", "v.json"], "--judge: no policy 'policy/oracel'"),
        (["RUN", "--judge", " ", "--verdicts", "v.json"], "--judge: a model needs a name; next: --judge NAME"),
        (["RUN", "--judge", "gpt-5", "--verdicts", "v.json"], "needs OPENAI_API_KEY"),
        (["RUN", "--verdicts", "v.json"], "no verdicts are recorded there; next: add --judge NAME"),
        (["RUN", "RUN"], "this run folder is named twice"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    """A folder that is no run, a judge without a file or key, and a file that is not there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = call(*(str(run) if word == "RUN" else word for word in arguments))
    assert done.exit_code == 2 and said in done.stderr and done.stderr.count("\n") == 1
    assert not done.stdout and "MODEL" not in done.stderr


def test_a_judge_is_recorded_once_and_needed_no_more(
    open_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --judge the file is written; without it the same table comes from the file, without any key."""
    verdicts = tmp_path / "verdicts.json"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert "2 of 2 runs" in call(open_run).output and "no open answer" not in call(open_run).output
    with monkeypatch.context() as patch:
        patch.setattr(resolve, "resolve_model", lambda name, environ: YesMan())
        closed = YesMan.closed
        first = call(open_run, "--judge", "yes-man", "--verdicts", verdicts)
    assert first.exit_code == 0 and "2 of 2 runs" not in first.output and YesMan.closed == closed + 1
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert call(open_run, "--verdicts", verdicts).output == first.output


def test_an_interrupted_judge_can_go_on(open_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit 3, the replies so far are in the file, and the client is closed."""
    verdicts = tmp_path / "verdicts.json"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setattr(resolve, "resolve_model", lambda name, environ: YesMan(stopped=True))
    closed = YesMan.closed
    done = call(open_run, "--judge", "yes-man", "--verdicts", verdicts)
    assert done.exit_code == 3 and "the same command again" in done.stderr and YesMan.closed == closed + 1
    assert len(json.loads(verdicts.read_bytes())["verdicts"]) == 1
