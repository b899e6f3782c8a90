"""``python -m benchmarks [--json] [GROUP ...]``: speed beside a floor or a peer, measured in the same run."""

from __future__ import annotations

import click

from benchmarks.table import run
from caia_replay.cli.group import Command
from caia_replay.errors import CheckFailed


@click.command(cls=Command)
@click.argument("groups", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Rows as JSON.")
def main(groups: tuple[str, ...], as_json: bool) -> None:
    """Measure speed beside a floor or a peer in the same run; exit 1 when a limit is broken."""
    if not run(groups, as_json):
        raise CheckFailed("a limit is broken")


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
