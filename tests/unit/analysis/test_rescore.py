"""Finished runs judged again: from which files, by which rules, and what is refused; their world."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.analysis.rescore import RescoredCell, open_judge, rescore
from caia_replay.analysis.run_world import world_of
from caia_replay.canonical import digest
from caia_replay.core.message import Message
from caia_replay.core.model import Completion, PolicyHints, RunKey, Usage
from caia_replay.errors import BadInput, ModelFault
from caia_replay.runner.certificate import Certifying
from caia_replay.scoring.judge import Verdicts
from caia_replay.store.results import RESULTS, read_table, write_table
from caia_replay.store.run_folder import read_json, write_json
from caia_replay.store.world_folder import load_task, save_task, seal_world
from tests.finished_run import edited, finished_run, rewritten
from tests.trajectories import record

GROWTH, COUNT, DAY = "mini6-volume-growth", "mini6-event-count", "mini6-vote-date"  # 65.48 %, 45, 2024-06-04
RUNS = [
    (COUNT, 1, "45"),
    (COUNT, 2, "The contract emitted 47 events."),
    (COUNT, 3, None),
    (GROWTH, 1, "65.5 %"),
    (GROWTH, 2, "-65.48 %"),
    (DAY, 1, "June 4, 2024"),
]


class Reader:
    """A judge that finds every answer right which names Ottermoor; it fails once its ``lives`` are used up."""

    is_policy = False
    needs_gold = False
    price = None

    def __init__(self, name: str = "judge-1", lives: int = 99) -> None:
        self.name = name
        self.lives = lives
        self.asked = 0

    def session(self, key: RunKey, brief: PolicyHints) -> Reader:
        return self

    def complete(self, messages: Any, tools: Any, most_tokens: int | None = None) -> Completion:
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
    """A run of six answers, and three that ended in a fault."""
    return finished_run(tmp_path / "run", shipped, RUNS)


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


def test_a_run_is_judged_under_every_rule(run: Path, shipped: Path, tmp_path: Path) -> None:
    """47 for 45 passes from five per cent on, 65.5 for 65.48 everywhere; a sign, a silence and a fault never do."""
    cell = only(run, tmp_path)
    counts = right(cell)
    assert [counts[name] for name in ("own rule", "+-0.1 %", "+-2 %", "+-4 %", "+-5 %", "+-10 %")] == [3, 3, 3, 3, 4, 4]
    assert (counts["caia-2026"], counts["caia-repository"], counts["partial credit"]) == (3, 4, 3)
    assert {outcome.scored for outcome in cell.outcomes} == {6} and cell.outcomes[0].runs == 9
    assert cell.unscored == {"not scored: model_fault": 3} and cell.differing == 0
    labels = ("mini-6", "some-model", "react", "clean", "tools")
    assert (cell.suite, cell.model, cell.agent, cell.arm, cell.condition) == labels
    assert not cell.comparable and not cell.is_policy
    other = finished_run(tmp_path / "b", shipped, RUNS[:1], arm="authority-only", model="policy/credulous")
    dashed = only(other, tmp_path)
    assert (dashed.arm, dashed.condition, dashed.is_policy) == ("authority-only", "tools", True)
    first, second = json.loads(json.dumps(rescore([other, run], tmp_path).plain()))["cells"]
    assert [first["run"], second["run"]] == [str(other), str(run)]
    assert second["unscored"] == {"not scored: model_fault": 3}
    assert second["rules"][5]["changed"] == second["rules"][5]["raised"] == 1
    assert not second["comparable_to_published_caia"] and first["calibration_policy"]


def test_what_is_no_longer_as_it_was_is_told(run: Path, tmp_path: Path) -> None:
    """A verdict by other rules that today's do not repeat is counted with a note; a world of other bytes has one."""

    def right_for_47(record: dict[str, Any]) -> None:
        if "47" in (record["answer"] or ""):
            record["score"] = {"correct": True, "reason": "read 47", "reading": "47"}

    done = rescore([rewritten(run, right_for_47, header={"rules": 0})], tmp_path)
    assert done.cells[0].differing == 1 and right(done.cells[0])["own rule"] == 3
    assert "judged by rules 0" in done.notes[0] and "1 recorded verdicts" in done.notes[1]
    rewritten(run, header={"world": "sha256:00"})
    assert ["has changed since" in note for note in rescore([run], tmp_path).notes].count(True) == 1


