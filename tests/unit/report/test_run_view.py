"""Finished runs in the terminal: what a folder holds, a task, a conversation, and two side by side."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from rich.console import Console

from caia_replay.report.run_view import Run, conversations, step_lines
from tests.cli_shell import Shell
from tests.finished_run import finished_run, rewritten
from tests.report_runs import played


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
    assert "PLANTED by seo-page" in lines[parts + 1] and lines[parts + 1].startswith(
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
