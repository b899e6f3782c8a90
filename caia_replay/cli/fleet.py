"""``fleet``: many replays at once, from one file."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from caia_replay.errors import Interrupted

_FILE = click.argument("file", type=click.Path(path_type=Path))


@click.group()
def fleet() -> None:
    """Replay many models, agents and suites at once; docs/fleet.md has the file they are named in."""


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@fleet.command()
@_FILE
def plan(file: Path) -> None:
    """Say what a fleet would play, reuse and cost, and from where that is known. Nobody is asked."""
    from caia_replay.cassette.egress import egress_guard
    from caia_replay.fleet.estimate import estimates
    from caia_replay.fleet.matrix import read_fleet
    from caia_replay.fleet.reuse import Desk
    from caia_replay.report.fleet_table import estimate_notes, estimate_table, found_lines
    from caia_replay.report.terminal import tell

    planned, desk = read_fleet(file), Desk(_say)
    with egress_guard(frozenset()):
        found = desk.look_at(planned.entries)
        made = estimates(planned, found, desk)
    tell(*found_lines(planned, found), "", estimate_table(made), *estimate_notes(planned, made))


@fleet.command()
@_FILE
def run(file: Path) -> None:
    """Play what is not there yet of a fleet; the same command goes on after any stop."""
    from caia_replay.fleet.conduct import Conductor, held, require_idle
    from caia_replay.fleet.matrix import read_fleet
    from caia_replay.fleet.purse import Spent
    from caia_replay.fleet.reuse import Desk
    from caia_replay.report.fleet_table import entry_line, fleet_ending, found_lines, outcome_table, report_line
    from caia_replay.report.live_line import live_lines
    from caia_replay.report.terminal import tell

    planned, desk = read_fleet(file), Desk(_say)
    planned.require_ready()
    require_idle(planned)
    for entry in planned.entries:  # what a plan refuses is refused before anything is written
        desk.headers(entry)
    with held(planned):
        found = desk.look_at(planned.entries)
        tell(*found_lines(planned, found))
        sys.stdout.flush()
        with live_lines({entry.name: entry.plan for entry in planned.entries}, lines=True) as (watch, _):
            try:
                outcomes = Conductor(planned, found, desk, watch).run()
            except KeyboardInterrupt:
                again = f"finished runs are kept; next: caia-replay fleet run {file}"
                raise Interrupted(f"interrupted; {again}") from None
        paid = Spent(planned.folder)
        lines = [entry_line(entry) for entry in planned.entries]
        tell("", outcome_table(outcomes, lines, paid.by_entry()), f"paid by this fleet: {paid.total():.4f} USD")
        tell(*report_line(planned))
    left = fleet_ending(outcomes, lines, f"caia-replay fleet run {file}")
    if left is not None:
        raise left


@fleet.command()
@_FILE
def status(file: Path) -> None:
    """Say how far a fleet is, from another terminal or later."""
    from caia_replay.fleet.conduct import is_running
    from caia_replay.fleet.matrix import read_fleet
    from caia_replay.fleet.purse import Spent
    from caia_replay.report.fleet_table import entry_line, report_line
    from caia_replay.report.terminal import tell

    planned = read_fleet(file)
    running = planned.folder.is_dir() and is_running(planned.folder)
    tell(f"{planned.folder}: {'running' if running else 'not running'}")
    tell(*(entry_line(entry).whole(entry.name) for entry in planned.entries))
    if planned.folder.is_dir():
        ceiling = "" if planned.ceiling is None else f" of {planned.ceiling}"
        tell(f"paid by this fleet: {Spent(planned.folder).total():.4f}{ceiling} USD")
    tell(*report_line(planned))


@fleet.command()
@_FILE
def stop(file: Path) -> None:
    """Ask a running fleet to stop: completions under way are awaited, finished runs are kept."""
    from caia_replay.fleet.conduct import ask_to_stop
    from caia_replay.fleet.matrix import read_fleet
    from caia_replay.report.terminal import tell

    ask_to_stop(read_fleet(file))
    tell(f"asked to stop; next: caia-replay fleet run {file}, which goes on")
