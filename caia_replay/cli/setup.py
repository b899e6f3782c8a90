"""``caia-replay setup``, ``doctor`` and ``worlds``: what a machine needs, and the suites on it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from caia_replay.cli.group import Command
from caia_replay.errors import CheckFailed


def _say(line: str) -> None:
    click.echo(f"setup: {line}", err=True)


@click.command(cls=Command)
def setup() -> None:
    """Install Anvil and the Python for WASI, for every folder of this user.

    Uses npm, or a node from PyPI where there is none. Run again after a stop, it goes on. A checkout gets them in its
    node_modules.
    """
    from caia_replay.installation.programs import bring

    anvil, python = bring(_say)
    click.echo(f"Anvil: {anvil}\nPython for WASI: {python}\nready; next: caia-replay replay")


@click.command(cls=Command)
def doctor() -> None:
    """Tell what is installed, what is missing, and what to type. Exit code 1 when a replay lacks something."""
    from caia_replay.installation.doctor import findings

    missing = []
    for found in findings():
        mark = "ok" if found.here else "MISSING" if found.needed else "not here"
        click.echo(
            f"{mark:8}  {found.name}: {found.told}" + (f"; next: {found.next_command}" if not found.here else "")
        )
        if found.needed and not found.here:
            missing.append(found)
    if missing:
        names = ", ".join(found.name for found in missing)
        raise CheckFailed(f"missing: {names}; next: {missing[0].next_command}")


@click.group()
def worlds() -> None:
    """Suites on this machine: list, add, remove."""


@worlds.command("list", cls=Command)
def list_worlds() -> None:
    """List every suite that commands find from here: its tasks, where it lies, its digest."""
    from caia_replay.installation.worlds import listed

    for one in listed(Path.cwd()):
        click.echo(f"{one.name}: {one.tasks} tasks, {one.source}, {one.place}, {one.digest}")


@worlds.command("add", cls=Command)
@click.argument("source")
@click.option("--digest", "digest", default="", help="The SHA-256 the file must have. An address needs one.")
def add_world(source: str, digest: str) -> None:
    """Add the suites of SOURCE: a folder, a data wheel or zip file, or the address of one.

    Only sealed files are taken, and every seal is checked. The suites are found from any folder afterwards.
    """
    from caia_replay.installation.worlds import add

    for one in add(source, digest, partial(click.echo, err=True)):
        click.echo(f"{one.name}: {one.tasks} tasks, {one.digest}; next: caia-replay replay --suite {one.name}")


@worlds.command("remove", cls=Command)
@click.argument("name")
def remove_world(name: str) -> None:
    """Remove an added suite, and the suites that stand on it."""
    from caia_replay.installation.worlds import remove

    click.echo(f"removed {remove(name)}")
