"""The command that compares a suite with its twin; a part of the command line, apart from it for its length."""

from __future__ import annotations

import sys
from pathlib import Path

import click

WIDEST = 200
"""Columns of a table that goes to no terminal: nothing in it is cut off there."""


@click.command()
@click.argument("original", metavar="ORIGINAL_RUN", type=click.Path(path_type=Path))
@click.argument("twin", metavar="TWIN_RUN", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="The table as JSON.")
def gap(original: Path, twin: Path, as_json: bool) -> None:
    """Tell how much better a model does on a suite than on its twin from another seed: the contamination gap."""
    from rich.console import Console

    from caia_replay.canonical import pretty_bytes
    from caia_replay.report.gap_table import gap_heading, gap_notes, gap_plain, gap_table
    from caia_replay.runner.twin_gap import suite_gap

    found = suite_gap(original, twin, Path.cwd())
    if as_json:
        print(pretty_bytes(gap_plain(found)).decode(), end="")
        return
    print("\n".join(gap_heading(found)))
    Console(width=None if sys.stdout.isatty() else WIDEST).print(gap_table(found))
    for line in gap_notes(found):
        print(line)
