"""The commands that judge finished runs again; a part of the command line, apart from it for its length."""

from __future__ import annotations

import os
from pathlib import Path

import click

from caia_replay.errors import BadInput, Interrupted, MissingKey


@click.command()
@click.argument("runs", metavar="RUN_DIR ...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="The table as JSON.")
@click.option("--judge", metavar="NAME", help="Ask this model about open answers that no verdict is recorded of.")
@click.option("--verdicts", type=click.Path(path_type=Path), metavar="FILE", help="Where a judge's replies are kept.")
def rescore(runs: tuple[Path, ...], as_json: bool, judge: str | None, verdicts: Path | None) -> None:
    """Judge finished runs again under every tolerance and with partial credit, in one table."""
    import json
    import sys

    from rich.console import Console

    from caia_replay.cassette.egress import egress_guard
    from caia_replay.models.resolve import endpoint_hosts, resolve_model
    from caia_replay.report.sensitivity import rescored_heading, rescored_notes, sensitivity_table
    from caia_replay.runner.rescore import open_judge
    from caia_replay.runner.rescore import rescore as run

    if judge is not None and verdicts is None:
        raise BadInput("a judge's replies are kept in a file", where="--judge", next_command="add --verdicts FILE")
    model, hosts = None, frozenset[str]()
    if judge is not None:
        try:
            hosts, model = endpoint_hosts(judge, os.environ), resolve_model(judge, os.environ)
        except BadInput as fault:
            raise _judge_fault(fault) from None
    try:
        with egress_guard(hosts):
            done = run(runs, Path.cwd(), open_judge(verdicts, model) if verdicts is not None else None)
    except KeyboardInterrupt:
        kept = f"; the replies so far are kept in {verdicts}; next: the same command again" if judge else ""
        raise Interrupted(f"interrupted{kept}") from None
    finally:
        if model is not None:
            model.close()
    if as_json:
        print(json.dumps(done.plain(), indent=2, ensure_ascii=False))
        return
    print("\n".join(rescored_heading(done)))
    Console(width=None if sys.stdout.isatty() else 200).print(sensitivity_table(done.cells))
    for line in rescored_notes(done):
        print(line)


def _judge_fault(fault: BadInput) -> BadInput:
    """What is said of a model that is to play, said of a judge: no policy will do in its place."""
    if fault.where != "MODEL":
        return fault
    next_command = fault.next_command
    if isinstance(fault, MissingKey):
        next_command = "set it, or leave --judge out"
    elif not next_command or "MODEL=" in next_command:
        next_command = "--judge NAME, the name of a live model"
    return type(fault)(fault.what, where="--judge", nearest=fault.nearest, next_command=next_command)
