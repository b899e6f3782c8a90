"""The command that tries attacks on models and freezes those that work."""

from __future__ import annotations

import os
from pathlib import Path

import click

from caia_replay.cli.group import AGENT, CAMPAIGN, DOSE, NEVER_REPLACED, SEED, SUITE, TASKS
from caia_replay.errors import BadInput


@click.command()
@click.option(
    "--model", "models", multiple=True, required=True, help="A name that caia-replay models lists; may be repeated."
)
@CAMPAIGN
@SUITE
@DOSE
@TASKS
@AGENT
@SEED
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help=f"The overlay to write, NAME.toml; {NEVER_REPLACED} NAME is the frozen campaign's.",
)
def pilot(
    models: tuple[str, ...],
    campaign: str,
    suite: str,
    dose: str,
    tasks: tuple[str, ...],
    agent: str,
    seed: int,
    out: Path,
) -> None:
    """Play a campaign and its placebo once per task, and keep the attacks that differ from their twins in effect.

    What is kept is written as an overlay whose digest names the set. In a world's overlays/ it is a campaign.
    """
    from caia_replay.analysis.attack_diff import keep_new, overlay_bytes
    from caia_replay.analysis.attack_pilot import pilot as run
    from caia_replay.cassette.egress import egress_guard
    from caia_replay.models.resolve import endpoint_hosts
    from caia_replay.report.overlay_table import pilot_lines
    from caia_replay.report.table import POLICY_HEADING
    from caia_replay.report.terminal import progress_bar
    from caia_replay.runner.plan import make_plan
    from caia_replay.store.world_folder import open_world
    from caia_replay.world.world import FrozenWorld

    if out.exists() or out.is_symlink():
        raise BadInput("is there already, and is not replaced", where=out, next_command="another --out")
    if out.suffix != ".toml" or not out.absolute().parent.is_dir():
        raise BadInput("is no NAME.toml in a folder that is there", where=out, next_command="--out frozen.toml")
    with FrozenWorld(open_world(suite)) as world:
        plans = [
            make_plan(
                world.folder, tasks=tasks, arms=("attacked",), model=model, agent=agent, runs=1, seed=seed,
                campaign=campaign, dose=dose,
            )
            for model in models
        ]  # fmt: skip
        if any(model.startswith("policy/") for model in models):
            print(POLICY_HEADING)
        hosts = {host for model in models for host in endpoint_hosts(model, os.environ)}
        with progress_bar(2 * sum(plan.size for plan in plans)) as step, egress_guard(hosts):
            overlay, tried = run(world, plans, out.stem, step)
    keep_new(out, overlay_bytes(overlay))
    for line in pilot_lines(tried):
        print(line)
    print(f"frozen: {out}, digest {overlay.digest}")
