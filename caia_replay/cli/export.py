"""``export``: finished runs in the formats of other programs, and tasks in Harbor's."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from caia_replay.cli.group import CAMPAIGN, TASKS
from caia_replay.errors import BadInput

_RUNS = click.argument("runs", metavar="RUN_DIR ...", nargs=-1, required=True, type=click.Path(path_type=Path))
_FILE = click.option("--out", required=True, type=click.Path(path_type=Path), help="The file to write; a new one.")
_FOLDER = click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder to write; a new one.")


@click.group()
def export() -> None:
    """Write finished runs, and tasks, for other programs (docs/exports.md). What disagrees with itself is refused."""


@export.command(name="csv")
@_RUNS
@_FILE
def export_csv(runs: tuple[Path, ...], out: Path) -> None:
    """Write one CSV file, a row for each run of a task; a spreadsheet takes no text in it for a formula."""
    from caia_replay.interop.export import write_csv
    from caia_replay.report.terminal import count, tell

    tell(f"{out}: {count(write_csv(_opened(runs), out), 'row')}")


@export.command(name="parquet")
@_RUNS
@_FOLDER
def export_parquet(runs: tuple[Path, ...], out: Path) -> None:
    """Write results.parquet, steps.parquet and README.md, a data card with every column's unit and the known limits."""
    from caia_replay.interop.export import write_parquet
    from caia_replay.report.terminal import count, tell

    for name, rows in write_parquet(_opened(runs), out).items():
        tell(f"{out / name}: {count(rows, 'row')}")
    tell(f"{out / 'README.md'}: the data card; read it before you share them")


@export.command(name="eee")
@_RUNS
@_FOLDER
@click.option("--developer", default="", metavar="NAME", help="Who developed a model that the registry lacks.")
def export_eee(runs: tuple[Path, ...], out: Path, developer: str) -> None:
    """Write records of every-eval-ever: a summary of each run, and a line for each of its scored runs of a task."""
    from caia_replay.interop.eee import write_eee
    from caia_replay.report.terminal import count, tell

    for name, scored in write_eee(_opened(runs), out, developer).items():
        tell(f"{out / name}: {count(scored, 'scored run')}")


@export.command(name="inspect")
@_RUNS
@_FOLDER
def export_inspect(runs: tuple[Path, ...], out: Path) -> None:
    """Write logs of Inspect AI, a .eval file for each arm under each condition; needs Inspect AI."""
    if find_spec("inspect_ai") is None:
        what = "Inspect AI is not installed beside this caia-replay"
        raise BadInput(what, where="export inspect", next_command="pip install 'caia-replay[inspect]'")
    from caia_replay.interop.inspect_log import write_inspect
    from caia_replay.report.terminal import count, tell

    for name, samples in write_inspect(_opened(runs), out).items():
        tell(f"{out / name}: {count(samples, 'sample')}")
    tell(f"next: inspect view --log-dir {out}")


@export.command(name="harbor")
@click.argument("suite")
@_FOLDER
@TASKS
@click.option("--arm", default="clean", show_default=True, help="The version of the world that is played.")
@CAMPAIGN
def export_harbor(suite: str, out: Path, tasks: tuple[str, ...], arm: str, campaign: str) -> None:
    """Write the tasks of SUITE as task folders of Harbor, and what the image of their world is built from."""
    from caia_replay.interop.harbor import write_harbor
    from caia_replay.report.terminal import count, tell
    from caia_replay.store.world_folder import open_world
    from caia_replay.validation.verify import verify_suite

    folder = open_world(suite)
    solvable = dict[str, bool]()
    for proof in verify_suite(folder, tasks, arm, campaign):
        if proof.solved is False:
            what = f"its gold chain does not yield the answer in arm {arm}: {proof.reason}"
            again = f"caia-replay verify --suite {shlex.quote(suite)} --task {shlex.quote(proof.task)}"
            raise BadInput(what, where=f"task {proof.task}", next_command=again)
        solvable[proof.task] = proof.solved is True
    image = write_harbor(folder, solvable, arm, campaign, out)
    tell(f"{out / 'tasks'}: {count(len(solvable), 'task folder')}, {sum(solvable.values())} with a solution")
    tell(f"{out / 'image'}: what the image of the world is built from; it holds every answer")
    tell(f"next: docker build -t {image} {shlex.quote(str(out / 'image'))}")
    tell(f"then: harbor run -p {shlex.quote(str(out / 'tasks'))} -a oracle")


def _opened(runs: tuple[Path, ...]) -> Any:
    from caia_replay.interop.export import finished_runs

    return finished_runs(runs, Path.cwd())