def index(run: Path, **changed: Any) -> None:
    edited(run / "index.json", **changed)


def cell_of(run: Path, name: str, value: Any) -> None:
    path = run / "clean-tools" / "results.parquet"
    write_table(path, [{**row, name: value} for row in read_table(path)], RESULTS)


def written(name: str, data: bytes | None) -> Callable[[Path], object]:
    """Other bytes in a file of the run, or no such file."""
    return lambda run: (run / name).unlink() if data is None else (run / name).write_bytes(data)


GIVES = f"task {COUNT}, attempt 1: "


@pytest.mark.parametrize(("harm", "said"), [
    (written("index.json", None), "not a finished run folder"),
    (lambda run: index(run, suite=3), "'suite' is no suite's name"),
    (lambda run: index(run, cells={}), "'cells' is no list"),
    (lambda run: index(run, cells=[]), "'cells' is empty"),
    (lambda run: index(run, cells=[{"folder": "../x"}]), "'cells' is no list"),
    (written("clean-tools/results.parquet", b"PAR1"), "cannot be read as Parquet"),
    (written("clean-tools/certificate.json", None), "cannot be read as JSON"),
    (lambda run: cell_of(run, "task", "x"), GIVES + "task is 'x', and its trajectory gives 'mini6-event-count'"),
    (lambda run: cell_of(run, "stop", None), GIVES + "stop is None, and its trajectory gives 'answered'"),
    (lambda run: cell_of(run, "correct", False), GIVES + "correct is False, and its trajectory gives True"),
    (lambda run: cell_of(run, "attempt", 1), "attempt 2: attempt is 1, and its trajectory gives 2"),
    (written("clean-tools/summary.json", None), "summary.json: cannot be read as JSON"),
    (written("clean-tools/summary.json", b"[]"), "summary.json: is no JSON object"),
    (written("clean-tools/summary.json", b"{}"), "accuracy_bounds is nothing, and its runs give "),
    (lambda run: index(run, model="gpt-5"), "index.json: model is 'gpt-5', and certificate.json has 'some-model'"),
    (written("clean-tools/certificate.json", b'{"version": 9}'), "certificate version 9, wanted 3 or before"),
    (written("clean-tools/certificate.json", b'{"version": 2}'), "arm is 'None-None', and it stands in 'clean-tools'"),
], ids=range(17))  # fmt: skip
def test_a_damaged_run_is_one_line(run: Path, tmp_path: Path, harm: Callable[[Path], object], said: str) -> None:
    """Whatever is missing, of another form or not what the trajectories give is bad input that names file and field."""
    harm(run)
    with pytest.raises(BadInput, match=said) as fault:
        rescore([run], tmp_path)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(("name", "value"), [
    ("pass_at_1", 0.5), ("pass_at_k", None), ("pass_hat_k", 1.0), ("majority", 1), ("n_tasks", 4), ("calls", 1),
    ("scored", {"runs": 7, "tasks": 3}), ("stops", {"answered": 7}), ("digest", "sha256:00"), ("arm", "attacked"),
    ("served", {}), ("attack", {"adopted": 1}), ("accuracy_bounds", {"lower": 0.0, "upper": 1.0}), ("more", None),
])  # fmt: skip
def test_a_summary_that_its_runs_do_not_give_is_refused(run: Path, tmp_path: Path, name: str, value: object) -> None:
    """One figure that differs from the cell's own rows is one line with both, before any judge is asked."""
    edited(run / "clean-tools" / "summary.json", **{name: value})
    with pytest.raises(BadInput, match=rf"summary\.json: {name}.* is .*its runs give") as fault:
        rescore([run], tmp_path)
    assert "\n" not in str(fault.value)


def test_a_models_name_that_was_replaced_everywhere_is_refused(run: Path, tmp_path: Path) -> None:
    """In index.json and all summaries: the certificate has the name, too; a tape alone may bear any."""
    for model, is_taken in (("gpt-5", False), ("recorded/gpt-5", True)):
        for path in (run / "index.json", run / "clean-tools" / "summary.json"):
            edited(path, model=model)
        if is_taken:
            assert rescore([run], tmp_path).cells[0].model == "recorded/gpt-5"
        else:
            with pytest.raises(BadInput, match="model is 'gpt-5', and certificate"):
                rescore([run], tmp_path)


