"""``replay``, ``verify`` and ``call``: what plays in a frozen world."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from caia_replay.cli.group import AGENT, ARMS, CAMPAIGN, DEFENCE, DOSE, SEED, SUITE, TASKS, split
from caia_replay.cli.played import tell_done, typed, what_is_kept
from caia_replay.errors import BadInput, CheckFailed, one_line

_ARMS = "clean, attacked, placebo, labelled or authority-only: which version of the world."


def _shard(context: click.Context, option: click.Parameter, value: str | None) -> tuple[int, int] | None:
    if value is None:
        return None
    index, _, count = value.partition("/")
    if not (index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count)):
        raise BadInput(f"{value!r:.40} is no shard", where="--shard", next_command="--shard I/N, with I from 1 to N")
    return int(index), int(count)


@click.command()
@click.option(
    "--model", default="policy/credulous", show_default=True, help="A model; caia-replay models lists the names."
)
@SUITE
@TASKS
@ARMS
@click.option(
    "--condition",
    default=["tools"],
    show_default=True,
    multiple=True,
    callback=split,
    help="With or without tools: tools, no-tools, or tools,no-tools.",
)
@AGENT
@click.option("--runs", default=5, show_default=True, type=int, help="Runs of each task in each arm and condition.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Worker processes; they change no result. Default: one for each core, where there are runs enough.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 10_000),
    help="Runs at once. Default: as many as the model's endpoint bears, up to 200; policies one per worker.",
)
@click.option(
    "--shard",
    callback=_shard,
    metavar="I/N",
    help="The I-th of N equal parts of the tasks; caia-replay merge puts their run folders together.",
)
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Play on the workers of the Dask scheduler at tcp://HOST:PORT; --workers and --concurrency are theirs.",
)
@SEED
@click.option("--max-turns", default=20, show_default=True, type=int, help="At most this many completions in a run.")
@click.option("--max-calls", type=int, help="At most this many tool calls in a run.")
@click.option("--max-tokens", type=int, help="At most this many tokens in a run, prompts and completions together.")
@click.option(
    "--max-usd", metavar="DOLLARS", help="At most this many dollars in a run; the model's price must be known."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="A new run folder. Default: runs/<model>, where a finished run is replaced.",
)
@CAMPAIGN
@DOSE
@DEFENCE
@click.option("--resume", is_flag=True, help="Continue the unfinished run in --out.")
@click.option("--record-model", metavar="NAME", help="Save the model's traffic; replay it as recorded/NAME.")
def replay(
    model: str,
    suite: str,
    tasks: tuple[str, ...],
    arm: tuple[str, ...],
    condition: tuple[str, ...],
    agent: str,
    runs: int,
    workers: int | None,
    concurrency: int | None,
    shard: tuple[int, int] | None,
    dask: str | None,
    seed: int,
    max_turns: int,
    max_calls: int | None,
    max_tokens: int | None,
    max_usd: str | None,
    out: Path | None,
    campaign: str,
    dose: str,
    defence: str,
    resume: bool,
    record_model: str | None,
) -> None:
    """Run a model over a suite's tasks in their frozen worlds."""
    from caia_replay.store.world_folder import open_world

    folder = open_world(suite)
    print(one_line(f"{folder.suite.id}: {folder.info.about} ({folder.info.provenance} world)"), flush=True)

    from caia_replay.cassette.egress import egress_guard
    from caia_replay.models.resolve import POLICY, RECORDED, endpoint_hosts
    from caia_replay.report.live_line import live_line
    from caia_replay.report.terminal import count
    from caia_replay.runner.executor import workers_for
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
        dose=dose,
        defence=defence,
        turns=max_turns,
        calls=max_calls,
        tokens=max_tokens,
        usd=max_usd,
        record_model=record_model,
    )
    part = ""
    if shard is not None:
        plan, part = plan.shard(shard[0] - 1, shard[1]), f"-{shard[0]}-of-{shard[1]}"
    target = out or Path("runs") / (model.replace("/", "-") + part)
    again = typed() if resume else f"{typed()} --resume"
    is_live = not model.startswith((POLICY, RECORDED))
    with (
        what_is_kept(target, plan.size, again),
        live_line(plan, lines=is_live) as (watch, tally),
        egress_guard(endpoint_hosts(model, os.environ) | {urlsplit(dask or "").hostname or ""}),
    ):
        done = run(
            plan,
            folder,
            target,
            workers=workers or workers_for(plan),
            concurrency=concurrency,
            shard="" if shard is None else f"{shard[0]}/{shard[1]}",
            cluster=dask,
            resume=resume,
            replace=out is None,
            watch=watch,
        )
    if tally.refused:
        print(
            f"the endpoint refused {count(tally.refused, 'request')} for load (429, 503, 529); they were sent again, "
            f"at the fewest {tally.fewest} at once"
        )
    tell_done(done, campaign, again, record_model)


@click.command()
@SUITE
@TASKS
@click.option("--arm", default="clean", show_default=True, help=_ARMS)
@CAMPAIGN
def verify(suite: str, tasks: tuple[str, ...], arm: str, campaign: str) -> None:
    """Run each task's reference tool calls (its gold chain) offline and check the answers.

    The last line is N/N solvable. Exit 1 unless all are.
    """
    from caia_replay.store.world_folder import open_world
    from caia_replay.validation.verify import verify_suite

    outcomes, chainless, other = [], 0, 0
    for found in verify_suite(open_world(suite), tasks, arm, campaign):
        if found.solved is None:
            chainless += found.applies
            other += not found.applies
            print(one_line(f"--  {found.task}: {found.reason}"), flush=True)
            continue
        outcomes.append(found.solved)
        text = "" if found.solved else f"; expected {found.expected}"
        line = f"{'ok ' if found.solved else 'NO '} {found.task}: {found.answer} ({found.reason}{text})"
        print(one_line(line), flush=True)  # an answer may come from a page, and pages from anybody
    if chainless:
        print(f"{chainless} {'task has' if chainless == 1 else 'tasks have'} no chain: unverifiable")
    rest = f", {other} not applicable" if other else ""
    print(f"{sum(outcomes)}/{len(outcomes)} solvable{rest}")
    if not all(outcomes) or not outcomes:
        raise CheckFailed("")


@click.command()
@click.argument("tool")
@click.argument("arguments", metavar="JSON")
@click.option(
    "--task",
    "task_id",
    required=True,
    metavar="ID",
    help="The task whose world answers; its id is a folder in the world's tasks/.",
)
@click.option("--suite", help="Needed only when two suites have a task of this name.")
@click.option("--arm", default="clean", show_default=True, help=_ARMS)
@CAMPAIGN
def call(tool: str, arguments: str, task_id: str, suite: str | None, arm: str, campaign: str) -> None:
    """Make one tool call in a task's world. Print the result and its class: HIT, DERIVED, FORK, MISS (docs/worlds.md).

    TOOL is a name from docs/tools.md, such as block_query. JSON holds its arguments, such as '{}'.
    """
    from caia_replay.canonical import strict_json
    from caia_replay.errors import nearest
    from caia_replay.report.terminal import printed_json
    from caia_replay.runner.campaign import overlays_for
    from caia_replay.runner.episode import require_arm, toolset_in
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
