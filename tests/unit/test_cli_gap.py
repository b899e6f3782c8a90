"""The command that compares a suite with its twin, on two worlds that were built and played for real."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from caia_replay.cli_gap import gap
from caia_replay.command_group import Commands
from caia_replay.origin.mini.build import build_mini
from caia_replay.store.world_folder import open_world
from tests.twin_runs import Memoriser, replayed

BOTH = ("tools", "no-tools")


@click.group(cls=Commands)
def main() -> None:
    """The command line with this one command."""


main.add_command(gap)


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


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    with pytest.raises(SystemExit) as caught:
        main(["gap", *map(str, arguments)])
    shown = capsys.readouterr()
    return int(caught.value.code or 0), shown.out, shown.err


def test_what_was_learnt_by_heart_is_a_gap_without_tools(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A memoriser knows all of the original and of the twin only the protocol's constant: the interval is above 0."""
    code, out, _ = call(capsys, runs / "learnt", runs / "learnt-twin", "--json")
    told = json.loads(out)
    assert (code, told["original"]["world_seed"], told["twin"]["world_seed"]) == (0, 1, 2)
    probe = next(cell for cell in told["cells"] if cell["probe"])
    majority = probe["all"]["majority"]
    assert probe["condition"] == "no-tools" and majority["original"] == 1.0 and majority["twin"] == round(1 / 6, 6)
    assert majority["gap_points"] == pytest.approx(100 * 5 / 6) and majority["interval_points"][0] > 0
    assert probe["by_category"] == {} and probe["all"]["tasks"] == {"original": 6, "twin": 6}
    assert "speaks for contamination" in told["reading"] and told["calibration_policy"] is False


def test_who_reads_the_world_has_no_gap(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The oracle solves both with tools and neither without; table, headings and one closing line of words."""
    code, out, err = call(capsys, runs / "honest", runs / "honest-twin")
    lines = out.splitlines()
    assert (code, err) == (0, "") and "(seed 1)" in lines[0] and "(seed 2)" in lines[0]
    assert lines[1:3] == ["calibration policy, not a model result", "not comparable to published CAIA scores"]
    cells = {line.split("  ")[0].strip(): " ".join(line.split()) for line in lines if "majority right" in line}
    assert "100.0 % 100.0 % +0.0 -39.0 to +39.0" in cells["clean, tools"]
    assert "0.0 % 0.0 % +0.0 -39.0 to +39.0" in cells["clean, no-tools (probe)"]
    assert lines[-1].startswith("to be read as: ")


def test_nothing_in_a_run_folder_is_changed(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every byte of both folders is as before, and the table comes out the same."""
    folders = runs / "honest", runs / "honest-twin"
    before = {path: path.read_bytes() for run in folders for path in run.rglob("*") if path.is_file()}
    first, second = (call(capsys, *folders, "--json") for _ in range(2))
    assert first == second
    assert {path: path.read_bytes() for run in folders for path in run.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("original", "twin", "said"),
    [
        ("honest", "nowhere", "nowhere: not a finished run folder; next: caia-replay replay --out DIR"),
        ("honest", "honest", "both runs were played in one world, of seed 1; next: caia-replay world build --seed 2"),
        ("honest", "learnt-twin", "the runs differ in model: 'policy/oracle' and 'some-model'"),
    ],
)
def test_what_is_no_pair_of_twins_is_one_line_and_exit_code_2(
    runs: Path, capsys: pytest.CaptureFixture[str], original: str, twin: str, said: str
) -> None:
    """No run folder, one world twice, two models: what, where and the next command, and nothing on stdout."""
    code, out, err = call(capsys, runs / original, runs / twin)
    assert (code, out, err.count("\n")) == (2, "", 1) and said in err and str(runs / twin) in err
