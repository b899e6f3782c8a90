"""The command line: one function per command, one file per group of them, heavy imports inside the functions."""

from __future__ import annotations

import click

from caia_replay.cli.attack import attack
from caia_replay.cli.client import client
from caia_replay.cli.export import export
from caia_replay.cli.fleet import fleet
from caia_replay.cli.group import Commands
from caia_replay.cli.http import http
from caia_replay.cli.imports import import_group
from caia_replay.cli.intake import intake
from caia_replay.cli.intake_task import promote, try_draft
from caia_replay.cli.look import list_runs, report, show
from caia_replay.cli.models import models
from caia_replay.cli.record import pool, publish, record
from caia_replay.cli.replay import call, replay, verify
from caia_replay.cli.rpc import rpc
from caia_replay.cli.rpc_compare import rpc_diff, rpc_refresh
from caia_replay.cli.runs import audit, diff, gap, merge, rescore, why_miss
from caia_replay.cli.serve import serve
from caia_replay.cli.setup import doctor, setup, worlds
from caia_replay.cli.task import lint, task
from caia_replay.core.version import __version__


@click.group(cls=Commands)
@click.version_option(__version__, prog_name="caia-replay")
def main() -> None:
    """Deterministic offline replay of crypto-analyst agent tasks."""


for part in (
    replay,
    fleet,
    merge,
    verify,
    call,
    diff,
    audit,
    why_miss,
    gap,
    rescore,
    export,
    models,
    attack,
    task,
    intake,
    lint,
    serve,
    rpc,
    client,
    http,
):
    main.add_command(part)
for part in (report, list_runs, show, record, import_group, publish, pool, setup, doctor, worlds):
    main.add_command(part)
for part in (rpc_diff, rpc_refresh):
    rpc.add_command(part)
for part in (try_draft, promote):
    intake.add_command(part)
