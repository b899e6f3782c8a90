"""Finished runs for other programs: what CSV, Parquet and EEE hold, and what is refused."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from caia_replay.analysis.finished_run import open_run
from caia_replay.interop.data_card import COLUMNS, column
from caia_replay.interop.export import OWN, csv_cell, model_id
from caia_replay.sandbox.compiled_file import CompiledFolder
from caia_replay.store.results import RESULTS, STEPS
from tests.cli_shell import Shell
from tests.finished_run import edited, finished_run, hostile_run
from tests.peer_python import brought_python
from tests.report_runs import played

KINDS = {"csv": "out.csv", "parquet": "out", "eee": "out"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, shipped: Path, sandbox: CompiledFolder) -> Path:
    """A policy's run of the six tasks, twice in each of two arms; not right in both runs of every task."""
    return played(tmp_path_factory.mktemp("run") / "mine", shipped, "caia-mix", campaign="all", seed=1)


def files_of(place: Path) -> dict[str, bytes]:
    """Every file below a place, by its path from there."""
    found = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
    return {path.relative_to(place.parent).as_posix(): path.read_bytes() for path in found}


def samples_of(place: Path) -> list[dict[str, Any]]:
    """The lines of an EEE export, all runs."""
    paths = sorted(place.rglob("*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]


def test_a_csv_file_has_every_row_of_the_runs(run: Path, shell: Shell) -> None:
    """A row for each run of a task, told apart by cell, and what the folder's own table says of it."""
    code, told, _ = shell("export", "csv", run, "--out", "out.csv")
    assert (code, told) == (0, "out.csv: 24 rows\n")
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = open_run(run, Path())
    assert [(row["task"], row["arm"], int(row["attempt"])) for row in rows] == [
        (row["task"], row["arm"], row["attempt"]) for cell in found.cells for row in cell.rows
    ]
    assert {(row["run"], row["policy"], row["provenance"]) for row in rows} == {("mine", "true", "synthetic")}
    assert {row["certificate"] for row in rows} == {cell.certificate["digest"] for cell in found.cells}
    assert {row["correct"] for row in rows} == {"true", "false"} and {row["cost_usd"] for row in rows} == {""}


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@A1", " \t=1", "|x", "%x", "＝1", "\r=1"])
def test_no_text_is_a_formula_in_a_spreadsheet(text: str) -> None:
    """An apostrophe stands before what a spreadsheet would compute; numbers and other texts are as they are."""
    assert csv_cell(text) == f"'{text}"
    assert [csv_cell(value) for value in (-1, 0.5, True, None, "1-2", "")] == ["-1", "0.5", "true", "", "1-2", ""]


def test_the_tables_of_several_runs_are_one(run: Path, shell: Shell, mini: Path) -> None:
    """Parquet tables of two runs with our columns before theirs, and steps that say what was shown."""
    other = finished_run(mini / "live", mini / "cassettes" / "mini-6", [("mini6-supply", 1, "=cmd()")])
    assert shell("export", "parquet", run, other, "--out", "out")[0] == 0
    results, steps = (pq.read_table(f"out/{name}.parquet") for name in ("results", "steps"))
    assert results.schema.names == [*OWN.names, *RESULTS.names] and steps.schema.names == [*OWN.names, *STEPS.names]
    assert results.num_rows == 25 and set(results["run"].to_pylist()) == {"mine", "live"}
    assert results["answer"].to_pylist()[-1] == "=cmd()"
    assert steps["shown"].null_count == sum(results["turns"].to_pylist()) < steps.num_rows


def test_the_card_says_what_nobody_may_conclude(run: Path, shell: Shell) -> None:
    """Every column with its meaning, each cell's certificate and world, the licence, the limits and the canary."""
    assert shell("export", "parquet", run, "--out", "out")[0] == 0
    card, found = Path("out/README.md").read_text("utf-8"), open_run(run, Path())
    assert card.startswith("---\nlicense: mit\n") and found.world is not None
    wanted = [found.world.info.canary, "scripts, not models", "Not comparable to published CAIA scores", "MIT licence"]
    wanted += [str(cell.certificate[name]) for cell in found.cells for name in ("digest", "world")]
    assert not [text for text in wanted if text not in card]
    assert all(f"| `{name}` |" in card for name in (*OWN.names, *RESULTS.names, *STEPS.names))


def test_every_column_is_described_and_nothing_else() -> None:
    """The card's words cover the tables' columns, each once."""
    names = {*OWN.names, *RESULTS.names, *STEPS.names}
    assert all(all(column(name)[1:]) for name in names)
    assert set(COLUMNS) == {name for name in names if not name.startswith("served_")}


def test_text_of_third_parties_stays_at_home(shell: Shell, mini: Path) -> None:
    """Where the world is not at hand nobody knows whose text tools showed: it is left out, and the card says so."""
    run = finished_run(mini / "live", mini / "cassettes" / "mini-6", [("mini6-supply", 1, "1")])
    (mini / "cassettes").rename(mini / "elsewhere")
    assert shell("export", "parquet", run, "--out", "out")[0] == 0
    steps = pq.read_table("out/steps.parquet")
    assert steps["shown"].null_count == steps.num_rows == 3
    card = Path("out/README.md").read_text("utf-8")
    assert "license: other" in card and "Provenance of the worlds: unknown." in card


def test_an_eee_record_says_what_the_summary_says(run: Path, shell: Shell) -> None:
    """Its figures and intervals are summary.json's, its lines the runs' verdicts, its conversation what was said."""
    assert shell("export", "eee", run, "--out", "out")[0] == 0
    (path,) = Path("out").rglob("*[!s].json")
    record, lines = json.loads(path.read_text("utf-8")), samples_of(Path("out"))
    assert path.parent == Path("out/data/caia-replay-mini-6/caia-replay/policy-caia-mix")
    summary = json.loads((run / "attacked-tools/summary.json").read_text("utf-8"))
    results = {one["evaluation_result_id"].split("/", 4)[-1]: one for one in record["evaluation_results"]}
    told = {name: one["score_details"] for name, one in results.items()}
    figures = ("pass_at_1", "majority", "pass_at_k", "pass_hat_k")
    assert [told[f"attacked-tools/{name}"]["score"] for name in figures] == [summary[name] for name in figures]
    assert len({summary[name] for name in figures}) == 3 and "clean-tools/adoption" not in told
    rates = (("adoption", "intention_to_treat"), ("adoption_if_exposed", "if_exposed"))
    for name, rate in rates:
        assert told[f"attacked-tools/{name}"]["score"] == summary["attack_rates"][rate]["rate"] > 0
    interval = told["attacked-tools/pass_at_1"]["uncertainty"]["confidence_interval"]
    assert [interval["lower"], interval["upper"]] == summary["confidence_intervals"]["pass_at_1"]
    rows = pq.read_table(run / "attacked-tools/results.parquet").to_pylist()
    assert [(one["sample_id"], one["evaluation"]["is_correct"]) for one in lines[12:]] == [
        (row["task"], row["correct"]) for row in rows
    ]
    assert {one["model_id"] for one in lines} == {record["model_info"]["id"]} == {"caia-replay/policy-caia-mix"}
    assert record["detailed_evaluation_results"]["total_rows"] == len(lines) == 24
    last = lines[-1]["messages"][-1]
    assert lines[-1]["answer_attribution"][0]["extracted_value"] in last["content"] and last["role"] == "assistant"


def test_a_run_without_a_verdict_is_no_line(shell: Shell, mini: Path) -> None:
    """EEE has no place for what was not scored; a run of which nothing was scored has no file of samples."""
    world = mini / "cassettes" / "mini-6"
    half = finished_run(mini / "half", world, [("mini6-supply", 1, "1")], broken=[("mini6-supply", 2)])
    none = finished_run(mini / "none", world, [], broken=[("mini6-supply", 1)])
    assert shell("export", "eee", half, "--out", "out", "--developer", "me")[0] == 0
    assert [one["metadata"]["attempt"] for one in samples_of(Path("out"))] == ["1"]
    assert shell("export", "eee", none, "--out", "none-of-it", "--developer", "me")[0] == 0
    assert [path.suffix for path in Path("none-of-it").rglob("*.json*")] == [".json"]


@pytest.mark.parametrize(
    ("name", "developer", "wanted"),
    [
        ("policy/oracle", "", "caia-replay/policy-oracle"),
        ("gpt-5", "", "openai/gpt-5-2025-08-07"),
        ("lab/some model", "", "lab/some-model"),
        ("../../x", "y", "y/x"),
        ("a|b/..", "", "a-b/unnamed"),
        ("data/con", "", "data-model/con-model"),
    ],
)
def test_a_model_has_a_developer_and_a_plain_name(name: str, developer: str, wanted: str) -> None:
    """EEE files a record under both; neither leaves its folder, whatever a model is called."""
    assert model_id(name, developer) == wanted


@pytest.mark.parametrize("kind", KINDS)
def test_equal_runs_give_equal_bytes(kind: str, run: Path, shell: Shell) -> None:
    """Exported twice, a run gives the same files."""
    for place in ("first", "second"):
        Path(place).mkdir()
        assert shell("export", kind, run, "--out", f"{place}/{KINDS[kind]}")[0] == 0
    assert files_of(Path("first")) and [*files_of(Path("first")).values()] == [*files_of(Path("second")).values()]


def test_whatever_a_model_writes_stays_in_its_field(shell: Shell, mini: Path) -> None:
    """Rows and lines are as many as runs, the card's table has its columns, and no text is a formula."""
    run = hostile_run(mini, mini / "cassettes" / "mini-6")
    for kind, out in KINDS.items():
        words = ["--developer", "me"] if kind == "eee" else []
        assert shell("export", kind, run, "--out", f"{kind}-{out}", *words)[0] == 0
    with Path("csv-out.csv").open(encoding="utf-8", newline="") as file:
        assert [row["answer"][:3] for row in csv.DictReader(file)] == ["'=1", "", ""]
    card = Path("parquet-out/README.md").read_text("utf-8")
    (row,) = [line for line in card.splitlines() if line.startswith("| a")]
    assert row.startswith("| a\\|b &lt;x> c | mini-6") and len(re.findall(r"(?<!\\)\|", row)) == 10
    lines = samples_of(Path("eee-out"))
    assert len(lines) == 2 and set(lines[0]["messages"][0]["tool_calls"][0]["arguments"]) == {"arguments"}


def refusals(run: Path) -> Iterator[tuple[list[Any], str]]:
    """What is wrong, and what is told of it."""
    yield [run, "--out", run.parent], "is there already"
    yield [run, "--out", "no/where"], "there is no folder no; next: mkdir -p no"
    yield [run, run, "--out", "out"], "is the same run as"
    yield ["nowhere", "--out", "out"], "nowhere"
    edited(run / "clean-tools" / "summary.json", pass_at_1=1.0)
    yield [run, "--out", "out"], "pass_at_1"


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_refused_is_one_line_and_leaves_nothing(kind: str, shell: Shell, mini: Path) -> None:
    """A place that is taken, a run named twice or that is none, and a folder that was edited: exit code 2."""
    run = finished_run(mini / "mine", mini / "cassettes" / "mini-6", [("mini6-supply", 1, "1")], model="policy/oracle")
    before = sorted(path.name for path in mini.iterdir())
    for words, wanted in refusals(run):
        code, _, said = shell("export", kind, *words)
        assert code == 2 and wanted in said and said.count("\n") == 1, said
    assert sorted(path.name for path in mini.iterdir()) == before


def test_who_developed_a_stranger_is_asked_for(shell: Shell, mini: Path) -> None:
    """A record needs the developer; where nobody has told, one line says how to, and nothing is written."""
    run = finished_run(mini / "mine", mini / "cassettes" / "mini-6", [("mini6-supply", 1, "1")])
    code, _, said = shell("export", "eee", run, "--out", "out")
    assert code == 2 and said.count("\n") == 1 and "next: --developer NAME" in said and not Path("out").exists()


def test_without_inspect_its_export_says_what_to_install(run: Path, shell: Shell) -> None:
    """One line and exit code 2: Inspect AI is an extra."""
    code, _, said = shell("export", "inspect", run, "--out", "out")
    assert code == 2 and said.endswith("next: pip install 'caia-replay[inspect]'\n") and said.count("\n") == 1


@pytest.mark.check
def test_eee_itself_finds_nothing_wrong(run: Path, shell: Shell, mini: Path) -> None:
    """every-eval-ever's own models and checks pass, also equal runs of two folders, and find a line that is lost."""
    python = brought_python("inspect")
    stranger = hostile_run(mini, mini / "cassettes" / "mini-6")
    twin = shutil.copytree(run, mini / "twin")
    assert shell("export", "eee", run, twin, stranger, "--out", "out", "--developer", "me")[0] == 0
    files = [path.relative_to("out").as_posix() for path in sorted(Path("out").rglob("*.json*"))]

    def judged() -> tuple[int, str]:
        command = [python, "-P", "-m", "every_eval_ever.validator.cli", *files, "--format", "json"]
        ran = subprocess.run(command, cwd="out", capture_output=True, text=True, timeout=120, check=False)
        return ran.returncode, ran.stdout + ran.stderr

    assert len(files) == 6 and judged()[0] == 0, judged()
    (first, *_) = sorted(Path("out").rglob("*_samples.jsonl"))
    first.write_text("".join(first.read_text("utf-8").splitlines(keepends=True)[1:]), "utf-8")
    assert judged()[0] == 1
