"""The commands that record and import; a part of the command line, apart from it for its length."""

from __future__ import annotations

from pathlib import Path

import click

from caia_replay.errors import BadInput, CheckFailed, Interrupted, one_line


@click.command()
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


@click.group(name="import")
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
