"""What becomes of an entry that is played already, and that the result is what a plain replay leaves."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from caia_replay.analysis.diff import first_difference
from caia_replay.analysis.finished_run import open_run
from caia_replay.core.score import RULES
from caia_replay.runner.replay import write_cell, write_run
from caia_replay.store.run_record import read_record
from caia_replay.store.trajectory_file import Trajectories
from caia_replay.store.world_folder import open_world
from tests.cli_shell import Shell

NAME = "policy-credulous-react-mini-6"
RUN = Path("runs/paper") / NAME
CHECK = pytest.mark.check
BASE: dict[str, Any] = {
    "models": ["policy/credulous"],
    "suites": ["mini-6"],
    "tasks": ["mini6-supply"],
    "arms": ["clean"],
    "runs": 1,
}


def fleet(shell: Shell, command: str = "run", **changes: Any) -> tuple[int, str, str]:
    """A command of the fleet with these fields changed."""
    table = changes.pop("model", {})
    text = "".join(f"{name} = {json.dumps(value)}\n" for name, value in (BASE | changes).items())
    text += "[model.m]\n" * bool(table) + "".join(f"{name} = {json.dumps(value)}\n" for name, value in table.items())
    Path("paper.toml").write_text(text)
    return shell("fleet", command, "paper.toml")


def plain(shell: Shell, **changes: Any) -> Path:
    """The run folder that a plain replay leaves."""
    given = BASE | changes
    shutil.rmtree("plain", ignore_errors=True)
    tasks = [word for task in given["tasks"] for word in ("--task", task)]
    options = ("--suite", "mini-6", "--arm", ",".join(given["arms"]), "--runs", given["runs"], *tasks)
    limits = ("--max-turns", given.get("max_turns", 20), "--seed", given.get("seed", 0))
    assert shell("replay", "--model", given["models"][0], *options, *limits, "--out", "plain")[0] == 0
    return Path("plain")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        pytest.param(
            {"campaign": "seo", "arms": ["attacked"]}, "paper.toml: campaign: no campaign 'seo'", id="campaign"
        ),
        pytest.param({"dose": "items=x", "arms": ["attacked"]}, "paper.toml: dose: items is 'x'", id="dose"),
        pytest.param({"agents": ["reakt"]}, "paper.toml: agents: no agent 'reakt'; nearest: react", id="agent"),
        pytest.param(
            {"models": ["m"], "model": {"base_url": "http://127.0.0.1:9/v1", "key_variable": "M_KEY"}},
            "paper.toml: key_variable under [model.\"m\"]: model 'm' needs M_KEY in the environment",
            id="key",
        ),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_is_written(
    shell: Shell, changes: dict[str, Any], says: str
) -> None:
    """In one line, with exit code 2."""
    code, out, err = fleet(shell, **changes)
    assert (code, out, Path("runs").exists()) == (2, "", False) and err.startswith(says) and err.count("\n") == 1


def asides() -> list[str]:
    return sorted(path.name for path in RUN.parent.glob(".aside/*"))


def test_a_finished_entry_is_reused_and_equal_to_a_plain_replay(shell: Shell) -> None:
    """It is told with its digest, and no file of it is written anew; a plan and the status say how far it is."""
    code, out, _ = fleet(shell, "plan")
    assert (code, "a rehearsal of 1 task" in out, "1 of 1" in out) == (0, True, True)
    code, out, _ = fleet(shell)
    assert (code, f"{NAME}  new: nothing is there" in out) == (0, True)
    assert first_difference(RUN, plain(shell), Path.cwd()) is None
    before = {path: path.stat().st_mtime_ns for path in RUN.rglob("*")}
    code, out, _ = fleet(shell)
    digest = json.loads((RUN / "index.json").read_text())["digest"]
    assert (code, f"{NAME}  reused: finished, {digest}" in out) == (0, True)
    assert {path: path.stat().st_mtime_ns for path in RUN.rglob("*")} == before and asides() == []
    assert f"{NAME}: 1 of 1 run done; right: clean 100.0 %; " in fleet(shell, "status")[1]


def test_an_estimate_comes_from_the_nearest_finished_runs(shell: Shell) -> None:
    """Wherever they are below runs/: of the same agent and suite; a policy's rehearsal goes before another agent's."""
    assert fleet(shell)[0] == 0
    RUN.parent.rename("runs/earlier")
    for changes, source in (
        ({}, "  finished runs "),
        ({"arms": ["attacked"]}, "finished runs of mini-6, react, clean, tools"),
        ({"agents": ["plan-execute"]}, "a rehearsal of 1 task"),
    ):
        assert source in fleet(shell, "plan", **changes)[1]


def test_a_plan_tells_what_its_estimate_assumes_and_what_a_run_refuses(shell: Shell) -> None:
    """The tools in each prompt of a rehearsal, the price that a ceiling needs, and the variable of a key."""
    live = {"models": ["m"], "max_usd": 1, "model": {"base_url": "http://127.0.0.1:9/v1", "key_variable": "M_KEY"}}
    code, out, _ = fleet(shell, "plan", **live)
    assert code == 0 and "tokens of tools a prompt" in out and "a rehearsal with policy/credulous: its turns" in out
    assert "m: no price is known, so max_usd cannot be kept and fleet run will refuse; next: price = " in out
    assert "and fleet run will refuse: key_variable under [model.\"m\"]: model 'm' needs M_KEY" in out


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        pytest.param({"runs": 3}, "added to: 1 of 3 runs are there; runs was 1", id="runs"),
        pytest.param(
            {"arms": ["attacked", "clean"]}, "added to: 1 of 2 runs are there; arms was clean", id="arms", marks=CHECK
        ),
        pytest.param(
            {"tasks": ["mini6-vote-date", "mini6-supply"]},
            "added to: 1 of 2 runs are there; tasks was mini6-supply",
            id="tasks",
            marks=CHECK,
        ),
        pytest.param(
            {"seed": 3}, "played again: the run there differs: seed is 0, and will be 3", id="seed", marks=CHECK
        ),
        pytest.param(
            {"max_turns": 7},
            "played again: the run there differs: limits: turns is 20, and will be 7",
            id="limits",
            marks=CHECK,
        ),
        pytest.param({"campaign": "all"}, "reused: finished, sha256:", id="campaign", marks=CHECK),
    ],
)
def test_what_differs_decides_what_is_played(shell: Shell, changes: dict[str, Any], says: str) -> None:
    """The plan says it, the run does it: the same folder as a plain replay, and the old one aside."""
    assert fleet(shell)[0] == 0
    assert says in fleet(shell, "plan", **changes)[1]
    code, out, err = fleet(shell, **changes)
    assert (code, says in out) == (0, True)
    total = len(tuple(RUN.glob("*-tools"))) * len((BASE | changes)["tasks"]) * (BASE | changes)["runs"]
    assert (
        f" {total}/{total} " in out and "clean 100.0 %" in out and "next: caia-replay report runs/paper/*-mini-6" in out
    )
    status = fleet(shell, "status", **changes)[1].splitlines()
    live = [line for line in err.splitlines() if line.startswith(NAME)]
    assert live[-1:] == ([] if says.startswith("reused") else [line for line in status if line.startswith(NAME)])
    assert shell("report", *Path().glob("runs/paper/*-mini-6"), "--out", "report.html")[0] == 0
    assert first_difference(RUN, plain(shell, **changes), Path.cwd()) is None
    assert asides() == ([] if says.startswith("reused") else [f"{NAME}-1"])
    assert "0 of " in fleet(shell, "plan", **changes)[1]


def under_rules(rules: int) -> None:
    """Make the run folder one that was judged by other rules, and wrongly."""
    run = open_run(RUN, Path.cwd())
    folder = open_world("mini-6")
    summaries = []
    for cell in run.cells:
        with Trajectories(RUN / cell.folder) as found:
            records = [read_record(found, row["task"], row["attempt"]) for row in cell.rows]
        for record in records:
            record["score"] |= {"correct": not record["score"]["correct"], "reason": "by older rules"}
        header = {**cell.header, "rules": rules}
        summaries.append(write_cell(RUN, run.plan, cell.cell, header, records, folder, run.price))
    write_run(RUN, run.plan, folder, summaries)


@pytest.mark.check
def test_what_older_rules_judged_is_judged_again(shell: Shell) -> None:
    """From what its model said: the folder is what a plain replay leaves under today's rules."""
    assert fleet(shell)[0] == 0
    under_rules(RULES - 1)
    says = f"judged again: 1 of 1 runs are there, judged by rules {RULES - 1}, and today's are {RULES}"
    assert says in fleet(shell, "plan")[1]
    assert fleet(shell)[0] == 0
    assert first_difference(RUN, plain(shell), Path.cwd()) is None and asides() == [f"{NAME}-1"]