def test_a_certificate_of_version_1_is_read_and_told(run: Path, tmp_path: Path) -> None:
    """A folder of before is judged as it was; a reader is told what its certificates do not cover."""
    rewritten(run, lambda record: record.pop("specs"))
    cell = run / "clean-tools"
    later = ("version", "model", "tools", "rules", "rows", "chain", "digest", "whole")
    header = {name: value for name, value in read_json(cell / "certificate.json").items() if name not in later}
    made = Certifying(header, 1)
    for task in header["tasks"]:
        for attempt in (1, 2, 3):
            made.add(record(cell, task, attempt))
    certificate = made.certificate()
    write_json(cell / "certificate.json", certificate)
    edited(cell / "summary.json", digest=certificate["digest"])
    told = {"folder": cell.name, "certificate": certificate["digest"]}
    cells = [{**told, "arm": "clean", "condition": "tools"}]
    edited(run / "index.json", cells=cells, digest=digest([told]))
    done = rescore([run], tmp_path)
    assert right(done.cells[0])["own rule"] == 3 and "neither the model's name nor the tools" in done.notes[0]


@pytest.mark.parametrize("other", ["run", "run/clean-tools/..", "link"])
def test_a_run_named_twice_is_refused(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str) -> None:
    """By whatever name: its runs would be counted twice."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("run", target_is_directory=True)
    with pytest.raises(BadInput, match=r"is named twice.*name each run once"):
        rescore([run, Path(other)], tmp_path)
    with pytest.raises(BadInput, match="is named twice"):
        rescore([Path(other)] * 2, tmp_path)


def test_a_judge_is_recorded_and_replayed(open_run: Path, tmp_path: Path) -> None:
    """Unjudged is unscored, no zero; two different answers are two questions, whose file alone gives the same table."""
    cell = only(open_run, tmp_path)
    assert sum(cell.unscored.values()) == 4 and all(cell.unscored)
    assert {(outcome.runs, outcome.scored, outcome.pass_at_1) for outcome in cell.outcomes} == {(4, 0, None)}
    path, model = tmp_path / "verdicts.json", Reader()
    judged = only(open_run, tmp_path, open_judge(path, model))
    assert model.asked == 2 and right(judged)["own rule"] == 2 and not judged.unscored and judged.differing == 0
    data, again = path.read_bytes(), Reader()
    for other in (None, again):
        assert only(open_run, tmp_path, open_judge(path, other)).plain() == judged.plain()
    assert again.asked == 0 and path.read_bytes() == data


def test_what_a_failing_judge_said_is_kept(open_run: Path, tmp_path: Path) -> None:
    """The replies before a failure are in the file, the answers after it are unscored, and the next session asks on."""
    path = tmp_path / "verdicts.json"
    cell = only(open_run, tmp_path, open_judge(path, Reader(lives=1)))
    assert cell.unscored == {"the judge failed: rate_limit": 1} and right(cell)["own rule"] == 2
    assert only(open_run, tmp_path, open_judge(path, None)).unscored == {"no verdict is recorded": 1}
    more = Reader()
    assert not only(open_run, tmp_path, open_judge(path, more)).unscored and more.asked == 1


def test_only_open_answers_reach_a_judge(run: Path, open_run: Path, mini: Path, tmp_path: Path) -> None:
    """No model overrules a verifier; a judge without an open answer, or one that broke, is told; no file is written."""
    model, path = Reader(), tmp_path / "v.json"
    done = rescore([run], tmp_path, open_judge(path, model))
    assert right(done.cells[0])["own rule"] == 3
    assert done.notes == ("no open answer is there, so the judge judged nothing",)
    assert model.asked == 0 and not path.exists()
    broken = finished_run(tmp_path / "broken", mini / "cassettes" / "mini-6", [], broken=[(DAY, 1)])
    judge = open_judge(path, Reader())
    assert "no open answer" in rescore([broken], tmp_path, judge).notes[0]
    assert rescore([broken, open_run], tmp_path, judge).notes == ()


def test_a_world_is_found_or_is_not_here(shipped: Path, tmp_path: Path) -> None:
    """By the suite's name from where the command stands."""
    world = world_of(tmp_path, {"suite": "mini-6"}, shipped.parents[1])
    assert world is not None and world.path.resolve() == shipped.resolve()
    assert world_of(tmp_path, {"suite": "no-such-suite"}, tmp_path) is None
    with pytest.raises(BadInput, match="no suite's name"):
        world_of(tmp_path, {"suite": 7}, tmp_path)


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
