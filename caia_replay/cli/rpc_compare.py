"""``caia-replay rpc diff`` and ``rpc refresh``: two snapshots compared, and a command's chain recorded again."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from caia_replay.cli.rpc import COMMAND, ENV, NODE, UPSTREAM
from caia_replay.errors import CheckFailed, one_line


def _say(line: str) -> None:
    if line:
        print(one_line(line), flush=True)


@click.command(name="diff")
@click.argument("old", metavar="A")
@click.argument("new", metavar="B")
@click.option("--all", "everything", is_flag=True, help="Tell every row, not the first 20 of each table.")
def rpc_diff(old: str, new: str, everything: bool) -> None:
    """Compare two snapshots, each a folder or a name: identical (exit 0), or the rows that differ (exit 1)."""
    from caia_replay.interop.rpc_command import find_snapshot
    from caia_replay.interop.rpc_refresh import MOST_SHOWN
    from caia_replay.recording.snapshot_diff import compare_snapshots

    found = compare_snapshots(find_snapshot(old), find_snapshot(new))
    for line in found.lines(None if everything else MOST_SHOWN):
        _say(line)
    _say(found.summary())
    if not found.identical:
        raise CheckFailed("")


@click.command(name="refresh")
@click.argument("name")
@UPSTREAM
@click.option("--block", required=True, type=click.IntRange(0), help="The block to record at.")
@click.option("--out", type=click.Path(path_type=Path), help="The new snapshot. Default: beside the old, NAME-BLOCK.")
@NODE
@click.option("--hardfork", metavar="NAME", help="The chain's hardfork, if its headers do not show it.")
@ENV
@COMMAND
def rpc_refresh(
    name: str,
    upstream: str,
    block: int,
    out: Path | None,
    kind: Literal["archive", "anvil"],
    hardfork: str | None,
    variables: tuple[str, ...],
    command: tuple[str, ...],
) -> None:
    """Record COMMAND at another block, beside the snapshot NAME; tell which rows and tests are otherwise (exit 1)."""
    from caia_replay.interop.rpc_record import RpcRecording
    from caia_replay.interop.rpc_refresh import refresh_command

    wanted = RpcRecording(upstream, out or Path(name), command, hardfork=hardfork, kind=kind, variables=variables)
    refresh_command(name, wanted, _say, block=block, out=out)
