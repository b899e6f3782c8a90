"""How the commands end that play a plan into a run folder: what is kept where one was stopped, and what came out."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from caia_replay.errors import BadInput, Interrupted, SealBroken


def typed() -> str:
    """The command as it was typed."""
    return shlex.join(["caia-replay", *sys.argv[1:]])


@contextmanager
def what_is_kept(target: Path, size: int, again: str) -> Iterator[None]:
    """Say of a stop, a broken seal or a full disk what it leaves of ``size`` runs, and that ``again`` goes on."""
    from caia_replay.report.terminal import count

    partial = Path(f"{target}.partial")
    try:
        yield
    except KeyboardInterrupt:
        kept = count(len(list(partial.glob("*/trajectories/*/*.json"))), "finished run")
        raise Interrupted(f"interrupted; {kept} of {size} kept in {partial}; next: {again}") from None
    except SealBroken as fault:
        if not partial.exists():
            raise
        undone = f"{fault.next_command}; after undoing: {again}"
        raise SealBroken(
            f"{fault.what}; finished runs are kept in {partial}", where=fault.where, next_command=undone
        ) from None
    except OSError as fault:  # a full disk: what is finished is kept
        kept = again if partial.exists() else typed()
        where = fault.filename2 or fault.filename or ""
        raise BadInput(fault.strerror or str(fault), where=where, next_command=f"put that right, then {kept}") from None


def tell_done(done: Any, campaign: str, again: str, record_model: str | None = None) -> None:
    """Print what a run folder says, by the ``Finished`` of its replay. Raises what the command ends with where not
    all of it stands."""
    from rich.console import Console

    from caia_replay.analysis.form_only import form_lines
    from caia_replay.report.attack_table import arm_lines, attack_tables, spared_lines
    from caia_replay.report.table import ending, heading, summary_table, unscored_lines
    from caia_replay.report.terminal import WIDEST, cell_name
    from caia_replay.runner.arm_effect import ARMS_FILE
    from caia_replay.runner.plan import ATTACKED
    from caia_replay.store.run_folder import read_json

    print("\n".join(heading(done.summaries)))
    console = Console(width=None if sys.stdout.isatty() else WIDEST)
    console.print("", summary_table(done.summaries), "", sep="\n")
    for table in attack_tables(done.summaries):
        console.print(table)
    for line in spared_lines(done.summaries, ATTACKED, campaign):
        print(line)
    for line in arm_lines(read_json(done.out / ARMS_FILE)):
        print(line)
    attacked = [cell for cell in done.summaries if cell["attack_rates"]["intention_to_treat"]["runs"]]
    headers = [
        (cell_name(folder), read_json(done.out / folder / "certificate.json"))
        for folder in (f"{cell['arm']}-{cell['condition']}" for cell in attacked)
    ]
    for line in form_lines(Path.cwd(), headers):
        print(line)
    for line in unscored_lines(done.summaries, done.causes):
        print(line)
    print(f"run folder: {done.out}")
    if done.tape is not None:
        print(f"model tape: {done.tape}; replay it without a key: --model recorded/{record_model}")
    left = ending(done.summaries, done.unfinished, again)
    if left is not None:
        raise left
    print(f"next: caia-replay report {shlex.quote(str(done.out))}, or caia-replay show {shlex.quote(str(done.out))}")
