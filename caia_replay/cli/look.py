"""``report``, ``runs`` and ``show``: finished runs to look at, as one HTML file and in the terminal."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caia_replay.errors import BadInput

if TYPE_CHECKING:
    from rich.table import Table


@click.command()
@click.argument("runs", metavar="RUN_DIR ...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out",
    default="report.html",
    show_default=True,
    type=click.Path(path_type=Path),
    help="The file to write; an older report there is replaced.",
)
@click.option(
    "--workers", type=click.IntRange(min=1), help="Processes that read run folders. Default: one for each core."
)
def report(runs: tuple[Path, ...], out: Path, workers: int | None) -> None:
    """Write finished runs as one HTML file: scores, pictures, and every conversation to walk through.

    The file needs no server and no network: open it, mail it, keep it with a CI job (docs/report.md).
    """
    from caia_replay.report.html.report import write_report
    from caia_replay.report.run_list import require_runs
    from caia_replay.report.terminal import count, progress_bar, tell

    require_runs(runs, "report")
    with progress_bar(len(runs), "reading") as step:
        done = write_report(runs, out, Path.cwd(), workers, lambda: step(1))
    held = f"{count(done.runs, 'run')} of {count(done.tasks, 'task')} in {count(done.folders, 'run folder')}"
    tell(f"{out}: {held}, {done.bytes / 1e6:.1f} MB")
    tell(*done.people, "next: open it in a browser")


@click.command(name="runs")
@click.argument("folder", metavar="[DIR]", default="runs", type=click.Path(path_type=Path))
def list_runs(folder: Path) -> None:
    """List the run folders in DIR (default: runs), fleets' too: what was played, how right it was, what it took."""
    from rich.console import Console

    from caia_replay.report.run_list import finished, run_folders, runs_table
    from caia_replay.report.run_view import SIDE_BY_SIDE
    from caia_replay.report.terminal import tell

    found = run_folders(folder)
    if not found:
        raise BadInput("holds no run folder", where=folder, next_command="caia-replay replay")
    wide = not sys.stdout.isatty() or Console().width >= SIDE_BY_SIDE
    tell(runs_table(folder, found, wide=wide))
    done = [f"next: caia-replay show {shlex.quote(str(path))}" for path in finished([folder])]
    tell(*done[:1])


@click.command()
@click.argument("run", metavar="RUN_DIR", type=click.Path(path_type=Path))
@click.argument("task", required=False)
@click.argument("attempt", required=False, type=click.IntRange(min=1))
@click.option("--arm", default="", help="Only these arms; commas between.")
@click.option("--full", is_flag=True, help="Every line of every text.")
def show(run: Path, task: str | None, attempt: int | None, arm: str, full: bool) -> None:
    """Show a finished run: all tasks, one TASK, or the conversation of one ATTEMPT, its arms side by side.

    Reads and does not check; audit and report do.
    """
    from caia_replay.report.terminal import tell

    try:
        told = _shown(run, task, attempt, [part.strip() for part in arm.split(",") if part.strip()], full)
    except (KeyError, TypeError, AttributeError) as fault:
        what = f"is not as a replay leaves it: {fault!r:.80}"
        raise BadInput(what, where=run, next_command=f"caia-replay audit {run}") from None
    tell(*told)


def _shown(run: Path, task: str | None, attempt: int | None, arms: list[str], full: bool) -> list[str | Table]:
    from rich.console import Console

    from caia_replay.analysis.form_only import form_lines
    from caia_replay.report import run_view
    from caia_replay.report.run_list import require_runs
    from caia_replay.report.table import heading, summary_table

    require_runs([run], "show", 1)
    found = run_view.Run(run, arms)
    again = f"next: caia-replay show {shlex.quote(str(run))}"
    if task is None:
        first = found.tasks[0] if found.tasks else "TASK"
        table = run_view.tasks_table(found)
        above: list[str | Table] = [*heading(found.summaries), "", summary_table(found.summaries), ""]
        above += [run_view.spent_line(found), *run_view.lie_lines(found)]
        above += [*form_lines(Path.cwd(), found.attacked_headers()), ""]
        return [*above, table, run_view.LEGEND, f"{again} {first}"]
    found.require_task(task)
    lines = [line for text in run_view.task_lines(found, task) for line in text.split("\n")]
    if attempt is None:
        return [*lines, f"{again} {task} 1"]
    wide = sys.stdout.isatty() and Console().width >= run_view.SIDE_BY_SIDE
    return [*lines, "", *run_view.conversations(found, task, attempt, wide=wide, full=full)]
