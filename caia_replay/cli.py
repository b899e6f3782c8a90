"""The command line: one function per command, heavy imports inside them."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from caia_replay import __version__
from caia_replay.cli_score import rescore
from caia_replay.cli_serve import serve
from caia_replay.cli_world import world
from caia_replay.command_group import Commands
from caia_replay.errors import BadInput, CheckFailed, Interrupted, one_line


def _typed() -> str:
    return shlex.join(["caia-replay", *sys.argv[1:]])


@click.group(cls=Commands)
@click.version_option(__version__, prog_name="caia-replay")
def main() -> None:
    """Deterministic offline replay of crypto-analyst agent tasks."""


def _split(context: click.Context, option: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())


@main.command()
@click.option("--model", default="policy/credulous", show_default=True, help="A name, or policy/<name>.")
@click.option("--suite", default="mini-6", show_default=True, help="A suite's name, or its world folder.")
@click.option("--task", "tasks", multiple=True, metavar="ID", help="Only this task; may be repeated.")
@click.option("--arm", default="clean,attacked", show_default=True, callback=_split, help="Arms, comma between.")
@click.option("--condition", default="tools", show_default=True, callback=_split, help="tools, no-tools, or both.")
@click.option("--agent", default="react", show_default=True)
@click.option("--runs", default=5, show_default=True, type=int, help="Attempts per task and cell.")
@click.option(
    "--workers", default=1, show_default=True, type=click.IntRange(min=1), help="Processes; never changes the outcome."
)
@click.option("--seed", default=0, show_default=True, type=int, help="Passed to the model.")
@click.option("--out", type=click.Path(path_type=Path), help="Run folder; default runs/<model>, which is replaced.")
@click.option("--campaign", default="seo-heavy", show_default=True, help="What the attacked arm adds.")
@click.option("--resume", is_flag=True, help="Go on with the unfinished run in --out.")
def replay(
    model: str,
    suite: str,
    tasks: tuple[str, ...],
    arm: tuple[str, ...],
    condition: tuple[str, ...],
    agent: str,
    runs: int,
    workers: int,
    seed: int,
    out: Path | None,
    campaign: str,
    resume: bool,
) -> None:
    """Run a model over a suite's tasks in their frozen worlds."""
    from rich.console import Console

    from caia_replay.store.world_folder import open_world

    folder = open_world(suite)
    print(one_line(f"{suite}: {folder.info.about} ({folder.info.provenance} world)"), flush=True)

    from caia_replay.cassette.egress import egress_guard
    from caia_replay.models.resolve import endpoint_hosts
    from caia_replay.report.progress import progress_bar
    from caia_replay.report.table import heading, summary_table, uncertified_lines, unscored_lines
    from caia_replay.runner.plan import make_plan
    from caia_replay.runner.replay import replay as run

    plan = make_plan(
        folder,
        tasks=tasks,
        arms=arm,
        conditions=condition,
        model=model,
        agent=agent,
        runs=runs,
        seed=seed,
        campaign=campaign,
    )
    target = out or Path("runs") / model.replace("/", "-")
    again = _typed() if resume else f"{_typed()} --resume"
    try:
        with progress_bar(plan.size) as step, egress_guard(endpoint_hosts(model, os.environ)):
            done = run(plan, folder, target, workers=workers, resume=resume, replace=out is None, progress=step)
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; finished runs are kept in {target}.partial; next: {again}") from None
    print("\n".join(heading(done.summaries)))
    Console().print(summary_table(done.summaries))
    for line in unscored_lines(done.summaries, done.causes):
        print(line)
    print(f"run folder: {done.out}")
    uncertified = uncertified_lines(done.summaries)
    if uncertified:
        raise CheckFailed(f"{'; '.join(uncertified)}; next, to play those again: {again}")
    if not any(cell["scored"]["runs"] for cell in done.summaries):
        raise CheckFailed("no run was scored")


