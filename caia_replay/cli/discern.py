"""The command that measures discernment; a part of the attack pack's, apart from it for its length."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from caia_replay.cli.group import AGENT, NEVER_REPLACED, SUITE, TASKS
from caia_replay.errors import BadInput, CheckFailed

WIDEST = 200
"""Columns of a table that goes to no terminal: nothing in it is cut off there."""


@click.command()
@click.option("--model", default="", show_default="policy/credulous", help="A name that caia-replay models lists.")
@SUITE
@TASKS
@click.option(
    "--channel", "channels", multiple=True, metavar="C", help="Only docs, news, page, post or profile; may be repeated."
)
@click.option("--swapped", is_flag=True, help="Also play each task with the opposite claim, and compare.")
@click.option(
    "--shuffles",
    default=1_999,
    show_default=True,
    type=click.IntRange(1, 1_000_000),
    help="Random reassignments of true and false to the claims, for the p-value.",
)
@click.option(
    "--labels",
    default="none",
    show_default=True,
    metavar="L[,L]",
    help="What sources are labelled as: none, true, swapped or shuffled.",
)
@click.option("--dose", default="", metavar="FIELD=N[,...]", help="Change the dose, such as items=3,language=zh.")
@click.option(
    "--defence",
    default="",
    metavar="NAME",
    help="A filter between the tools and the agent; docs/defences.md names them.",
)
@AGENT
@click.option("--runs", default=1, show_default=True, type=int, help="Attempts at each claim.")
@click.option(
    "--seed", default=0, show_default=True, type=int, help="Random seed: draws the claims, and goes to the model."
)
@click.option(
    "--simulate",
    multiple=True,
    metavar="D[,C]",
    help="Play an agent with this d-prime and criterion instead; may be repeated.",
)
@click.option("--out", type=click.Path(path_type=Path), help=f"Where to write all of it as JSON; {NEVER_REPLACED}")
@click.option("--json", "as_json", is_flag=True, help="All of it as JSON.")
def discern(
    model: str,
    suite: str,
    tasks: tuple[str, ...],
    channels: tuple[str, ...],
    swapped: bool,
    shuffles: int,
    labels: str,
    dose: str,
    defence: str,
    agent: str,
    runs: int,
    seed: int,
    simulate: tuple[str, ...],
    out: Path | None,
    as_json: bool,
) -> None:
    """Measure how well an agent separates true claims from false ones (d-prime), per channel.

    Each task gets one claim, the same in every channel; half of all claims are true. With --simulate, agents of known
    d-prime play instead; exit 1 if an interval misses the d-prime that was set.
    """
    from caia_replay.analysis.discernment import require_treatment
    from caia_replay.analysis.discernment_check import check, parse_known
    from caia_replay.analysis.discernment_study import DRAWN, designs_over, dose_named, runs_of, study
    from caia_replay.attacks.discernment_claims import CHANNELS
    from caia_replay.cassette.egress import egress_guard
    from caia_replay.models.resolve import RECORDED, endpoint_hosts
    from caia_replay.report.discernment_table import (
        check_line,
        check_table,
        label_table,
        study_lines,
        study_table,
        swap_table,
    )
    from caia_replay.report.terminal import progress_bar
    from caia_replay.runner.plan import make_plan
    from caia_replay.store.world_folder import open_world
    from caia_replay.world.world import FrozenWorld

    _refuse_old(out)
    treatments = list(dict.fromkeys(part.strip() for part in labels.split(",")))
    for treatment in treatments:
        require_treatment(treatment)
    known = [parse_known(text) for text in simulate]
    if known and (model or swapped or treatments != ["none"]):
        what = "simulated agents take the place of --model, and neither --swapped nor --labels is for them"
        raise BadInput(what, where="--simulate", next_command="--simulate alone")
    name = model or "policy/credulous"
    if name.startswith(RECORDED):
        what = "a tape holds what a model said of a campaign, and nothing of these claims"
        raise BadInput(what, where="--model", next_command="the model itself, or a policy")
    given = dose_named(dose)
    with FrozenWorld(open_world(suite)) as world:
        plan = make_plan(
            world.folder, tasks=tasks, arms=("attacked",), model=name, agent=agent, runs=runs, seed=seed,
            defence=defence,
        )  # fmt: skip
        designs = designs_over(world, plan, channels or tuple(CHANNELS), swapped, given)
        size = runs_of(plan, designs) * len(known or treatments)
        with progress_bar(size) as step, egress_guard(endpoint_hosts(name, os.environ)):
            if known:
                checked = check(world, plan, designs[DRAWN], known, dose=given, progress=step)
            else:
                played = study(world, plan, designs, labels=treatments, dose=given, shuffles=shuffles, progress=step)
    if known:
        _tell(checked.plain(), [check_table(checked)], [check_line(checked)], out, as_json, is_policy=True)
        if not checked.is_recovered:
            raise CheckFailed("simulated agents are not recovered")
        return
    tables = [study_table(played), *([swap_table(played.swaps)] if swapped else [])]
    tables += [label_table(played.label_effects)] if played.label_effects else []
    _tell(played.plain(), tables, list(study_lines(played)), out, as_json, is_policy=name.startswith("policy/"))
    if not any(verdict.is_scored for verdict in played.verdicts):
        raise CheckFailed("no run could be scored")


def _tell(
    fields: dict[str, Any], tables: list[Any], lines: list[str], out: Path | None, as_json: bool, is_policy: bool
) -> None:
    """The tables and lines, or all of it as JSON; and the file, where one is asked for."""
    from rich.console import Console

    from caia_replay.analysis.attack_diff import keep_new
    from caia_replay.canonical import pretty_bytes
    from caia_replay.report.table import POLICY_HEADING
    from caia_replay.report.terminal import printed_json

    if out is not None:
        keep_new(out, pretty_bytes(fields))
    if as_json:
        print(printed_json(fields))
        return
    if is_policy:
        print(POLICY_HEADING)
    console = Console(width=None if sys.stdout.isatty() else WIDEST)
    for table in tables:
        console.print(table)
    for line in lines:
        print(line)
    print(f"digest: {fields['digest']}")
    if out is not None:
        print(f"discernment: {out}")


def _refuse_old(out: Path | None) -> None:
    if out is not None and (out.exists() or out.is_symlink()):
        raise BadInput("is there already, and is not replaced", where=out, next_command="another --out")
    if out is not None and not out.absolute().parent.parent.is_dir():
        raise BadInput("there is no such folder to write into", where=out.parent, next_command=f"mkdir -p {out.parent}")
