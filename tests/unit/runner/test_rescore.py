"""Finished runs judged again: from which files, by which rules, and what is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.core.message import Message
from caia_replay.core.model import Brief, Completion, RunKey, Usage
from caia_replay.errors import BadInput, ModelFault
from caia_replay.runner.plan import make_plan
from caia_replay.runner.replay import replay
from caia_replay.runner.rescore import RescoredCell, open_judge, rescore
from caia_replay.scoring.judge import Verdicts
from caia_replay.store.results import RESULTS, read_table, write_table
from caia_replay.store.run_folder import write_json
from caia_replay.store.world_folder import load_task, open_world, save_task, seal_world
from tests.finished_run import finished_run, summarised

GROWTH, COUNT, DAY = "mini6-volume-growth", "mini6-event-count", "mini6-vote-date"  # 65.48 %, 45, 2024-06-04
RUNS = [
    (COUNT, 1, "45"),
    (COUNT, 2, "The contract emitted 47 events."),
    (COUNT, 3, None),
    (GROWTH, 1, "65.5 %"),
    (GROWTH, 2, "-65.48 %"),
    (DAY, 1, "June 4, 2024"),
]

LABELS = ("suite", "model", "agent", "arm", "condition")


class Reader:
    """A judge that finds every answer right which names Ottermoor; it fails once its ``lives`` are used up."""

    is_policy = False
    needs_gold = False
    price = None

    def __init__(self, name: str = "judge-1", lives: int = 99) -> None:
        self.name = name
        self.lives = lives
        self.asked = 0

    def session(self, key: RunKey, brief: Brief) -> Reader:
        return self

    def complete(self, messages: Any, tools: Any) -> Completion:
        self.asked += 1
        if self.asked > self.lives:
            raise ModelFault("rate_limit", "too many requests")
        identity, line = messages[1].content.split("\n")[:2]
        word = "RIGHT" if "Ottermoor" in json.loads(line)["answer"] else "WRONG"
        text = f"So it is.\nVERDICT {identity[12:28]}: {word}"
        return Completion(Message("assistant", text), Usage(1, 1), "stop")

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def run(shipped: Path, tmp_path: Path) -> Path:
    """A run of six answers, and one that ended in a fault."""
    return finished_run(tmp_path / "run", shipped, RUNS, broken=[(DAY, 2, None)])


@pytest.fixture
def open_run(mini: Path, tmp_path: Path) -> Path:
    """A run over a world with an open question, answered twice alike, once otherwise, once not at all."""
    world = mini / "cassettes" / "mini-6"
    task = load_task(world / "tasks" / DAY)
    expected = replace(task.answer, kind="open", values=("Ottermoor Labs", "since March"))
    save_task(world, replace(task, answer=expected))
    seal_world(world)
    answers = ["Ottermoor, from March on", "Ottermoor, from March on", "Nobody", None]
    return finished_run(tmp_path / "open", world, [(DAY, at, answer) for at, answer in enumerate(answers, 1)])


def only(run: Path, start: Path, judge: Any = None) -> RescoredCell:
    done = rescore([run], start, judge)
    assert done.notes == ()
    (cell,) = done.cells
    return cell


def right(cell: RescoredCell) -> dict[str, int]:
    return {outcome.rule.name: outcome.right for outcome in cell.outcomes}


def test_a_run_is_judged_under_every_rule(run: Path, tmp_path: Path) -> None:
    """47 for 45 passes from five per cent on, 65.5 for 65.48 everywhere; a sign, a silence and a fault never do."""
    cell = only(run, tmp_path)
    counts = right(cell)
    assert [counts[name] for name in ("own rule", "+-0.1 %", "+-2 %", "+-4 %", "+-5 %", "+-10 %")] == [3, 3, 3, 3, 4, 4]
    assert (counts["caia-2026"], counts["caia-repository"], counts["partial credit"]) == (3, 4, 3)
    assert {outcome.scored for outcome in cell.outcomes} == {6} and cell.outcomes[0].runs == 7
    assert cell.unscored == {"not scored: model_fault": 1} and cell.differing == 0
    assert (cell.suite, cell.model, cell.agent, cell.arm, cell.condition) == (
        *("mini-6", "some-model", "react"),
        *("clean", "tools"),
    )
    assert not cell.comparable and not cell.is_policy


def test_everything_is_told_as_plain_data(run: Path, tmp_path: Path) -> None:
    """The same figures as JSON, one cell a folder, several runs in the order they were named."""
    other = finished_run(tmp_path / "b", Path(json.loads((run / "run.json").read_bytes())["plan"]["world"]), RUNS[:1])
    plain = json.loads(json.dumps(rescore([other, run], tmp_path).plain()))
    assert [cell["run"] for cell in plain["cells"]] == [str(other), str(run)]
    assert plain["cells"][1]["unscored"] == {"not scored: model_fault": 1}
    assert plain["cells"][1]["rules"][5]["changed"] == plain["cells"][1]["rules"][5]["raised"] == 1
    assert not plain["cells"][0]["comparable_to_published_caia"] and not plain["cells"][0]["calibration_policy"]


def test_an_arm_with_a_dash_keeps_its_name(shipped: Path, tmp_path: Path) -> None:
    """The arm and the condition are the index's, not cut out of a folder's name."""
    run = finished_run(tmp_path / "run", shipped, RUNS[:1], arm="authority-only", model="policy/credulous")
    cell = only(run, tmp_path)
    assert (cell.arm, cell.condition, cell.is_policy) == ("authority-only", "tools", True)


def test_verdicts_that_are_no_longer_today_s_are_told(run: Path, tmp_path: Path) -> None:
    """A recorded verdict that the verifiers do not repeat is counted, and a note says so."""
    path = run / "clean-tools" / "results.parquet"
    rows = read_table(path)
    rows[1]["correct"] = True
    write_table(path, rows, RESULTS)
    told = json.loads((path.parent / "summary.json").read_bytes())
    summarised(path.parent, rows, {name: told[name] for name in (*LABELS, "digest")})
    done = rescore([run], tmp_path)
    assert done.cells[0].differing == 1 and right(done.cells[0])["own rule"] == 3
    assert len(done.notes) == 1 and "1 recorded verdicts" in done.notes[0]


def test_a_world_that_changed_is_told(run: Path, tmp_path: Path) -> None:
    """What is right is what the world expects now; a run of other bytes gets a note."""
    write_json(run / "clean-tools" / "certificate.json", {"world": "sha256:00", "digest": None})
    done = rescore([run], tmp_path)
    assert len(done.notes) == 1 and "has changed since" in done.notes[0]


def test_a_suite_is_found_by_name_when_it_moved(mini: Path, tmp_path: Path) -> None:
    """Where the run found its world is tried first, then its suite's name from here and from the run upwards."""
    run = finished_run(mini / "runs" / "a", mini / "cassettes" / "mini-6", RUNS)
    write_json(run / "run.json", {"plan": {"world": str(tmp_path / "gone")}})
    assert right(only(run, mini))["own rule"] == right(only(run, tmp_path))["own rule"] == 3
    moved = Path(shutil.move(run, tmp_path / "elsewhere"))
    (moved / "run.json").unlink()
    with pytest.raises(BadInput, match="suite mini-6 is not here"):
        rescore([moved], tmp_path)