@main.command()
@click.option("--suite", default="mini-6", show_default=True)
def verify(suite: str) -> None:
    """Replay every gold tool-chain offline; the last line is N/N solvable."""
    from caia_replay.runner.verify import verify_suite
    from caia_replay.store.world_folder import open_world

    outcomes = []
    for found in verify_suite(open_world(suite)):
        outcomes.append(found.solved)
        told = "" if found.solved else f"; expected {found.expected}"
        line = f"{'ok ' if found.solved else 'NO '} {found.task}: {found.answer} ({found.reason}{told})"
        print(one_line(line), flush=True)  # an answer may come from a page, and pages from anybody
    print(f"{sum(outcomes)}/{len(outcomes)} solvable")
    if not all(outcomes) or not outcomes:
        raise CheckFailed("")


@main.command()
@click.argument("tool")
@click.argument("arguments", metavar="JSON")
@click.option(
    "--task", "task_id", required=True, metavar="ID", help="Whose world the call is made in; verify lists ids."
)
@click.option("--suite", help="Needed only when two suites have a task of this name.")
@click.option("--arm", default="clean", show_default=True, type=click.Choice(["clean", "attacked"]))
@click.option("--campaign", default="seo-heavy", show_default=True)
def call(tool: str, arguments: str, task_id: str, suite: str | None, arm: str, campaign: str) -> None:
    """Make one tool call in a task's world and print how it was served.

    TOOL is one of those in docs/tools.md, such as block_query; JSON its arguments, such as '{}'.
    """
    from caia_replay.canonical import strict_json
    from caia_replay.errors import nearest
    from caia_replay.store.world_folder import find_task, open_world
    from caia_replay.tools.catalog import CATALOG, WorldToolset
    from caia_replay.world.world import NO_OVERLAY, FrozenWorld

    if tool not in CATALOG:
        known = nearest(tool, CATALOG) or ", ".join(CATALOG)
        raise BadInput(f"no tool {tool!r}", nearest=known, next_command="caia-replay call --help")
    try:
        strict_json(arguments)
    except ValueError as fault:
        raise BadInput(
            f"the arguments are not JSON: {fault}", next_command=f"caia-replay call {tool} '{{}}' --task ID"
        ) from None
    folder = open_world(suite) if suite else find_task(task_id)
    overlay = folder.overlay(campaign) if arm == "attacked" else NO_OVERLAY
    with FrozenWorld(folder) as world, WorldToolset(world.task(folder.task(task_id), overlay)) as tools:
        reply = tools.call(tool, arguments)
    shown: dict[str, Any] = {"served": str(reply.served)}
    shown |= {"result": reply.result} if reply.result is not None else {"error": reply.error}
    if reply.altered_by:
        shown["altered_by"] = list(reply.altered_by)
    print(json.dumps(shown, indent=2, ensure_ascii=False))


@main.command(name="why-miss")
@click.argument("run_dir", type=click.Path(path_type=Path))
def why_miss(run_dir: Path) -> None:
    """Explain each miss of a finished run: its nearest recordings and the fields that differ."""
    from caia_replay.runner.why_miss import why_miss as explain

    for line in explain(run_dir, Path.cwd()):
        print(line)


@main.command()
@click.argument("run_a", type=click.Path(path_type=Path))
@click.argument("run_b", type=click.Path(path_type=Path))
def diff(run_a: Path, run_b: Path) -> None:
    """Compare two run folders: identical (exit 0), or the first difference (exit 1)."""
    from caia_replay.runner.diff import first_difference

    found = first_difference(run_a, run_b)
    print(found or "identical")
    if found:
        raise CheckFailed("")


