"""Finished runs in the terminal: what a folder holds, a task, a conversation, and two side by side."""

from __future__ import annotations

import json
import shutil
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from caia_replay.report.run_list import run_folders, runs_table
from caia_replay.report.run_view import Run, belief, believed_most, conversations, step_lines
from tests.cli_shell import Shell
from tests.finished_run import finished_run, rewritten
from tests.report_runs import played, priced


@pytest.fixture(scope="session")
def attacked(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy that believes what it finds, in both arms, twice."""
    return played(tmp_path_factory.mktemp("view") / "credulous", shipped, "credulous")


def test_runs_lists_a_folder(shell: Shell, mini: Path, task: str, tmp_path: Path) -> None:
    """Finished, unfinished and damaged folders each have a line; an empty folder and none end with exit code 2."""
    place = tmp_path / "runs"
    finished_run(place / "good", mini / "cassettes" / "mini-6", [(task, 1, "1")])
    (place / "half.partial" / "clean-tools" / "trajectories" / "t").mkdir(parents=True)
    (place / "half.partial" / "clean-tools" / "trajectories" / "t" / "1.json").write_text("{}")
    shutil.copytree(place / "good", place / "torn")
    (place / "torn" / "clean-tools" / "summary.json").write_text("[")
    code, out, _ = shell("runs", place)
    lines = {line.split()[0]: line for line in out.splitlines() if line.split()}
    assert code == 0 and "clean 0.0 %" in lines["good"] and "some-model" in lines["good"]
    assert "unfinished" in lines["half.partial"] and "cannot be read" in lines["torn"]
    assert out.splitlines()[-1] == f"next: caia-replay show {place / 'good'}"
    (tmp_path / "empty").mkdir()
    for wrong in ("empty", "none"):
        code, out, fault = shell("runs", tmp_path / wrong)
        assert (code, out, len(fault.splitlines())) == (2, "", 1)


def test_show_goes_from_a_run_to_a_step(shell: Shell, mini: Path, task: str, tmp_path: Path) -> None:
    """Each answer names the next command; an unknown task, arm or attempt names the nearest and exits 2."""
    run = finished_run(tmp_path / "run", mini / "cassettes" / "mini-6", [(task, 1, "1"), (task, 2, None)])
    code, out, _ = shell("show", run)
    assert code == 0 and "some-model" in out and out.splitlines()[-1] == f"next: caia-replay show {run} {task}"
    row = next(line.split() for line in out.splitlines() if line.split()[:1] == [task])
    assert row[1] == "--"
    code, out, _ = shell("show", run, task)
    assert code == 0 and "clean 1: wrong: 1" in out and out.splitlines()[-1] == f"next: caia-replay show {run} {task} 1"
    code, out, _ = shell("show", run, task, 1)
    assert code == 0 and "[2] time_conversion: authoritative, COMPUTED" in out.replace("on-chain", "authoritative")
    for wrong, said in (((f"{task}x",), task), ((task, 9), "1 to 2"), ((task, "--arm", "placebo"), "clean-tools")):
        code, out, fault = shell("show", run, *wrong)
        assert (code, out, len(fault.splitlines())) == (2, "", 1) and said in fault
    (run / "clean-tools" / "summary.json").write_text("{}")
    code, out, fault = shell("show", run)
    assert (code, out, len(fault.splitlines())) == (2, "", 1) and "is not as a replay leaves it" in fault


@pytest.mark.check
def test_two_arms_stand_beside_each_other(attacked: Path) -> None:
    """In a wide terminal on the same lines, with the step where they part; in a narrow one below each other."""
    run = Run(attacked, ["clean", "attacked"])
    (table,) = conversations(run, "mini6-supply", 1, wide=True, full=False)
    console = Console(width=140, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    console.print(table)
    lines = console.export_text().splitlines()
    assert lines[0].split() == ["==", "clean", "==", "attacked"]
    parts = next(at for at, line in enumerate(lines) if line.startswith("-- here they part: step 2"))
    assert "PLANTED by edited-page/first" in lines[parts + 1] and lines[parts + 1].startswith(
        "[2] web_search: open-web, RANKED "
    )
    told = [line for line in conversations(run, "mini6-supply", 1, wide=False, full=True) if isinstance(line, str)]
    assert [line for line in told if line.startswith("==")] == ["== clean", "== attacked"]
    assert not any("more lines" in line for line in told)


def test_a_long_text_is_cut_and_says_so() -> None:
    """Twelve lines of a reply, then how many more there are; with --full all of them."""
    step = ("tool", 1, "c", "web_search", "{}", "RANKED", "\n".join(map(str, range(100))), (), (), "", False)
    assert [line.strip() for line in step_lines(1, step, False)][-1] == "... 88 more lines: --full"
    assert len(list(step_lines(1, step, True))) == 102


def test_what_a_model_wrote_is_harmless_in_a_terminal(shell: Shell, mini: Path, task: str, tmp_path: Path) -> None:
    """Escapes, bidirectional marks and markup of the terminal's library are shown and do nothing."""
    said = "\x1b[31m[red]\u202ea\x9b31m\x07\r\u200b"
    run = finished_run(tmp_path / "run", mini / "cassettes" / "mini-6", [(task, 1, said)])
    rewritten(run, lambda record: record["steps"][2].update(content=said))
    for words in ((run,), (run, task), (run, task, 1)):
        code, out, _ = shell("show", *words)
        assert code == 0 and all(letter.isprintable() or letter == "\n" for letter in out)
    assert "[31m[red]" in out


def test_tasks_are_listed_and_shown(shell: Shell, task: str) -> None:
    """In suite order; one with its question, its answer and the calls that prove it."""
    code, out, _ = shell("task", "list")
    assert code == 0 and out.splitlines()[-1] == f"next: caia-replay task show {task}"
    code, out, _ = shell("task", "show", task)
    assert code == 0 and "right: " in out and "proven by " in out
    code, out, fault = shell("task", "show", f"{task}x")
    assert (code, out) == (2, "") and task in fault


@pytest.mark.check
def test_a_replay_names_what_comes_next(shell: Shell, task: str, tmp_path: Path) -> None:
    """Its last line is two commands that work as they stand."""
    out = tmp_path / "a run"
    code, said, _ = shell("replay", "--task", task, "--runs", "1", "--arm", "clean", "--out", out)
    line = said.splitlines()[-1]
    assert (code, line) == (0, f"next: caia-replay report '{out}', or caia-replay show '{out}'")
    for words in (("report", out, "--out", tmp_path / "r.html"), ("show", out)):
        assert shell(*words)[0] == 0


def test_a_folder_of_run_folders_says_what_works(shell: Shell, mini: Path, task: str, tmp_path: Path) -> None:
    """``runs`` lists a fleet's, too; ``show`` and ``report`` say how many there are and the command, which works."""
    place = tmp_path / "runs"
    made = [
        finished_run(place / "try" / name, mini / "cassettes" / "mini-6", [(task, 1, "1")], model=name) for name in "ab"
    ]
    finished_run(place / "try" / ".aside" / "old", mini / "cassettes" / "mini-6", [(task, 1, "1")])
    plan = {"model": {"name": "m9"}, "agent": "react", "suite": "mini-6", "runs": 2, "tasks": [task, "other"]}
    (place / "try" / ".plans").mkdir()
    (place / "try" / ".plans" / "c.json").write_text(json.dumps({"headers": {"clean-tools": plan}}))
    (place / "try" / "c.partial").mkdir()
    code, out, _ = shell("runs", place)
    lines = {line.split()[0]: line.split() for line in out.splitlines() if line.split()}
    assert code == 0 and {name for name in lines if "/" in name} == {"try/a", "try/b", "try/c.partial"}
    assert lines["try/a"][1:] == ["a", "mini-6", "1", "clean", "0.0", "%", "100"]
    assert lines["try/c.partial"][1:4] == ["m9", "mini-6", "0/4"] and "fleet run FILE" in out
    for command, given, works in (
        ("show", [place], made[:1]),
        ("show", [place / "try"], made[:1]),
        ("report", [place], made),
        ("report", [*made, place / "try" / ".plans", place / "try" / ".aside"], made),
    ):
        code, out, fault = shell(command, *given)
        assert (code, out) == (2, "") and "run folder" in fault
        assert fault.splitlines() == [fault.strip()]
        assert fault.strip().endswith(f"next: caia-replay {command} {' '.join(map(str, works))}")
        assert shell(command, *works, *(["--out", tmp_path / "r.html"] if command == "report" else []))[0] == 0


def test_eighty_columns_lose_nothing(mini: Path, task: str, tmp_path: Path) -> None:
    """Model, suite, right, tokens and dollars stand there whole where a terminal is narrow and names are long."""
    name = "some-provider/a-model-with-a-long-name"
    path = tmp_path / "a-fleet" / "some-provider-a-model-with-a-long-name-plan-execute-mini-6"
    run = priced(finished_run(path, mini / "cassettes" / "mini-6", [(task, 1, "1")], model=name), name)
    console = Console(width=80, record=True, file=StringIO())
    console.print(runs_table(tmp_path, run_folders(tmp_path), wide=False))
    told = console.export_text()
    assert all(word in told for word in ("mini-6", "clean 0.0 %", " 100 ", "0.000"))
    first = "".join(line.strip().split("  ")[0] for line in told.splitlines())
    assert name in first and run.name in first and "\N{HORIZONTAL ELLIPSIS}" not in told


@pytest.mark.parametrize(
    ("lies", "said"),
    [
        pytest.param([("a", 6, 9), ("b", 6, 6)], "“b” (t-b), in 6 of 6 runs that saw it", id="share"),
        pytest.param([("a", 1, 1), ("b", 6, 6)], "“b” (t-b), in 6 of 6 runs that saw it", id="number"),
        pytest.param([("a", 6, 6), ("b", 6, 6)], "saw it; as often: “b” (t-b)", id="tie"),
        pytest.param([(one, 1, 2) for one in "abcd"], "as often: “b” (t-b) and 2 others", id="ties"),
    ],
)
def test_the_lie_believed_most(lies: list[tuple[str, int, int]], said: str) -> None:
    """By the share of the runs that saw it, then by how many; a tie names the other."""
    rows = [{"value": v, "task": f"t-{v}", "family": "f", "adopted": took, "exposed": saw} for v, took, saw in lies]
    assert believed_most(sorted(rows, key=belief)).endswith(said)


@pytest.mark.parametrize(
    ("tool", "families", "head"),
    [
        pytest.param("code_execution", (), "computed, HIT", id="computed"),
        pytest.param("web_search", ("placebo",), "open-web, HIT, placebo, nothing false", id="placebo"),
        pytest.param("web_search", ("seo-page",), "open-web, HIT, PLANTED by seo-page", id="lie"),
    ],
)
def test_a_call_says_what_its_source_is(tool: str, families: tuple[str, ...], head: str) -> None:
    """Own calculation is computed, and what a placebo shows is never called planted."""
    step = ("tool", 1, "c", tool, "{}", "HIT", "x", families, (), "", False)
    assert next(step_lines(1, step, False)) == f"[1] {tool}: {head}"


@pytest.mark.check
def test_show_names_the_cost_and_the_lie(shell: Shell, attacked: Path) -> None:
    """Tokens of each arm, what a script cost, and which lie was believed most."""
    _, out, _ = shell("show", attacked)
    assert "cost: none, a script answered" in out and "tokens: " in out and ", attacked " in out
    assert "The lie believed most: “" in out and "in 2 of 2 runs that saw it; as often: " in out