def index(run: Path, **changed: Any) -> None:
    write_json(run / "index.json", {**json.loads((run / "index.json").read_bytes()), **changed})


def cell_of(run: Path, name: str, value: Any) -> None:
    path = run / "clean-tools" / "results.parquet"
    write_table(path, [{**row, name: value} for row in read_table(path)], RESULTS)


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda run: (run / "index.json").unlink(), "not a finished run folder"),
        (lambda run: index(run, suite=3), "'suite' is no suite's name"),
        (lambda run: index(run, cells={}), "'cells' is no list"),
        (lambda run: index(run, cells=[{"folder": "../x"}]), "'cells' is no list"),
        (lambda run: (run / "clean-tools" / "results.parquet").write_bytes(b"PAR1"), "cannot be read as Parquet"),
        (lambda run: (run / "clean-tools" / "certificate.json").unlink(), "cannot be read as JSON"),
        (
            lambda run: cell_of(run, "task", "mini6-event-coun"),
            "no task 'mini6-event-coun'.*nearest: mini6-event-count",
        ),
        (lambda run: cell_of(run, "stop", None), "row 1 has no usable 'stop'"),
        (lambda run: cell_of(run, "served_miss", None), "row 1 has no usable 'served_miss'"),
        (lambda run: cell_of(run, "attempt", 1), "3 rows of task mini6-event-count, attempt 1"),
        (lambda run: (run / "clean-tools" / "summary.json").unlink(), "summary.json: cannot be read as JSON"),
        (lambda run: (run / "clean-tools" / "summary.json").write_bytes(b"[]"), "summary.json: is no JSON object"),
        (lambda run: (run / "clean-tools" / "summary.json").write_bytes(b"{}"), "'suite' is None"),
        (lambda run: index(run, model="gpt-5"), "'model' is 'some-model', .*'gpt-5'"),
        (
            lambda run: write_json(run / "clean-tools" / "certificate.json", {"digest": "sha256:00"}),
            "certificate.json: is not the certificate that index.json names",
        ),
    ],
)
def test_a_damaged_run_is_one_line(run: Path, tmp_path: Path, harm: Callable[[Path], object], said: str) -> None:
    """Whatever is missing or of another form is bad input that names the file."""
    harm(run)
    with pytest.raises(BadInput, match=said) as fault:
        rescore([run], tmp_path)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("pass_at_1", 0.5), ("pass_at_k", None), ("pass_hat_k", 1.0), ("majority", 1), ("n_tasks", 4), ("calls", 1)),
        *(
            ("scored", {"runs": 7, "tasks": 3}),
            ("stops", {"answered": 7}),
            ("digest", "sha256:00"),
            ("arm", "attacked"),
        ),
        *(("served", {}), ("attack", {"adopted": 1}), ("accuracy_bounds", {"lower": 0.0, "upper": 1.0})),
    ],
)
def test_a_summary_that_its_runs_do_not_give_is_refused(run: Path, tmp_path: Path, name: str, value: object) -> None:
    """One figure that differs from the cell's own rows is one line with both, before any judge is asked."""
    path = run / "clean-tools" / "summary.json"
    write_json(path, {**json.loads(path.read_bytes()), name: value})
    with pytest.raises(BadInput, match=rf"summary\.json: '{name}' is .*own runs give") as fault:
        rescore([run], tmp_path)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize("other", ["run", "run/", "run/../run", "run/clean-tools/..", "link"])