@pytest.mark.check
def test_an_unfinished_run_of_another_version_is_not_gone_on_with(shell: Shell) -> None:
    """Where the rules, prompts or prices have changed since it was begun, under the same plan: it is put aside."""
    assert fleet(shell, runs=2)[0] == 0
    partial = RUN.with_name(f"{NAME}.partial")
    (partial / "clean-tools" / "trajectories" / "mini6-supply").mkdir(parents=True)
    with Trajectories(RUN / "clean-tools") as found:
        (partial / "clean-tools/trajectories/mini6-supply/1.json").write_bytes(found.data("mini6-supply/1.json"))
    noted = RUN.parent / ".plans" / f"{NAME}.json"
    (partial / "plan.json").write_text(json.dumps({"digest": json.loads(noted.read_text())["digest"]}))
    shutil.rmtree(RUN)
    assert "goes on: 1 of 2 runs are there" in fleet(shell, "plan", runs=2)[1]
    noted.write_text(noted.read_text().replace(f'"rules": {RULES}', f'"rules": {RULES - 1}'))
    says = f"played again: the unfinished run there differs: rules is {RULES - 1}, and will be {RULES}"
    code, out, _ = fleet(shell, runs=2)
    assert (code, says in out, asides()) == (0, True, [f"{NAME}.partial-1"])


@pytest.mark.check
def test_a_damaged_folder_is_put_aside(shell: Shell) -> None:
    """The plan says what is wrong with it; nothing is deleted."""
    assert fleet(shell)[0] == 0
    summary = RUN / "clean-tools" / "summary.json"
    summary.write_text(summary.read_text().replace('"calls": 2', '"calls": 3'))
    assert "played again: the run there cannot be used" in fleet(shell, "plan")[1]
    assert fleet(shell)[0] == 0
    assert first_difference(RUN, plain(shell), Path.cwd()) is None and asides() == [f"{NAME}-1"]
    assert '"calls": 3' in (RUN.parent / ".aside" / f"{NAME}-1" / "clean-tools" / "summary.json").read_text()
