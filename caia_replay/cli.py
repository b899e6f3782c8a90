"""The command line: one function per command, heavy imports inside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from caia_replay import __version__
from caia_replay.cli_attack import attack
from caia_replay.cli_gap import gap
from caia_replay.cli_import import caia, oce
from caia_replay.cli_models import models
from caia_replay.cli_record import import_group, record
from caia_replay.cli_replay import diff, replay
from caia_replay.cli_score import rescore
from caia_replay.cli_serve import serve
from caia_replay.cli_share import pool, publish
from caia_replay.cli_task import task
from caia_replay.command_group import Commands
from caia_replay.errors import BadInput, CheckFailed, one_line

_ARMS = "clean, attacked, placebo, labelled or authority-only."


@click.group(cls=Commands)
@click.version_option(__version__, prog_name="caia-replay")
def main() -> None:
    """Deterministic offline replay of crypto-analyst agent tasks."""


@main.command()
@click.option("--suite", default="", show_default="synthetic-178")
@click.option("--task", "tasks", multiple=True, metavar="ID", help="Only this task; may be repeated.")
@click.option("--arm", default="clean", show_default=True, help=_ARMS)
@click.option("--campaign", default="seo-heavy", show_default=True)
def verify(suite: str, tasks: tuple[str, ...], arm: str, campaign: str) -> None:
    """Replay every gold tool-chain offline; the last line is N/N solvable."""
    from caia_replay.runner.verify import verify_suite
    from caia_replay.store.world_folder import open_world

    outcomes, chainless, other = [], 0, 0
    for found in verify_suite(open_world(suite), tasks, arm, campaign):
        if found.solved is None:
            chainless += found.applies
            other += not found.applies
            print(one_line(f"--  {found.task}: {found.reason}"), flush=True)
            continue
        outcomes.append(found.solved)
        told = "" if found.solved else f"; expected {found.expected}"
        line = f"{'ok ' if found.solved else 'NO '} {found.task}: {found.answer} ({found.reason}{told})"
        print(one_line(line), flush=True)  # an answer may come from a page, and pages from anybody
    if chainless:
        print(f"{chainless} {'task has' if chainless == 1 else 'tasks have'} no chain: unverifiable")
    rest = f", {other} not applicable" if other else ""
    print(f"{sum(outcomes)}/{len(outcomes)} solvable{rest}")
    if not all(outcomes) or not outcomes:
        raise CheckFailed("")


@main.command()
@click.argument("tool")
@click.argument("arguments", metavar="JSON")
@click.option(
    "--task", "task_id", required=True, metavar="ID", help="Whose world the call is made in; verify lists ids."
)
@click.option("--suite", help="Needed only when two suites have a task of this name.")
@click.option("--arm", default="clean", show_default=True, help=_ARMS)
@click.option("--campaign", default="seo-heavy", show_default=True)
def call(tool: str, arguments: str, task_id: str, suite: str | None, arm: str, campaign: str) -> None:
    """Make one tool call in a task's world and print how it was served.

    TOOL is one of those in docs/tools.md, such as block_query; JSON its arguments, such as '{}'.
    """
    from caia_replay.canonical import strict_json
    from caia_replay.errors import nearest
    from caia_replay.report.printed_json import printed_json
    from caia_replay.runner.arm import require_arm, toolset_in
    from caia_replay.runner.campaign import overlays_for
    from caia_replay.store.world_folder import find_task, open_world
    from caia_replay.tools.catalog import CATALOG, WALLET
    from caia_replay.world.world import FrozenWorld

    require_arm(arm)
    if tool not in CATALOG and tool not in WALLET:
        known = nearest(tool, [*CATALOG, *WALLET]) or ", ".join(CATALOG)
        raise BadInput(f"no tool {tool!r}", nearest=known, next_command="caia-replay call --help")
    try:
        strict_json(arguments)
    except ValueError as fault:
        raise BadInput(
            f"the arguments are not JSON: {fault}", next_command=f"caia-replay call {tool} '{{}}' --task ID"
        ) from None
    folder = open_world(suite) if suite else find_task(task_id)
    with FrozenWorld(folder) as world:
        overlay = overlays_for(world, (arm,), campaign)[arm]
        with toolset_in(arm, world.task(folder.task(task_id), overlay)) as tools:
            reply = tools.call(tool, arguments)
    shown: dict[str, Any] = {"served": str(reply.served)}
    shown |= {"result": reply.result} if reply.result is not None else {"error": reply.error}
    if reply.altered_by:
        shown["altered_by"] = list(reply.altered_by)
    print(printed_json(shown))


@main.command(name="why-miss")
@click.argument("run_dir", type=click.Path(path_type=Path))
def why_miss(run_dir: Path) -> None:
    """Explain each miss of a finished run: its nearest recordings and the fields that differ."""
    from caia_replay.runner.why_miss import why_miss as explain

    for line in explain(run_dir, Path.cwd()):
        print(line)


@main.command()
@click.option("--seal", "sealing", is_flag=True, help="Seal the folders as they are now, unless they have faults.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
def lint(sealing: bool, paths: tuple[Path, ...]) -> None:
    """Check worlds and chain snapshots: seals, schemas, digests, secrets, anchors, recipes, answers, gold chains."""
    from caia_replay.recording.lint import lint as findings
    from caia_replay.recording.lint import seal_and_lint, targets
    from caia_replay.scoring.spec import check_spec

    faults = 0
    for folder in targets(paths, Path.cwd()):
        told, found = seal_and_lint(folder, check_spec) if sealing else ("", findings(folder, check_spec))
        for finding in found:
            faults += 1
            print(f"{finding.where}: {finding.what}")
        print("\n".join(filter(None, (told, f"checked {folder}"))))
    if faults:
        raise CheckFailed("1 finding" if faults == 1 else f"{faults} findings")


for part in (caia, oce):
    import_group.add_command(part)
for part in (replay, diff, gap, record, publish, pool, import_group, serve, rescore, models, task, attack):
    main.add_command(part)
