"""The commands of the attack pack."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from caia_replay.cli.defence import defences
from caia_replay.cli.discern import discern
from caia_replay.cli.group import AGENT, CAMPAIGN, DOSE, NEVER_REPLACED, SEED, SUITE, TASKS
from caia_replay.cli.pilot import pilot
from caia_replay.errors import BadInput, CheckFailed

WIDEST = 200
"""Columns of a table that goes to no terminal: nothing in it is cut off there."""

_JSON = click.option("--json", "as_json", is_flag=True, help="All of it as JSON.")


@click.group()
def attack() -> None:
    """The attack pack: campaigns, what they alter, and how strongly."""


attack.add_command(defences)
attack.add_command(discern)
attack.add_command(pilot)


@attack.command(name="list")
@_JSON
def list_campaigns(as_json: bool) -> None:
    """List the campaigns with their families and doses, and what each family does."""
    from dataclasses import asdict

    from caia_replay.attacks.campaign import campaign_names, load_campaign
    from caia_replay.report.overlay_table import OURS, campaign_lines, family_lines, family_told

    campaigns, families = [load_campaign(name) for name in campaign_names()], family_told()
    if as_json:
        items = [
            {
                "name": one.name,
                "description": one.description,
                "attacks": [{"family": family, "dose": asdict(dose)} for family, dose in one.attacks],
            }
            for one in campaigns
        ]
        _print_json({"campaigns": items, "families": families})
        return
    for line in (*campaign_lines(campaigns), "", *family_lines(families), "", OURS):
        print(line)


@attack.command()
@CAMPAIGN
@SUITE
@DOSE
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help=f"The file to write; {NEVER_REPLACED} NAME.toml can be used as campaign NAME.",
)
def plan(campaign: str, suite: str, dose: str, out: Path) -> None:
    """Write all that a campaign adds to a suite's world into one TOML file. Equal input gives equal bytes."""
    from caia_replay.analysis.attack_diff import keep_new, overlay_bytes, overlay_named
    from caia_replay.report.overlay_table import plan_lines

    if out.exists() or out.is_symlink():
        raise BadInput("is there already, and is not replaced", where=out, next_command="another --out")
    if not out.absolute().parent.parent.is_dir():
        raise BadInput("there is no such folder to write into", where=out.parent, next_command=f"mkdir -p {out.parent}")
    with _world(suite) as world:
        planned = overlay_named(world, campaign, dose)
    keep_new(out, overlay_bytes(planned.overlay))
    for line in plan_lines(planned):
        print(line)
    print(f"overlay: {out}")
    if out.name != f"{planned.overlay.campaign}.toml":
        print(f"to be read or played as a world's own it must be called {planned.overlay.campaign}.toml")


@attack.command()
@CAMPAIGN
@SUITE
@DOSE
@TASKS
@click.option("--against", metavar="CAMPAIGN|FILE", help="What differs from this one, instead of from the clean world.")
@_JSON
def diff(campaign: str, suite: str, dose: str, tasks: tuple[str, ...], against: str | None, as_json: bool) -> None:
    """List everything that a campaign alters, and every honest page that it moves.

    CAMPAIGN is a name, or an overlay's file (NAME.toml). With --against: exit 0 and "identical", or exit 1 and each
    difference.
    """
    from dataclasses import asdict

    from caia_replay.analysis.attack_diff import attack_diff, between, of_tasks, overlay_named
    from caia_replay.report.overlay_table import change_lines, diff_lines

    with _world(suite) as world:
        planned = overlay_named(world, campaign, dose)
        if against is None:
            found = attack_diff(world, planned, tasks)
            if as_json:
                _print_json(found.plain())
            for line in () if as_json else diff_lines(found):
                print(line)
            return
        for task in tasks:
            world.folder.task(task)
        other = overlay_named(world, against, "")
    changes = between(of_tasks(planned.overlay, tasks), of_tasks(other.overlay, tasks))
    if as_json:
        _print_json([asdict(change) for change in changes])
    for line in () if as_json else change_lines(changes, (campaign, against)):
        print(line)
    if changes:
        raise CheckFailed("")


@attack.command()
@CAMPAIGN
@SUITE
@DOSE
@TASKS
@_JSON
def slots(campaign: str, suite: str, dose: str, tasks: tuple[str, ...], as_json: bool) -> None:
    """Tell which planted things the gold chains and a search-only policy ever read; list those that neither does."""
    from rich.console import Console

    from caia_replay.analysis.attack_diff import overlay_named
    from caia_replay.analysis.unread_injection import by_family, slots_of
    from caia_replay.report.overlay_table import dead_lines, slot_table
    from caia_replay.report.terminal import progress_bar

    with _world(suite) as world:
        overlay = overlay_named(world, campaign, dose).overlay
        count = len(tasks or world.folder.suite.active())
        with progress_bar(2 * count) as step:
            found = slots_of(world, overlay, tasks, step)
    if as_json:
        _print_json([slot.plain() for slot in found])
        return
    Console(width=None if sys.stdout.isatty() else WIDEST).print(slot_table(by_family(found)))
    for line in dead_lines(found):
        print(line)


