"""``report``, ``runs`` and ``show``: finished runs to look at, as one HTML file and in the terminal."""

from __future__ import annotations

from pathlib import Path

import click


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

    The file needs no server and no network: open it, mail it, keep it with a CI job.
    """
    from caia_replay.report.html.report import write_report
    from caia_replay.report.terminal import count, progress_bar, tell

    with progress_bar(len(runs), "reading") as step:
        done = write_report(runs, out, Path.cwd(), workers, lambda: step(1))
    held = f"{count(done.runs, 'run')} of {count(done.tasks, 'task')} in {count(done.folders, 'run folder')}"
    tell(f"{out}: {held}, {done.bytes / 1e6:.1f} MB")
    tell("next: open it in a browser")
