"""``replay``, ``verify`` and ``call``: what plays in a frozen world."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from caia_replay.cli.group import ARMS, CAMPAIGN, CONFIDENCE, DEFENCE, DOSE, SEED, SUITE, TASKS, split
from caia_replay.cli.person import seated
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
@click.option(
    "--draw",
    metavar="tenth|N",
    help="Only so many tasks, drawn by --seed and stratified by category and difficulty: a tenth, or a number.",
)
@ARMS
@click.option(
    "--condition",
    multiple=True,
    callback=split,
    help="With or without tools: tools (the default), no-tools, or tools,no-tools.",
)
@click.option(
    "--tools",
    multiple=True,
    callback=split,
    metavar="NAME[,...]",
    help="Only these tools or sets: none, core-4, core-8, all, or a category (docs/tools.md). Default: the model's.",
)
@click.option("--agent", help="The agent that plays; docs/agents.md has all. Default: the model's, mostly react.")
@click.option(
    "--runs",
    default=5,
    show_default=True,
    type=int,
    help="Runs of each task in each arm and condition. Default for a person (human/NAME): 1.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Worker processes; they change no result. Default: one for each core, where there are runs enough.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 10_000),
    help="Runs at once. Default: as many as the model's endpoint takes, up to 200; policies one per worker.",
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
@CONFIDENCE
@click.option("--resume", is_flag=True, help="Continue the unfinished run in --out.")
@click.option("--record-model", metavar="NAME", help="Save the model's traffic; replay it as recorded/NAME.")
@click.pass_context
def replay(
    context: click.Context,
    model: str,
    suite: str,
    tasks: tuple[str, ...],
    draw: str | None,
    arm: tuple[str, ...],
    condition: tuple[str, ...],
    tools: tuple[str, ...],
    agent: str | None,
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
    confidence: bool,
    resume: bool,
    record_model: str | None,
) -> None:
    """Run a model over a suite's tasks in their frozen worlds.

    Prints a table and leaves a run folder with every call, a summary and a certificate for each arm
    (docs/results.md). Ctrl-C keeps the finished runs; --resume goes on, and plays runs again in which the machine or
    the endpoint failed (docs/agents.md).
    """
    from caia_replay.store.world_folder import open_world

    folder = open_world(suite)
    print(one_line(f"{folder.suite.id}: {folder.info.about} ({folder.info.provenance} world)"), flush=True)

    from caia_replay.cassette.egress import egress_guard
    from caia_replay.models.human import HUMAN
    from caia_replay.models.resolve import POLICY, RECORDED, endpoint_hosts
    from caia_replay.report.live_line import live_line
    from caia_replay.report.terminal import count
    from caia_replay.runner.campaign import has_pages, own_campaigns
    from caia_replay.runner.draw import draw_tasks
    from caia_replay.runner.executor import workers_for
    from caia_replay.runner.model_default import defaults_of
    from caia_replay.runner.plan import CLEAN, NO_TOOLS, make_plan
    from caia_replay.runner.replay import replay as run
    from caia_replay.runner.run_end import Tally

    def is_default(name: str) -> bool:
        return context.get_parameter_source(name) is click.core.ParameterSource.DEFAULT

    is_person = model.startswith(HUMAN)
    if is_person and is_default("runs"):  # a person remembers
        runs = 1
    if is_default("arm") and campaign not in own_campaigns(folder) and not has_pages(folder):
        arm = (CLEAN,)
        print(
            one_line(
                f"--arm {CLEAN}: no page is recorded in {folder.suite.id}, so an attack has nothing to stand beside"
            )
        )
    if draw is not None:
        if tasks:
            raise BadInput("tasks are named or drawn", where="--draw", next_command="leave out --task or --draw")
        tasks = draw_tasks(map(folder.task, folder.suite.active()), draw, seed)
    default = defaults_of(model)
    plan = make_plan(
        folder,
        tasks=tasks,
        arms=arm,
        conditions=condition or None,
        model=model,
        agent=agent or default.agent,
        tools=tools or (() if condition == (NO_TOOLS,) else default.tools),
        runs=runs,
        seed=seed,
        campaign=campaign,
        dose=dose,
        defence=defence,
        confidence=confidence,
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
    hosts = endpoint_hosts(model, os.environ) | {urlsplit(dask or "").hostname or ""}
    with what_is_kept(target, plan.size, again), egress_guard(hosts), ExitStack() as stack:
        person, tally = None, Tally()
        if is_person:
            person, watch = stack.enter_context(seated(plan, target, again, resume=resume))
        else:
            watch, tally = stack.enter_context(live_line(plan, lines=is_live))
        done = run(
            plan,
            folder,
            target,
            workers=workers or workers_for(plan),
            concurrency=concurrency,
            shard="" if shard is None else f"{shard[0]}/{shard[1]}",
            cluster=dask,
            resume=resume,
            replace=out is None and not is_person,
            watch=watch,
            person=person,
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

    The last line is N/N solvable. Exit 1 unless all are. Under a campaign the answer must come from what the
    campaign left alone. A line that begins with -- is not counted: the task has no chain, or the arm lacks its tool.
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
    """Make one tool call in a task's world. Print the result and its class: HIT, DERIVED, FORK, MISS (docs/results.md).

    TOOL is a name from docs/tools.md, such as block_query, or from the suite's tools.toml. JSON holds its arguments,
    such as '{}'. A miss or an error is an answer, too: exit 0. In SQL, quote texts with $$.
    """
    from caia_replay.canonical import strict_json
    from caia_replay.errors import nearest
    from caia_replay.report.terminal import printed_json
    from caia_replay.runner.campaign import overlays_for
    from caia_replay.runner.episode import require_arm, toolset_in
    from caia_replay.store.world_folder import find_task, open_world
    from caia_replay.tools.catalog import WALLET, catalog_of
    from caia_replay.world.world import FrozenWorld

    require_arm(arm)
    folder = open_world(suite) if suite else find_task(task_id)
    known = catalog_of(folder)
    if tool not in known and tool not in WALLET:
        near = nearest(tool, [*known, *WALLET]) or ", ".join(known)
        raise BadInput(f"no tool {tool!r}", nearest=near, next_command="caia-replay call --help")
    try:
        strict_json(arguments)
    except ValueError as fault:
        raise BadInput(
            f"the arguments are not JSON: {fault}", next_command=f"caia-replay call {tool} '{{}}' --task ID"
        ) from None
    with FrozenWorld(folder) as world:
        overlay = overlays_for(world, (arm,), campaign)[arm]
        with toolset_in(arm, world.task(folder.task(task_id), overlay)) as tools:
            reply = tools.call(tool, arguments)
    shown: dict[str, Any] = {"served": str(reply.served)}
    shown |= {"result": reply.result} if reply.result is not None else {"error": reply.error}
    if reply.altered_by:
        shown["altered_by"] = list(reply.altered_by)
    print(printed_json(shown))
