"""A run that proves itself: played again it is what its folder says, and whatever was rewritten is named."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from caia_replay.analysis.audit import audit
from caia_replay.analysis.finished_run import open_run
from caia_replay.analysis.rescore import rescore
from caia_replay.errors import BadInput, WallLimit
from caia_replay.runner.plan import make_plan
from caia_replay.runner.replay import replay
from caia_replay.store.world_folder import WorldFolder
from caia_replay.tools.catalog import WorldToolset
from tests.cli_shell import Shell
from tests.field_sweep import changed, fields
from tests.finished_run import edited, rewritten

COUNT, CELL = "mini6-event-count", "attacked-tools"


@pytest.fixture(scope="module")
def played(folder: WorldFolder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A believer's run of one task in two arms."""
    plan = make_plan(folder, tasks=(COUNT,), arms=("clean", "attacked"), runs=1, campaign="edited-first")
    out = tmp_path_factory.mktemp("audit") / "run"
    return replay(plan, folder, out, workers=1, resume=False, replace=False).out


@pytest.fixture
def run(played: Path, tmp_path: Path) -> Path:
    """A copy that is free to be rewritten."""
    return Path(shutil.copytree(played, tmp_path / "run"))


def proven(run: Path, workers: int = 1) -> str | None:
    return audit(open_run(run, Path.cwd()), workers, lambda _: None)


def test_an_honest_run_is_proven(played: Path, tmp_path: Path, shell: Shell) -> None:
    """Wherever the folder lies, and with several runs at once; the command's last word is proven."""
    moved = shutil.copytree(played, tmp_path / "elsewhere")
    assert shell("audit", played, moved) == (0, "proven\n", "")


@pytest.mark.check
def test_the_verdict_does_not_depend_on_workers(folder: WorldFolder, tmp_path: Path) -> None:
    """Two processes prove what one does, and name the same first difference."""
    plan = make_plan(folder, tasks=folder.suite.active()[:3], arms=("attacked", "placebo"), agent="caia", runs=2)
    out = replay(plan, folder, tmp_path / "run", workers=2, resume=False, replace=False).out
    assert proven(out, 1) is None and proven(out, 2) is None
    rewritten(out, lambda record: record.update(waited_s=5) if record["attempt"] == 2 else None)
    found = proven(out, 1)
    assert found == proven(out, 2) == f"attacked-tools, task {plan.tasks[0]}, attempt 2: waited_s: 5 != 0"


def call(record: dict[str, Any]) -> dict[str, Any]:
    """The first tool call of a record."""
    return next(step for step in record["steps"] if step["kind"] == "tool")


