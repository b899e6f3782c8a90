"""The command that measures defences; a part of ``attack``, apart from it for its length."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from caia_replay.cli.group import AGENT, CAMPAIGN, DOSE, NEVER_REPLACED, SEED, SUITE, TASKS
from caia_replay.errors import BadInput

WIDEST = 320
"""Columns of a table that goes to no terminal: nothing in it is cut off there."""

_MODELS = ("policy/credulous", "policy/search-only", "policy/sceptic", "policy/hijacked")


@click.command()
@SUITE
@CAMPAIGN
@DOSE
@TASKS
@click.option(
    "--model", "models", multiple=True, metavar="NAME", help="A model to play; may be repeated. Default: four policies."
)
@click.option(
    "--defence",
    "named",
    multiple=True,
    metavar="NAME[+NAME]",
    help="A defence, or several joined by +; may be repeated. Default: each alone.",
)
@AGENT
@SEED
@click.option("--out", type=click.Path(path_type=Path), help=f"Where to write all of it as JSON; {NEVER_REPLACED}")
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON.")
def defences(
    suite: str,
    campaign: str,
    dose: str,
    tasks: tuple[str, ...],
    models: tuple[str, ...],
    named: tuple[str, ...],
    agent: str,
    seed: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Show how much adoption of lies each defence prevents, and how much accuracy it costs without an attack.

    Plays each task once with every model, in the clean and the attacked arm, without a defence and behind each.
    """
    from rich.console import Console

    from caia_replay.analysis.attack_diff import keep_new
    from caia_replay.analysis.defence_cost import chosen_defences, defence_costs
    from caia_replay.canonical import pretty_bytes
    from caia_replay.cassette.egress import egress_guard
    from caia_replay.models.resolve import POLICY, endpoint_hosts
    from caia_replay.report.defence_table import defence_notes, defence_table
    from caia_replay.report.table import POLICY_HEADING
    from caia_replay.report.terminal import printed_json, progress_bar
    from caia_replay.runner.episode import model_of
    from caia_replay.runner.plan import make_plan
    from caia_replay.store.world_folder import open_world
    from caia_replay.world.world import FrozenWorld

    if out is not None and (out.exists() or out.is_symlink()):
        raise BadInput("is there already, and is not replaced", where=out, next_command="another --out")
    if out is not None and not out.absolute().parent.parent.is_dir():
        raise BadInput("there is no such folder to write into", where=out.parent, next_command=f"mkdir -p {out.parent}")
    chosen, asked = chosen_defences(named), models or _MODELS
    for model in asked:
        if asked.count(model) > 1:
            raise BadInput(f"{model:.80} is given twice", where="--model")
    with FrozenWorld(open_world(suite)) as world:
        plans = [
            make_plan(
                world.folder, tasks=tasks, model=model, agent=agent, runs=1, seed=seed, campaign=campaign, dose=dose
            )
            for model in asked
        ]
        for made in plans:
            model_of(made).close()  # a name or key that will not do is told before another model was paid for
        if not as_json and any(model.startswith(POLICY) for model in asked):
            print(POLICY_HEADING)
        size = sum(made.size for made in plans) * (1 + len(chosen))
        hosts = frozenset[str]().union(*(endpoint_hosts(model, os.environ) for model in asked))
        with progress_bar(size) as step, egress_guard(hosts):
            costs = [cost for made in plans for cost in defence_costs(world, made, chosen, step)]
    first = plans[0]
    fields = {"suite": first.suite, "models": list(asked), "agent": first.agent, "seed": first.seed}
    fields |= {"campaign": first.campaign, "dose": first.dose, "tasks": list(first.tasks), "defences": list(chosen)}
    fields |= {"costs": [cost.plain() for cost in costs]}
    if out is not None:
        keep_new(out, pretty_bytes(fields))
    if as_json:
        print(printed_json(fields))
        return
    Console(width=None if sys.stdout.isatty() else WIDEST).print(defence_table(costs))
    for line in defence_notes(costs):
        print(line)
    if out is not None:
        print(f"costs: {out}")