@attack.command()
@click.option("--model", default="policy/credulous", show_default=True, help="A name that caia-replay models lists.")
@CAMPAIGN
@SUITE
@DOSE
@TASKS
@click.option(
    "--over",
    multiple=True,
    required=True,
    metavar="FIELD=L,L",
    help="A dose field and its levels, such as items=1,3,9; may be repeated.",
)
@AGENT
@SEED
@click.option("--out", type=click.Path(path_type=Path), help=f"Where to write the curves as JSON; {NEVER_REPLACED}")
def sweep(
    model: str,
    campaign: str,
    suite: str,
    dose: str,
    tasks: tuple[str, ...],
    over: tuple[str, ...],
    agent: str,
    seed: int,
    out: Path | None,
) -> None:
    """Play each task once at each level of a dose, in the attacked arm, and show how adoption changes.

    Each --over draws one curve: that field varies, all else stays as the campaign and --dose set it.
    """
    from rich.console import Console

    from caia_replay.analysis.attack_diff import keep_new
    from caia_replay.analysis.sweep import sweep as run
    from caia_replay.canonical import pretty_bytes
    from caia_replay.cassette.egress import egress_guard
    from caia_replay.models.resolve import endpoint_hosts
    from caia_replay.report.overlay_table import sweep_table, trend_line
    from caia_replay.report.table import POLICY_HEADING
    from caia_replay.report.terminal import progress_bar
    from caia_replay.runner.dose import parse_levels
    from caia_replay.runner.plan import make_plan

    if out is not None and (out.exists() or out.is_symlink()):
        raise BadInput("is there already, and is not replaced", where=out, next_command="another --out")
    if out is not None and not out.absolute().parent.parent.is_dir():
        raise BadInput("there is no such folder to write into", where=out.parent, next_command=f"mkdir -p {out.parent}")
    levels = [parse_levels(text) for text in over]
    console = Console(width=None if sys.stdout.isatty() else WIDEST)
    with _world(suite) as world:
        made = make_plan(
            world.folder, tasks=tasks, arms=("attacked",), model=model, agent=agent, runs=1, seed=seed,
            campaign=campaign, dose=dose,
        )  # fmt: skip
        size = made.size * sum(len(values) for _, values in levels)
        if model.startswith("policy/"):
            print(POLICY_HEADING)
        with progress_bar(size) as step, egress_guard(endpoint_hosts(model, os.environ)):
            curves = list(run(world, made, levels, step))
    for curve in curves:
        console.print(sweep_table(curve))
        print(trend_line(curve))
    if out is not None:
        fields = {"suite": made.suite, "model": made.model, "agent": made.agent, "seed": made.seed}
        fields |= {"campaign": made.campaign, "dose": made.dose, "tasks": list(made.tasks)}
        keep_new(out, pretty_bytes({**fields, "curves": [curve.plain() for curve in curves]}))
        print(f"curves: {out}")


@attack.command()
@click.option(
    "--campaign", "campaigns", multiple=True, metavar="NAME", help="Which to judge; may be repeated. Default: all."
)
@SUITE
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where to keep the best figures for tables and reports, which read attack-audit.json.",
)
@_JSON
def audit(campaigns: tuple[str, ...], suite: str, out: Path | None, as_json: bool) -> None:
    """Measure how well form alone tells what a campaign plants from honest pages, and from its twins.

    A detector is trained on some question shapes and judged on others, by one view of a result at a time. Figures
    over few results are marked and not judged. It also counts how many of the pages that answer directly are planted.
    Exit 0 where every limit is kept, 1 where one is not. Needs the extra [analysis].
    """
    from dataclasses import asdict

    from rich.console import Console

    from caia_replay.analysis.form_only import FormOnly, best_of, keep
    from caia_replay.analysis.leak_audit import leak_audit
    from caia_replay.attacks.campaign import campaign_names
    from caia_replay.report.overlay_table import leak_table, prevalence_line
    from caia_replay.report.terminal import progress_bar

    names = campaigns or campaign_names()
    audits = []
    with _world(suite) as world, progress_bar(len(names), "judging campaigns") as step:
        for name in names:
            audits.append(leak_audit(world, name))
            if out is not None:
                found = FormOnly(name, best_of(audits[-1].leaks, [one.family for one in audits[-1].habits]))
                keep(out, world.folder.seal.digest_without_overlays, audits[-1].overlay, found)
            step(1)
    if as_json:
        table = {
            kind: [asdict(one) for audit in audits for one in getattr(audit, kind)] for kind in ("leaks", "habits")
        }
        _print_json({**table, "prevalence": [asdict(audit.prevalence) for audit in audits]})
    else:
        Console(width=None if sys.stdout.isatty() else WIDEST).print(leak_table(audits))
        for audit in audits:
            click.echo(prevalence_line(audit.prevalence))
    told = sum(len(audit.broken()) for audit in audits)
    if told:
        raise CheckFailed(f"{told} figures are past their limits: form alone tells what is planted")


@contextmanager
def _world(suite: str) -> Iterator[Any]:
    """The suite's FrozenWorld, closed with the block."""
    from caia_replay.store.world_folder import open_world
    from caia_replay.world.world import FrozenWorld

    with FrozenWorld(open_world(suite)) as world:
        yield world


def _print_json(value: Any) -> None:
    from caia_replay.report.terminal import printed_json

    print(printed_json(value))