def test_a_run_folder_named_twice_is_refused(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    """By whatever name: its runs would be counted twice."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("run", target_is_directory=True)
    with pytest.raises(BadInput, match=r"is named twice.*name each run once"):
        rescore([run, Path(other)], tmp_path)
    with pytest.raises(BadInput, match="is named twice"):
        rescore([Path(other)] * 2, tmp_path)


def test_a_replay_s_own_folder_is_taken(shipped: Path, tmp_path: Path) -> None:
    """What a replay writes in both arms agrees with itself, and no verdict has changed."""
    folder = open_world(str(shipped))
    plan = make_plan(folder, tasks=[COUNT], conditions=("tools", "no-tools"), runs=2)
    replay(plan, folder, tmp_path / "own", workers=1, resume=False, replace=False, progress=lambda done: None)
    done = rescore([tmp_path / "own"], tmp_path)
    assert (len(done.cells), done.notes) == (4, ())


def test_an_answer_nobody_can_judge_by_is_found_before_the_judge_is_asked(mini: Path, tmp_path: Path) -> None:
    """One line with the task and its task.toml, and nothing is written."""
    world = mini / "cassettes" / "mini-6"
    run = finished_run(tmp_path / "run", world, RUNS)
    task = load_task(world / "tasks" / COUNT)
    save_task(world, replace(task, answer=replace(task.answer, values=("many",))))
    seal_world(world)
    with pytest.raises(BadInput, match=rf"{COUNT}/task\.toml: task {COUNT}: .*'many' is not a number"):
        rescore([run], tmp_path, open_judge(tmp_path / "v.json", Reader()))
    assert not (tmp_path / "v.json").exists()


def test_a_table_of_other_columns_is_refused(run: Path, tmp_path: Path) -> None:
    """A table without an answer column says which row lacks what, rather than that nobody answered."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(
        pa.table({"task": [COUNT], "attempt": pa.array([1], pa.int32())}), run / "clean-tools/results.parquet"
    )
    with pytest.raises(BadInput, match="row 1 has no usable 'stop'"):
        rescore([run], tmp_path)


