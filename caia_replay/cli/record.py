"""``record``, ``publish`` and ``pool``: making recordings, and handing them around."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import time

import click

from caia_replay.cli.group import ORIGINS, extension
from caia_replay.cli.record_http import asked_with, record_list, refresh_http
from caia_replay.errors import BadInput, CheckFailed, Interrupted, one_line


@click.command()
@click.option(
    "--task", "tasks", multiple=True, metavar="ID", help="The task to record. For --refresh, may be repeated."
)
@click.option(
    "--origin",
    type=click.Choice(["live", "synthetic"]),
    help="Where answers come from: the internet, or the generator of a synthetic world.",
)
@click.option(
    "--rpc-url",
    envvar="CAIA_REPLAY_RPC_URL",
    show_envvar=True,
    metavar="URL",
    help="An archive node of the chain. Its address is not saved. Not needed for a synthetic world with a seed.",
)
@click.option(
    "--refresh",
    is_flag=True,
    help="Ask the recorded HTTP requests again and show what changed. With a node and --task: replace the snapshot.",
)
@click.option("--hardfork", metavar="NAME", help="The chain's hardfork, if its headers do not show it.")
@click.option("--suite", help="Needed with --urls, and when two suites have a task of this name.")
@click.option(
    "--pool",
    "models",
    multiple=True,
    metavar="MODEL",
    help="Run this model on the task too, and record its requests; may be repeated.",
)
@click.option("--agent", default="react", show_default=True, help="The agent for --pool.")
@click.option("--runs", default=1, show_default=True, type=click.IntRange(1, 100), help="Runs of each --pool model.")
@click.option(
    "--pause",
    default=0.5,
    show_default=True,
    type=click.FloatRange(0),
    help="At least this many seconds between two requests to one host.",
)
@click.option(
    "--plan", "plan_path", type=click.Path(path_type=Path), help="Show which requests a recording would send."
)
@click.option("--json", "as_json", is_flag=True, help="The plan as JSON.")
@click.option(
    "--budget-usd",
    metavar="USD",
    help="With --suite and without --task: record every task that the plan calls recordable within this budget.",
)
@click.option(
    "--rehydrate",
    type=click.Path(path_type=Path),
    help="Rebuild a published suite, which has no replies, by sending its requests again.",
)
@click.option("--urls", type=click.Path(path_type=Path), help="Record the URLs in this file into --suite.")
@click.option("--at", metavar="TIME", help="For --urls: tell the coverage at this time, 2026-01-31T12:00Z or seconds.")
@click.option(
    "--map",
    "maps",
    multiple=True,
    metavar="ORIGIN=URL",
    help="For --urls and --refresh: ask a server of this machine instead.",
)
@click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="NAME=VARIABLE",
    help="For --urls and --refresh: send this variable's value.",
)
@click.option("--out", type=click.Path(path_type=Path), help="For --rehydrate: the new world folder.")
@click.option(
    "--questions", type=click.Path(path_type=Path), help="For --rehydrate: CAIA's file, which has the questions."
)
@click.pass_context
def record(
    context: click.Context,
    tasks: tuple[str, ...],
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
    budget_usd: str | None,
    rehydrate: Path | None,
    urls: Path | None,
    at: str | None,
    maps: tuple[str, ...],
    headers: tuple[str, ...],
    out: Path | None,
    questions: Path | None,
) -> None:
    """Record everything a task needs, and check that it replays offline.

    Its gold tool calls run against the live internet, or a synthetic world, and the replies are saved.

    --plan PATH sends nothing: it lists the requests, keys and costs of recording a suite folder or CAIA's file.
    --rehydrate PATH rebuilds a published suite and lists the replies
    that changed.
    --urls FILE --suite S records what a list of URLs is answered now, whatever API that is.
    --refresh --suite S --origin live asks what was recorded again, writes nothing, and lists what changed.

    docs/recording.md walks through it; docs/recording-http.md names the variables of the vendors' keys.
    """
    modes = {
        "--plan": plan_path,
        "--task": tasks or None,
        "--rehydrate": rehydrate,
        "--budget-usd": budget_usd,
        "--urls": urls,
    }
    given = [name for name, value in modes.items() if value is not None]
    if len(given) > 1:
        raise BadInput(f"{' and '.join(given)} are different commands", next_command="give one of them")
    if plan_path is not None:
        print_plan(plan_path, as_json)
        return
    if rehydrate is not None:
        rehydrate_suite(rehydrate, out, questions, pause)
        return
    if urls is not None:
        record_list(urls, suite, at, maps, headers, pause)
        return
    if refresh and origin == "live" and budget_usd is None and not (tasks and rpc_url):
        if context.get_parameter_source("rpc_url") is click.core.ParameterSource.COMMANDLINE and rpc_url:
            raise BadInput("a chain is read again for one task", where="--rpc-url", next_command="add --task ID")
        if models or hardfork:
            raise BadInput("--pool and --hardfork say how to record; --refresh without a node records nothing")
        refresh_http(suite, tasks, *asked_with(maps, headers), pause)
        return
    if not given or origin is None or (budget_usd is not None and suite is None):
        wanted = "--task ID" if not given else "--origin live|synthetic" if origin is None else "--suite NAME"
        others = "--plan PATH, --rehydrate PATH or --urls FILE"
        raise BadInput("nothing says what to record", next_command=f"add {wanted}, or {others}")
    if len(tasks) > 1:
        next_step = "one command for each, or --suite S --budget-usd USD"
        raise BadInput(f"--task is given {len(tasks)} times, and one is recorded at a time", next_command=next_step)
    if origin == "synthetic" and context.get_parameter_source("rpc_url") is click.core.ParameterSource.ENVIRONMENT:
        rpc_url = None  # what was set for the live internet is no synthetic origin
    from functools import partial

    one = partial(record_one, origin=origin, rpc_url=rpc_url, refresh=refresh, hardfork=hardfork,
                  models=models, agent=agent, runs=runs, pause_s=pause)  # fmt: skip
    try:
        if budget_usd is None:
            one(tasks[0], suite)
        else:
            assert suite is not None
            record_within(suite, budget_usd, one)
    except KeyboardInterrupt:
        kept = "interrupted; what the node said is kept; next: the same command goes on from there"
        raise Interrupted(kept) from None


def record_one(
    task_id: str,
    suite: str | None,
    *,
    origin: str,
    rpc_url: str | None,
    refresh: bool,
    hardfork: str | None,
    models: tuple[str, ...],
    agent: str,
    runs: int,
    pause_s: float,
) -> None:
    """Record one task of a suite. Raises ``CheckFailed`` where its chain does not give the answer."""
    from contextlib import ExitStack

    from caia_replay.chain.manifest import check_hardfork
    from caia_replay.interop.planned import imported_tasks, wanted_requests
    from caia_replay.recording.capture_request import CaptureRequest
    from caia_replay.recording.plan import plan_tasks
    from caia_replay.recording.task import Pool, record_and_judge
    from caia_replay.store.world_folder import find_task_world, find_world, open_draft

    if hardfork is not None:
        check_hardfork(hardfork)
    folder = open_draft(find_world(suite, Path.cwd()) if suite else find_task_world(task_id))
    task = folder.task(task_id)
    with ExitStack() as stack:
        if not rpc_url and origin == "synthetic":
            synthetic_node = extension(ORIGINS, "synthetic")
            if synthetic_node is None:
                raise BadInput(
                    "caia_worldgen, which grows synthetic worlds, is not installed",
                    next_command="give a node: --rpc-url URL",
                )
            rpc_url = stack.enter_context(synthetic_node(folder.info))
        capture = CaptureRequest(
            folder, task, "live" if origin == "live" else "synthetic", rpc_url or "", hardfork, refresh
        )

        def say(line: str) -> None:
            print(one_line(line), flush=True)

        extra = wanted_requests(folder.path, task.id, say=say) if origin == "live" else ()
        for plan in plan_tasks(imported_tasks(folder.path, task.id), int(time())) if origin == "live" else ():
            if plan.status != "recordable":
                say(f"{task.id}: planned as {plan.status}: {plan.reason}")
        record_and_judge(capture, Pool(models, agent, runs), pause_s, say, extra)


def record_within(suite: str, budget: str, one: Callable[[str, str], None]) -> None:
    """Record the tasks that a budget pays for, those that are recorded apart, and say what came of each. Raises
    ``BadInput`` for a budget that is no amount, ``CheckFailed`` where a task was not recorded or not proven."""
    from decimal import Decimal, InvalidOperation

    from caia_replay.errors import CaiaReplayError
    from caia_replay.interop.planned import planned_tasks
    from caia_replay.recording.plan import plan_tasks
    from caia_replay.recording.plan_report import affordable
    from caia_replay.recording.pool import recorded_tasks
    from caia_replay.store.world_folder import find_world, open_draft

    try:
        usd = Decimal(budget)
        if not 0 <= usd < 10**9:
            raise InvalidOperation
    except InvalidOperation:
        raise BadInput(
            f"--budget-usd {budget!r:.40} is no amount in US dollars", next_command="--budget-usd 0"
        ) from None
    world = find_world(suite, Path.cwd())
    plans, spent = affordable(plan_tasks(planned_tasks(world), int(time())), usd)
    kept = set(recorded_tasks(open_draft(world)))
    failed: list[str] = []
    print(f"{len(plans)} tasks within {usd} USD, for about {spent:.2f}; {len(kept)} tasks are recorded already")
    for plan in plans:
        if plan.id in kept:
            continue
        try:
            one(plan.id, suite)
        except CaiaReplayError as fault:
            failed.append(plan.id)
            if str(fault):
                print(one_line(f"{plan.id}: {fault}"), flush=True)
    done = [plan.id for plan in plans if plan.id not in failed]
    print(f"{len(done)} recorded: {', '.join(done) or 'none'}")
    if failed:
        print(f"{len(failed)} not recorded, or not proven: {', '.join(failed)}")
        raise CheckFailed("")


def print_plan(path: Path, as_json: bool) -> None:
    """Print what recording the suite at ``path`` would ask. Raises ``BadInput``."""
    from caia_replay.canonical import pretty_bytes
    from caia_replay.interop.planned import planned_tasks
    from caia_replay.recording.plan import plan_tasks
    from caia_replay.recording.plan_report import plan_json, plan_lines
    from caia_replay.recording.pool import recorded_tasks
    from caia_replay.store.world_folder import find_world, open_draft

    plans = plan_tasks(planned_tasks(path), int(time()))
    recorded = () if path.is_file() else recorded_tasks(open_draft(find_world(str(path), Path.cwd())))
    if as_json:
        print(pretty_bytes({**plan_json(plans), "recorded": list(recorded)}).decode(), end="")
        return
    for line in plan_lines(plans):
        print(line)
    if recorded:
        print(f"{len(recorded)} of {len(plans)} tasks are recorded: {', '.join(recorded)}")


def rehydrate_suite(published: Path, out: Path | None, questions: Path | None, pause_s: float) -> None:
    """``record --rehydrate``: ask the origin for everything that was published, and name what changed."""
    import os

    from caia_replay.interop.caia_suite import questions_of
    from caia_replay.recording.api_key import Keys
    from caia_replay.recording.ask_again import Asking
    from caia_replay.recording.rehydrate import rehydrate

    if out is None:
        raise BadInput("nothing says where the world is to be written", next_command="add --out cassettes/NAME")
    words = questions_of(questions) if questions is not None else None
    asking = Asking(keys=Keys(os.environ), pause_s=pause_s)
    done = rehydrate(published, out, questions=words, asking=asking, say=lambda line: print(one_line(line), flush=True))
    for line in done.lines:
        print(one_line(line))
    if not done.identical:
        raise CheckFailed("")


@click.command()
@click.argument("suite")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The new folder.")
@click.option("--chains", is_flag=True, help="Copy the chain snapshots, too: they hold public facts.")
@click.option(
    "--keep-questions", is_flag=True, help="Include the questions, if they are yours. CAIA's are never included."
)
def publish(suite: str, out: Path, chains: bool, keep_questions: bool) -> None:
    """Write the public part of a recorded suite: its requests and digests of the answers, without any body.

    record --rehydrate builds the world from it again (docs/rehydrate.md).
    """
    import os

    from caia_replay.recording.api_key import Keys
    from caia_replay.recording.publish import publish as run
    from caia_replay.store.world_folder import open_world

    done = run(open_world(suite), out, keep_questions=keep_questions, chains=chains, secrets=Keys(os.environ).values)
    for line in done.lines:
        print(one_line(line))


@click.command()
@click.argument("suite")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def pool(suite: str, as_json: bool) -> None:
    """Measure how well recordings cover an agent that was not recorded.

    SUITE was recorded with record --pool. Each agent recorded that way is left out in turn. Its calls are replayed on
    what the gold chain and 0, 1, 2, ... other agents recorded. Calls that find no recording are counted.
    """
    from caia_replay.canonical import pretty_bytes
    from caia_replay.recording.pool import pool_depths, totals
    from caia_replay.store.world_folder import open_world

    depths = list(pool_depths(open_world(suite)))
    if not depths:
        raise BadInput(
            f"no task of {suite} was recorded with two agents or more",
            next_command="caia-replay record --task ID --origin live --pool MODEL --pool MODEL",
        )
    rows = [*depths, *totals(depths)]
    if as_json:
        items = [
            {"task": one.task, "depth": one.depth, "draws": one.draws, "calls": one.calls, "misses": one.misses}
            for one in rows
        ]
        print(pretty_bytes(items).decode(), end="")
        return
    for one in rows:
        share = f"{one.misses} of {one.calls} calls missed, {one.rate:.1%}" if one.calls else "no calls"
        print(one_line(f"{one.task}: {one.depth} pooled: {share} ({one.draws} draws)"))
