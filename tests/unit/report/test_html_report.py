"""The report as a file: what it holds, that equal runs make equal bytes, and what it refuses."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.report.html.figures import by_source, differences, dose_curves, pareto
from caia_replay.report.html.findings import task_place
from caia_replay.report.html.report import labels_of, write_report
from caia_replay.report.html.source import ROW, SourceCell, read_source
from caia_replay.report.readable import readable
from caia_replay.store.results import read_table
from tests import trajectories
from tests.cli_shell import Shell
from tests.finished_run import finished_run
from tests.report_runs import chunks, played, priced
from tests.twin_runs import replayed, reseeded

ROOT = Path(__file__).resolve().parents[3]
SHELL = ROOT / "caia_replay" / "report" / "html" / "shell.html"


@pytest.fixture(scope="session")
def credulous(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy that believes what it finds, in both arms, twice."""
    return played(tmp_path_factory.mktemp("report") / "credulous", shipped, "credulous")


def by_hand(out: Path, world: Path, task: str, answers: list[str], **labels: Any) -> Path:
    """A run folder without a replay."""
    return finished_run(out, world, [(task, at, said) for at, said in enumerate(answers, 1)], **labels)


def test_a_report_holds_what_the_run_folder_says(mini: Path, task: str, tmp_path: Path) -> None:
    """Columns equal results.parquet, conversations the records, and the overview the summary."""
    world = mini / "cassettes" / "mini-6"
    run = by_hand(tmp_path / "run", world, task, ["1", "<b>2</b>\u202e"])
    write_report([run], tmp_path / "report.html", mini)
    found = chunks(tmp_path / "report.html")
    summary = json.loads((run / "clean-tools" / "summary.json").read_text())
    assert found["overview"]["runs"][0]["cells"][0]["summary"] == summary
    (columns,), rows = found["rows"][0], read_table(run / "clean-tools" / "results.parquet")
    for name in ROW[1:]:
        column = columns[name]
        read = [column["values"][at] for at in column["at"]] if isinstance(column, dict) else column
        assert read == [row[name] for row in rows], name
    chunk = found["task-0-0"]
    for talk in chunk["runs"]:
        record = trajectories.record(run / "clean-tools", task, talk[2])
        assert chunk["texts"][talk[7]] == record["answer"]
        steps = [chunk["steps"][at] for at in talk[4]]
        assert [chunk["texts"][step[2]] for step in steps if step[0] == "m"] == ["", "so"]
        assert [chunk["texts"][step[6]] for step in steps if step[0] == "t"] == ["is: 1"]


def test_equal_runs_make_equal_bytes(mini: Path, task: str, tmp_path: Path) -> None:
    """Whatever the file is called and however often it is written; a folder given twice counts once."""
    run = by_hand(tmp_path / "run", mini / "cassettes" / "mini-6", task, ["1"])
    made = []
    for name, runs in (("a.html", [run]), ("b.html", [run, run])):
        write_report(runs, tmp_path / name, mini)
        made.append((tmp_path / name).read_bytes())
    assert made[0] == made[1]


@pytest.mark.check
def test_the_number_of_processes_changes_no_byte(credulous: Path, mini: Path, task: str, tmp_path: Path) -> None:
    """Folders read by two processes make the file that one makes, in the order they were given."""
    other = by_hand(tmp_path / "other", mini / "cassettes" / "mini-6", task, ["1"])
    for workers in (1, 2):
        write_report([credulous, other], tmp_path / f"{workers}.html", mini, workers)
    assert (tmp_path / "1.html").read_bytes() == (tmp_path / "2.html").read_bytes()


def test_a_report_replaces_reports_alone(shell: Shell, mini: Path, task: str, tmp_path: Path) -> None:
    """Another file, a folder and a damaged run end with exit code 2 and one line, and leave what was there."""
    run = by_hand(tmp_path / "run", mini / "cassettes" / "mini-6", task, ["1"])
    out = tmp_path / "report.html"
    for _ in range(2):
        code, said, _ = shell("report", run, "--out", out)
        assert (code, said.splitlines()[-1]) == (0, "next: open it in a browser")
    kept = out.read_bytes()
    for place in (tmp_path / "notes.html", tmp_path / "folder"):
        place.mkdir() if place.suffix == "" else place.write_text("mine")
        code, said, fault = shell("report", run, "--out", place)
        assert (code, said, len(fault.splitlines())) == (2, "", 1)
    shutil.copytree(run, tmp_path / "whole")
    (run / "clean-tools" / "summary.json").write_text("{}")
    for broken in (run, tmp_path / "nothing"):
        code, _, fault = shell("report", broken, "--out", out)
        assert (code, len(fault.splitlines())) == (2, 1)
    assert out.read_bytes() == kept and (tmp_path / "notes.html").read_text() == "mine"
    for place in (tmp_path / "none" / "x.html", Path("/proc/x.html")):
        code, _, fault = shell("report", tmp_path / "whole", "--out", place)
        assert (code, len(fault.splitlines())) == (2, 1) and fault.startswith(f"{place}: ") and ".partial" not in fault
    assert not list(tmp_path.glob(".*")) and not (tmp_path / "none").exists()


