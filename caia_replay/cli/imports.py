"""``import``: what other tools recorded and other benchmarks ask, in this project's forms."""

from __future__ import annotations

from pathlib import Path

import click

from caia_replay.errors import CheckFailed, one_line

_FILE = click.argument("path", type=click.Path(path_type=Path))
_OUT = click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The suite folder to write; a new one."
)


@click.group(name="import")
def import_group() -> None:
    """Bring recordings made by other tools into this project's formats."""


@import_group.command(name="prestate")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The snapshot folder to write.")
def import_prestate(path: Path, out: Path) -> None:
    """Build a chain snapshot from block.json, prestatetrace.json and receipts.json."""
    from caia_replay.chain.prestate import import_prestate as run

    print(run(path, out))


@import_group.command(name="vcr")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; without it nothing is written.")
def import_vcr(path: Path, out: Path | None) -> None:
    """Check vcrpy cassettes, YAML or JSON, a file or a folder, and write them as ours.

    Exit 1 when any was refused. docs/cassettes.md says what is.
    """
    from caia_replay.recording.import_vcr import import_vcr as run

    outcomes = []
    for outcome in run(path, out):
        outcomes.append(outcome)
        name = one_line(outcome.name)
        for note in outcome.notes:
            print(f"{name}: {note}")
        if outcome.refusal:
            print(f"{name}: refused: {outcome.refusal}")
    imported = sum(not outcome.refusal for outcome in outcomes)
    print(f"{imported} of {len(outcomes)} cassettes, {sum(outcome.interactions for outcome in outcomes)} interactions")
    if imported < len(outcomes):
        raise CheckFailed("")


@import_group.command(name="har")
@_FILE
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="A world folder, or any folder for a cassette alone."
)
@click.option("--host", "hosts", multiple=True, metavar="HOST", help="Only entries of this host; may be repeated.")
def import_har(path: Path, out: Path, hosts: tuple[str, ...]) -> None:
    """Write the requests and replies of a HAR file, as browsers export it, as a cassette of a world.

    The file is called like FILE, and the world is sealed again. Exit 1 when an entry was refused; docs/cassettes.md
    says which are.
    """
    from caia_replay.recording.into_world import import_har as run

    done = run(path, out, hosts)
    for line in (*(f"refused: {line}" for line in done.refused), *done.lines):
        print(one_line(line))
    count = done.interactions + len(done.refused)
    print(f"wrote {one_line(str(done.path))}: {done.interactions} of {count} entries")
    if done.refused:
        raise CheckFailed("")


@import_group.command()
@_FILE
@_OUT
@click.option("--gold", type=click.Path(path_type=Path), help="Gold chains of your own: a folder of rows_*.toml.")
def caia(path: Path, out: Path, gold: Path | None) -> None:
    """Write a draft suite from CAIA's benchmark_178.csv or its older task JSON, and say what is wrong with it.

    CAIA's file is not part of this project (docs/import-caia.md).
    """
    from caia_replay.interop.caia_suite import REPORT, import_caia, summary_lines
    from caia_replay.interop.gold_row import GOLD

    for line in summary_lines(import_caia(path, out, gold or GOLD)):
        print(line)
    print(f"wrote {out}; every guess and finding: {out / REPORT}")


@import_group.command()
@_FILE
@_OUT
def oce(path: Path, out: Path) -> None:
    """Write execution stubs from OCE's oce_eval_data.json, and say which criteria are data and which are not."""
    from caia_replay.interop.oce_format import REPORT, import_oce, summary_lines

    for line in summary_lines(import_oce(path, out)):
        print(line)
    print(f"wrote {out}; every check and reason: {out / REPORT}. Stubs are no suite and do not run (docs/execution.md)")
