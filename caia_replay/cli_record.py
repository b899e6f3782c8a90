"""The commands that record and import; a part of the command line, apart from it for its length."""

from __future__ import annotations

from pathlib import Path

import click

from caia_replay.errors import BadInput, CheckFailed, Interrupted, one_line


@click.command()
@click.option("--task", "task_id", metavar="ID", help="The task whose gold tool-chain is run.")
@click.option("--origin", type=click.Choice(["live", "synthetic"]), help="Real data, or a synthetic world's own.")
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
@click.option(
    "--pool", "models", multiple=True, metavar="MODEL", help="Let a model play too, and keep what it is told."
)
@click.option("--agent", default="react", show_default=True, help="The agent that --pool's models play in.")
@click.option("--runs", default=1, show_default=True, type=click.IntRange(1, 100), help="How often each of them plays.")
@click.option("--pause", default=0.5, show_default=True, type=click.FloatRange(0), help="Seconds between two requests.")
@click.option("--plan", "plan_path", type=click.Path(path_type=Path), help="Say what a suite's recording would ask.")
@click.option("--json", "as_json", is_flag=True, help="The plan as JSON.")
@click.option("--rehydrate", type=click.Path(path_type=Path), help="Ask again for everything a published suite lists.")
@click.option("--out", type=click.Path(path_type=Path), help="Of --rehydrate: the world folder to write; a new one.")
@click.option("--questions", type=click.Path(path_type=Path), help="Of --rehydrate: CAIA's file, for its words.")
@click.pass_context
def record(
    context: click.Context,
    task_id: str | None,
    origin: str | None,
    rpc_url: str | None,
    refresh: bool,
    hardfork: str | None,
    suite: str | None,
    models: tuple[str, ...],
    agent: str,
    runs: int,
    pause: float,
    plan_path: Path | None,
    as_json: bool,
    rehydrate: Path | None,
    out: Path | None,
    questions: Path | None,
) -> None:
    """Record what a task stands on: run its tool-chain against the origin, keep what it was told, prove it offline.

    With --plan a suite folder, or CAIA's own file: what recording it would ask, with which keys, and what it would
    cost. Nothing is asked then. With --rehydrate a published suite is asked for again, and what changed is named.
    """
    modes = {"--plan": plan_path, "--task": task_id, "--rehydrate": rehydrate}
    given = [name for name, value in modes.items() if value is not None]
    if len(given) > 1:
        raise BadInput(f"{' and '.join(given)} are different commands", next_command="give one of them")
    if plan_path is not None:
        from caia_replay.cli_plan import print_plan

        print_plan(plan_path, as_json)
        return
    if rehydrate is not None:
        from caia_replay.cli_share import rehydrate_suite

        rehydrate_suite(rehydrate, out, questions, pause)
        return
    if task_id is None or origin is None:
        wanted = "--task ID" if task_id is None else "--origin live|synthetic"
        raise BadInput("nothing says what to record", next_command=f"add {wanted}, or --plan PATH, or --rehydrate PATH")
    from contextlib import ExitStack

    from caia_replay.chain.manifest import check_hardfork
    from caia_replay.extension import ORIGINS, extension
    from caia_replay.recording.capture_wish import Wish
    from caia_replay.store.world_folder import find_task_world, find_world, open_draft

    if hardfork is not None:
        check_hardfork(hardfork)
    folder = open_draft(find_world(suite, Path.cwd()) if suite else find_task_world(task_id))
    task = folder.task(task_id)
    if origin == "synthetic" and context.get_parameter_source("rpc_url") is click.core.ParameterSource.ENVIRONMENT:
        rpc_url = None  # what was set for the live internet is no synthetic origin
    with ExitStack() as stack:
        if not rpc_url and origin == "synthetic":
            synthetic_node = extension(ORIGINS, "synthetic")
            if synthetic_node is None:
                raise BadInput(
                    "a synthetic world grows again by caia_worldgen", next_command="pip install caia-worldgen"
                )
            rpc_url = stack.enter_context(synthetic_node(folder.info))
        wish = Wish(folder, task, "live" if origin == "live" else "synthetic", rpc_url or "", hardfork, refresh)
        try:
            from caia_replay.task_recording import Pool, record_and_judge

            record_and_judge(wish, Pool(models, agent, runs), pause, lambda line: print(line, flush=True))
        except KeyboardInterrupt:
            kept = "interrupted; what the node said is kept; next: the same command goes on from there"
            raise Interrupted(kept) from None


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
