"""The commands that judge finished runs again and that compare a suite with its twin."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from caia_replay.cli import main
from caia_replay.core.message import Message
from caia_replay.core.model import Completion, PolicyHints, RunKey, Usage
from caia_replay.models import resolve
from caia_replay.store.world_folder import load_task, open_world, save_task, seal_world
from caia_worldgen.mini.build import build_mini
from tests.finished_run import finished_run
from tests.twin_runs import Memoriser, replayed

COUNT, DAY = "mini6-event-count", "mini6-vote-date"
RUNS = [(COUNT, 1, "45"), (COUNT, 2, "47"), (DAY, 1, "2024-06-04")]


def rescored(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["rescore", *map(str, arguments)])


@pytest.fixture
def run(shipped: Path, tmp_path: Path) -> Path:
    """A finished run of a live model."""
    return finished_run(tmp_path / "run", shipped, RUNS)


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

    def session(self, key: RunKey, brief: PolicyHints) -> YesMan:
        return self

    def complete(self, messages: Any, tools: Any, most_tokens: int | None = None) -> Completion:
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


def test_the_table_has_a_line_for_every_rule(run: Path, shipped: Path, tmp_path: Path) -> None:
    """By name with figures and changes, in JSON too; what the numbers are not; a policy is never shown as a model."""
    done = rescored(run)
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0] == f"{run}: mini-6, some-model with react"
    assert "not comparable to published CAIA scores" in lines
    assert not any("calibration policy" in line for line in lines)
    wide = next(line for line in lines if "+-5 %" in line)
    assert " ".join(wide.split()) == "+-5 % 100.0 % 100.0 % 3 of 3 - 1 1 0"
    own = next(line for line in lines if "own rule" in line)
    assert " ".join(own.split()) == "clean, tools own rule 75.0 % 0.0 % 2 of 3 - - - -"  # of the one whole task
    assert sum(" of 3 " in line for line in lines) == 12
    assert lines[-1] == "not scored in clean, tools: 1 of 4 runs: not scored: model_fault"
    (cell,) = json.loads(rescored(run, "--json").stdout)["cells"]
    assert cell["unscored"] == {"not scored: model_fault": 1} and len(cell["rules"]) == 12
    assert [rule["right"] for rule in cell["rules"] if rule["rule"] in ("own rule", "+-10 %")] == [2, 3]
    done = rescored(run, finished_run(tmp_path / "other", shipped, RUNS[:1], model="policy/credulous"))
    assert done.exit_code == 0 and "run: clean, tools" in done.output and "other: clean, tools" in done.output
    assert done.output.count("own rule") == 2 and "calibration policy, not a model result" in done.output


POLICY = ["RUN", "--judge", "policy/oracle", "--verdicts", "v.json"]


@pytest.mark.parametrize(("arguments", "said"), [
    (["nowhere"], "nowhere: not a finished run folder"), ([], "Missing argument"),
    (POLICY[:3], "add --verdicts FILE"), (POLICY, "is a script and judges nothing; next: --judge NAME"),
    (["RUN", "--judge", "policy/oracel", "--verdicts", "v.json"], "--judge: no policy 'policy/oracel'"),
    (["RUN", "--judge", " ", "--verdicts", "v.json"], "--judge: a model needs a name; next: --judge NAME"),
    (["RUN", "--judge", "gpt-5", "--verdicts", "v.json"], "needs OPENAI_API_KEY"),
    (["RUN", "--verdicts", "v.json"], "no verdicts are recorded there; next: add --judge NAME"),
    (["RUN", "RUN"], "this run folder is named twice"),
])  # fmt: skip
def test_bad_input_is_one_line_and_exit_code_2(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    """A folder that is no run, a judge without a file or key, and a file that is not there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = rescored(*(str(run) if word == "RUN" else word for word in arguments))
    assert done.exit_code == 2 and said in done.stderr and done.stderr.count("\n") == 1
    assert not done.stdout and "MODEL" not in done.stderr


def test_an_interrupted_judge_can_go_on(open_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit 3, the replies are kept, the client is closed; the same again ends; the file alone gives the table."""
    verdicts = tmp_path / "verdicts.json"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert "2 of 2 runs" in rescored(open_run).output and "no open answer" not in rescored(open_run).output
    judged = (open_run, "--judge", "yes-man", "--verdicts", verdicts)
    for at, stopped in enumerate((True, False), start=YesMan.closed + 1):
        monkeypatch.setattr(resolve, "resolve_model", lambda name, environ: YesMan(stopped))  # noqa: B023
        done = rescored(*judged)
        assert YesMan.closed == at and len(json.loads(verdicts.read_bytes())["verdicts"]) == (1 if stopped else 2)
        assert done.exit_code == (3 if stopped else 0) and stopped == ("the same command again" in done.stderr)
    assert "2 of 2 runs" not in done.output
    monkeypatch.undo()
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert rescored(open_run, "--verdicts", verdicts).output == done.output


BOTH = ("tools", "no-tools")


@pytest.fixture(scope="module")
def runs(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Run folders ``honest`` and ``honest-twin`` of a policy, ``learnt`` and ``learnt-twin`` of a memoriser."""
    root = tmp_path_factory.mktemp("twins")
    twin = build_mini(root, 2).world
    for name, world in (("honest", shipped), ("honest-twin", twin)):
        replayed(world, root / name, model="policy/oracle", conditions=BOTH, runs=1)
    server = Memoriser(open_world(str(shipped)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", server.base_url)
        patch.setenv("OPENAI_API_KEY", "sk-local-0123456789")
        for name, world in (("learnt", shipped), ("learnt-twin", twin)):
            replayed(world, root / name, model="some-model", conditions=BOTH, runs=1)
    yield root
    server.close()


def gap_of(*arguments: object) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    done = CliRunner().invoke(main, ["gap", *map(str, arguments)])
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.check
def test_what_was_learnt_by_heart_is_a_gap_without_tools(runs: Path) -> None:
    """A memoriser knows all of the original and of the twin only the protocol's constant: the interval is above 0."""
    code, out, _ = gap_of(runs / "learnt", runs / "learnt-twin", "--json")
    told = json.loads(out)
    assert (code, told["original"]["world_seed"], told["twin"]["world_seed"]) == (0, 1, 2)
    probe = next(cell for cell in told["cells"] if cell["probe"])
    majority = probe["all"]["majority"]
    assert probe["condition"] == "no-tools" and majority["original"] == 1.0 and majority["twin"] == round(1 / 6, 6)
    assert majority["gap_points"] == pytest.approx(100 * 5 / 6) and majority["interval_points"][0] > 0
    assert probe["by_category"] == {} and probe["all"]["tasks"] == {"original": 6, "twin": 6}
    assert "speaks for contamination" in told["reading"] and told["calibration_policy"] is False