def test_the_shell_lets_its_own_code_run_and_nothing_else() -> None:
    """Its policy names the digests of one script and one style; it is under a megabyte and speaks of no address."""
    text = SHELL.read_text("utf-8")
    policy = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)[0]
    for kind in ("script", "style"):
        (body,) = re.findall(f"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy
    assert len(text.encode()) < 1_000_000
    addresses = set(re.findall(r"https?://[^\s\"'`<>)]+", text))
    assert {one for one in addresses if "www.w3.org/" not in one} == set()


@pytest.mark.check
def test_the_shell_is_what_its_source_builds(tmp_path: Path) -> None:
    """Building it again gives the same bytes; without npm's packages CI fails."""
    if not (ROOT / "frontend" / "node_modules").is_dir():
        if os.environ.get("REQUIRE_CLIENTS") == "1":
            pytest.fail("frontend/node_modules is missing; next: npm ci in frontend/")
        pytest.skip("frontend/node_modules is missing")
    node = shutil.which("node") or "node"
    subprocess.run([node, "build.mjs", "--out", str(tmp_path / "shell.html")], cwd=ROOT / "frontend", check=True)
    assert (tmp_path / "shell.html").read_bytes() == SHELL.read_bytes(), "next: npm run build in frontend/"


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        pytest.param({"a": 10**24, "b": [True, None]}, [f"a: {10**24}", "b:", "  - true", "  - null"], id="exact"),
        pytest.param({"a": "x\nb: 1"}, ["a:", "  │ x", "  │ b: 1"], id="fields"),
        pytest.param([{"a": 1, "b": {}}, "t"], ["- a: 1", "  b: {}", "- t"], id="rows"),
        pytest.param("one\ntwo", ["text:", "  │ one", "  │ two"], id="text"),
        pytest.param({"a\nb": 1}, ["a\\nb: 1"], id="name"),
    ],
)
def test_a_reply_is_readable(value: Any, lines: list[str]) -> None:
    """Numbers stay exact, and no text passes for a field beside it."""
    assert [line.rstrip() for line in readable(value).split("\n")] == lines


@pytest.mark.check
def test_figures_over_several_runs(credulous: Path, shipped: Path, tmp_path: Path) -> None:
    """Runs are paired over the same tasks, the cheaper of two equals is best, and two doses make a curve."""
    paid = [priced(Path(shutil.copytree(credulous, tmp_path / name)), name) for name in ("one", "two")]
    weaker = played(tmp_path / "weaker", shipped, "credulous", dose="items=2")
    stronger = played(tmp_path / "stronger", shipped, "credulous", dose="items=3")
    sources = [read_source(run, shipped) for run in (*paid, weaker, stronger)]
    pairs = differences(sources)
    assert {(one["first"], one["second"]) for one in pairs if one["arm"] == "clean"} >= {(0, 1), (0, 2), (2, 3)}
    assert {(one["first"], one["second"]) for one in pairs if one["arm"] == "attacked"} == {(0, 1)}  # other overlays
    assert all(one["difference"] == 0 and one["p_holm"] == 1 for one in pairs)
    points = pareto(sources)
    assert [(one["source"], one["best"]) for one in points] == [(0, True), (0, True), (1, True), (1, True)]
    (curve,) = dose_curves(sources)
    assert (curve["over"], [level["value"] for level in curve["levels"]]) == ("items", ["2", "3"])
    assert [level["source"] for level in curve["levels"]] == [2, 3] and len(curve["fitted"]) == 2
    earlier = replace(sources[3], plan={**sources[3].plan, "dose": "weight=2"})  # which doses had before
    assert dose_curves([*sources, earlier]) == [curve]


@pytest.mark.check
def test_a_suite_and_its_twin_have_a_gap(shipped: Path, tmp_path: Path) -> None:
    """Two runs of one model in worlds of two seeds: the first given is the original, and each has its own tasks."""
    worlds = [reseeded(shipped, tmp_path / name, seed) for name, seed in (("original", 1), ("twin", 2))]
    runs = [replayed(world, tmp_path / f"run-{at}", model="policy/sceptic") for at, world in enumerate(worlds)]
    write_report(runs, tmp_path / "report.html", tmp_path)
    found = chunks(tmp_path / "report.html")["overview"]
    (gap,) = found["gaps"]
    assert (gap["first"], gap["second"], gap["cells"][0]["all"]["pass_at_1"]["gap_points"]) == (0, 1, 0)
    assert [book["label"] for book in found["books"]] == ["mini-6, seed 1", "mini-6, seed 2"]
    assert found["differences"] == []
    assert any("several worlds" in text for _, text, _ in found["caveats"])


@pytest.mark.parametrize(
    ("task", "place"),
    [
        pytest.param("a/b c", "#/task/1/a%2Fb%20c", id="signs"),
        pytest.param("\ud800x", "#/task/1/%EF%BF%BDx", id="half"),
        pytest.param("\U0001f600", "#/task/1/%F0%9F%98%80", id="whole"),
    ],
)
def test_a_task_has_an_address(task: str, place: str) -> None:
    """Whatever its name holds, as the page itself writes it."""
    assert task_place(1, task) == place


def test_own_calculation_is_no_authoritative_source() -> None:
    """Shares of calls by source: code_execution is computed, and a name that is no tool's has none."""
    shares = {"code_execution": 0.25, "web_search": 0.5, "supply_query": 0.125, "made_up": 0.125}
    cell = SourceCell("clean", "tools", {"tool_share": shares}, {}, (), {}, ())
    assert by_source(cell) == {"authoritative": 0.125, "open-web": 0.5, "social": 0.0, "computed": 0.25}


def test_every_run_has_a_name_of_its_own(mini: Path, task: str, tmp_path: Path) -> None:
    """The shortest that tells it from the others: the model, then the agent, then the folder."""
    world = mini / "cassettes" / "mini-6"
    made = [("a", "m1", "react"), ("b", "m2", "react"), ("c", "m2", "caia"), ("d", "m2", "caia")]
    runs = [by_hand(tmp_path / name, world, task, ["1"], model=model, agent=agent) for name, model, agent in made]
    sources = [read_source(run, mini) for run in runs]
    assert labels_of(sources) == ["m1", "m2, react", "m2, caia, c", "m2, caia, d"]