def test_open_answers_without_a_judge_are_unscored(open_run: Path, tmp_path: Path) -> None:
    """Nobody judged them: None with a reason under every rule, and no figure that could be taken for zero."""
    cell = only(open_run, tmp_path)
    assert sum(cell.unscored.values()) == 4 and all(cell.unscored)
    assert {(outcome.runs, outcome.scored, outcome.pass_at_1) for outcome in cell.outcomes} == {(4, 0, None)}


def test_a_judge_is_recorded_and_replayed(open_run: Path, tmp_path: Path) -> None:
    """Two different answers are two questions; the file alone then gives the same table, without a model."""
    path, model = tmp_path / "verdicts.json", Reader()
    judged = only(open_run, tmp_path, open_judge(path, model))
    assert model.asked == 2 and right(judged)["own rule"] == 2 and not judged.unscored and judged.differing == 0
    data = path.read_bytes()
    assert only(open_run, tmp_path, open_judge(path, None)).plain() == judged.plain()
    again = Reader()
    assert only(open_run, tmp_path, open_judge(path, again)).plain() == judged.plain()
    assert again.asked == 0 and path.read_bytes() == data


def test_what_a_failing_judge_said_is_kept(open_run: Path, tmp_path: Path) -> None:
    """The replies before a failure are in the file, the answers after it are unscored, and the next session asks on."""
    path = tmp_path / "verdicts.json"
    cell = only(open_run, tmp_path, open_judge(path, Reader(lives=1)))
    assert cell.unscored == {"the judge failed: rate_limit": 1} and right(cell)["own rule"] == 2
    assert only(open_run, tmp_path, open_judge(path, None)).unscored == {"no verdict is recorded": 1}
    more = Reader()
    assert not only(open_run, tmp_path, open_judge(path, more)).unscored and more.asked == 1


def test_only_open_answers_reach_a_judge(run: Path, tmp_path: Path) -> None:
    """No model overrules a verifier; a judge without an open answer is told in one line, and no file is written."""
    model = Reader()
    done = rescore([run], tmp_path, open_judge(tmp_path / "v.json", model))
    assert right(done.cells[0])["own rule"] == 3
    assert done.notes == ("no open answer is there, so the judge judged nothing",)
    assert model.asked == 0 and not (tmp_path / "v.json").exists()


def test_open_runs_that_broke_leave_the_judge_nothing(open_run: Path, mini: Path, tmp_path: Path) -> None:
    """An open task whose runs all ended in a fault holds no open answer."""
    world = mini / "cassettes" / "mini-6"
    broken = finished_run(tmp_path / "broken", world, [], broken=[(DAY, 1, None)])
    judge = open_judge(tmp_path / "v.json", Reader())
    assert "no open answer" in rescore([broken], tmp_path, judge).notes[0]
    assert rescore([broken, open_run], tmp_path, judge).notes == ()


def test_a_verdicts_file_is_read_strictly(tmp_path: Path) -> None:
    """A file that is missing, broken or another judge's is bad input, and stays as it was."""
    path = tmp_path / "v.json"
    with pytest.raises(BadInput, match="no verdicts are recorded there; next: add --judge NAME"):
        open_judge(path, None)
    path.write_bytes(b"{")
    with pytest.raises(BadInput, match=r"v\.json"):
        open_judge(path, Reader())
    path.write_bytes(json.dumps(Verdicts("judge-2", {}).plain()).encode())
    with pytest.raises(BadInput, match="judge-2's, not judge-1's"):
        open_judge(path, Reader())
    assert json.loads(path.read_bytes())["judge"] == "judge-2"
