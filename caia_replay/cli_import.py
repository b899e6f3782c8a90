"""The commands that import other benchmarks' questions; a part of the command line, apart from it for its length."""

from __future__ import annotations

from pathlib import Path

import click

_FILE = click.argument("path", type=click.Path(path_type=Path))
_OUT = click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The suite folder to write; a new one."
)


@click.command()
@_FILE
@_OUT
@click.option("--gold", type=click.Path(path_type=Path), help="Gold chains of your own: a folder of rows_*.toml.")
def caia(path: Path, out: Path, gold: Path | None) -> None:
    """Write a draft suite from CAIA's benchmark_178.csv or its older task JSON, and say what is wrong with it."""
    from caia_replay.interop.caia_suite import REPORT, import_caia, summary_lines
    from caia_replay.interop.gold_row import GOLD

    for line in summary_lines(import_caia(path, out, gold or GOLD)):
        print(line)
    print(f"wrote {out}; every guess and finding: {out / REPORT}")


@click.command()
@_FILE
@_OUT
def oce(path: Path, out: Path) -> None:
    """Write execution stubs from OCE's oce_eval_data.json, and say which criteria are data and which are not."""
    from caia_replay.interop.oce_format import REPORT, import_oce, summary_lines

    for line in summary_lines(import_oce(path, out)):
        print(line)
    print(f"wrote {out}; every check and reason: {out / REPORT}. Stubs are no suite and do not run (docs/execution.md)")