@main.command()
@click.option("--seal", "sealing", is_flag=True, help="Seal the folders as they are now, then check them.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
def lint(sealing: bool, paths: tuple[Path, ...]) -> None:
    """Check worlds and chain snapshots: seals, schemas, digests, secrets, anchors, recipes, gold chains."""
    from caia_replay.recording.lint import lint as findings
    from caia_replay.recording.lint import seal, targets

    faults = 0
    for folder in targets(paths, Path.cwd()):
        if sealing:
            print(seal(folder))
        for finding in findings(folder):
            faults += 1
            print(f"{finding.where}: {finding.what}")
        print(f"checked {folder}")
    if faults:
        raise CheckFailed(f"{faults} findings")


@main.command()
@click.option("--task", "task_id", required=True, metavar="ID", help="The task whose gold tool-chain is run.")
@click.option(
    "--origin", required=True, type=click.Choice(["live", "synthetic"]), help="Real data, or a synthetic world's own."
)
@click.option(
    "--rpc-url",
    envvar="CAIA_REPLAY_RPC_URL",
    show_envvar=True,
    metavar="URL",
    help="The chain's archive node; written nowhere. A synthetic world starts its own without it.",
)
@click.option("--refresh", is_flag=True, help="Read the whole snapshot again, show what differs, and replace it.")
@click.option("--hardfork", metavar="NAME", help="The chain's rules, where its headers do not tell them.")
@click.option("--suite", help="Needed only when two suites have a task of this name.")
@click.pass_context
def record(
    context: click.Context,
    task_id: str,
    origin: str,
    rpc_url: str | None,
    refresh: bool,
    hardfork: str | None,
    suite: str | None,
) -> None:
    """Record the chain a task stands on: run its tool-chain against a node, keep every row, prove it offline."""
    from contextlib import ExitStack

    from caia_replay.chain.manifest import check_hardfork
    from caia_replay.recording.capture_task import record_chain
    from caia_replay.recording.capture_wish import Wish
    from caia_replay.recording.world_seal import seal_worlds
    from caia_replay.scoring.verifiers import verify as judge
    from caia_replay.store.world_folder import find_task_world, find_world, open_draft

    if hardfork is not None:
        check_hardfork(hardfork)
    folder = open_draft(find_world(suite, Path.cwd()) if suite else find_task_world(task_id))
    task = folder.task(task_id)
    if origin == "synthetic" and context.get_parameter_source("rpc_url") is click.core.ParameterSource.ENVIRONMENT:
        rpc_url = None  # what was set for the live internet is no synthetic origin
    with ExitStack() as stack:
        if not rpc_url and origin == "synthetic":
            from caia_replay.origin.rebuild import synthetic_node

            rpc_url = stack.enter_context(synthetic_node(folder.info))
        if not rpc_url:
            raise BadInput("--origin live needs a node", next_command="add --rpc-url URL, or set CAIA_REPLAY_RPC_URL")
        wish = Wish(folder, task, "live" if origin == "live" else "synthetic", rpc_url, hardfork, refresh)
        try:
            done = record_chain(wish, lambda line: print(line, flush=True))
            for line in seal_worlds(folder, task.anchor.chain):
                print(line)
        except KeyboardInterrupt:
            raise Interrupted("interrupted; what was read is kept; next: the same command goes on from there") from None
    score = judge(task.answer, done.answer)
    if score.correct is not True:
        expected = "; ".join(task.answer.values)
        raise CheckFailed(f"{task_id}: the recorded chain gives {done.answer} ({score.reason}), expected {expected}")


@main.group(name="import")
def import_group() -> None:
    """Bring recordings made by other tools into this project's forms."""


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
    """Check vcrpy cassettes, YAML or JSON, a file or a folder, and write them as ours."""
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


main.add_command(world)
main.add_command(serve)
main.add_command(rescore)


@main.command()
@click.argument("groups", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Rows as JSON.")
def bench(groups: tuple[str, ...], as_json: bool) -> None:
    """Measure speed beside a floor or a peer in the same run; exit 1 when a limit is broken."""
    from caia_replay.bench.table import run

    if not run(groups, as_json):
        raise CheckFailed("a limit is broken")