Forgery = Callable[[dict[str, Any]], object]
FORGERIES: dict[str, tuple[Forgery, str]] = {
    "shown": (lambda run: call(run).update(shown={"results": []}), "steps[1]: shown: "),
    "served": (lambda run: call(run).update(served="HIT"), "steps[1]: served: 'HIT' != 'RANKED'"),
    "arguments": (lambda run: call(run).update(arguments="{}"), "steps[1]: arguments: '{}' != "),
    "unmarked": (lambda run: call(run).update(altered_by=[]), "steps[1]: altered_by"),
    "a call less": (lambda run: run["steps"].remove(call(run)), "steps[1]: "),
    "the prompt": (lambda run: run["prompt"][0].update(content="Answer."), "prompt[0]: content: 'Answer.' != "),
    "the tools": (lambda run: run.update(specs="sha256:00"), "specs: 'sha256:00' != "),
    "resisted": (lambda run: run["attack"].update(adopted=False, resisted=True), "attack: adopted: False != True"),
    "nothing planted": (lambda run: run.update(planted=[]), "planted: 0 entries != "),
    "no loss": (lambda run: run.update(loss_usd="0"), "loss_usd: '0' != "),
    "expected": (lambda run: run.update(expected=["1"]), "expected[0]: '1' != '45'"),
    "waiting": (lambda run: run.update(waited_s=9), "waited_s: 9 != 0"),
    "fewer tokens": (lambda run: run["tokens"].update(prompt=1), "tokens: prompt: 1 != "),
    "a stop": (
        lambda run: run.update(
            stop="model_fault",
            answer=None,
            score={"correct": None, "reason": "not scored: model_fault", "reading": None},
        ),
        "stop: 'model_fault' != 'answered'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_what_was_rewritten_whole_is_named(run: Path, name: str) -> None:
    """Every digest is made again, so that nothing in the folder contradicts it; the world does."""
    forge, said = FORGERIES[name]
    rewritten(run, lambda record: forge(record) if record["arm"] == "attacked" else None)
    assert rescore([run], Path.cwd()).notes == ()
    found = proven(run)
    assert found is not None and found.startswith(f"{CELL}, task {COUNT}, attempt 1: {said}"), found


@pytest.mark.parametrize("field", ["prompts", "tools", "suite_version", "overlay", "campaign"])
def test_what_all_runs_share_is_told_again(run: Path, field: str) -> None:
    """Prompts, tools, the suite's version and the overlay come from the package and the world, not from the folder."""
    rewritten(run, header={field: "other"})
    try:
        found = proven(run) or ""
    except BadInput as fault:
        found = str(fault)
    assert f"{field}: 'other' != " in found or "campaign 'other'" in found


def test_only_what_the_model_said_is_taken_on_trust(run: Path) -> None:
    """The right answer put into the record alone is named; put into the model's own last message, it is proven."""

    def answered(record: dict[str, Any]) -> None:
        record.update(answer="45", loss_usd="0", score={"correct": True, "reason": "read 45", "reading": "45"})
        record["attack"].update(adopted=False, resisted=record["arm"] == "attacked", adopted_attack="")
        for family in record["attack"]["by"].values():
            family["adopted"] = False

    assert "answer: '45' != " in (proven(rewritten(run, answered)) or "")
    rewritten(run, lambda record: record["steps"][-1].update(content="FINAL ANSWER: 45"))
    assert proven(run) is None


def test_another_world_or_other_rules_prove_nothing(run: Path, mini: Path, shell: Shell) -> None:
    """Exit code 2 and one line: an unsealed edit, a world sealed anew, none at all, other rules."""
    rewritten(shutil.copytree(run, run.with_name("rules")), header={"rules": 0})
    code, _, err = shell("audit", run.with_name("rules"))
    assert code == 2 and "rules 0, and this caia-replay audits 2" in err
    edited(run / "run.json", plan={"world": str(mini / "cassettes" / "mini-6")})
    suite = mini / "cassettes" / "mini-6" / "suite.toml"
    suite.write_text(suite.read_text() + "\n")
    for said in ("suite.toml: ", "was changed after the run: "):
        code, out, err = shell("audit", run)
        assert (code, out, err.count("\n")) == (2, "", 1) and said in err
        shell("lint", "--seal", suite.parent)
    shutil.rmtree(suite.parent)
    assert "which is not here; next: " in shell("audit", run)[2]


def test_what_a_machine_ended_is_not_proven(run: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run without a certificate is told with exit code 1; where the auditor's own machine fails it is 3."""

    def late(toolset: WorldToolset, name: str, arguments: str) -> Any:
        raise WallLimit(name, 20)

    with monkeypatch.context() as broken:
        broken.setattr(WorldToolset, "call", late)
        code, out, err = shell("audit", run)
        assert (code, out) == (3, "") and "took longer than 20 s" in err
    unscored = {"correct": None, "reason": "not scored: wall_limit", "reading": None}
    rewritten(run, lambda record: record.update(stop="wall_limit", answer=None, score=unscored))
    assert shell("audit", run)[:2] == (1, "clean-tools: is not certified, and nothing is proven: 1 wall_limit\n")


@pytest.mark.check
def test_a_field_changed_anywhere_is_refused(played: Path, tmp_path: Path) -> None:
    """A sample of what soak sweeps: each time one field of one file, and no reader takes the folder."""
    every = fields(played / CELL)
    for file, place in Random(28).sample(every, 25):
        run = Path(shutil.copytree(played, tmp_path / "copy"))
        changed(run / CELL / file, place)
        with pytest.raises(BadInput):
            open_run(run, Path.cwd())
        shutil.rmtree(run)
