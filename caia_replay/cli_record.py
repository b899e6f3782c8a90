"""The commands that record and import; a part of the command line, apart from it for its length."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caia_replay.errors import BadInput, CheckFailed, Interrupted, one_line

if TYPE_CHECKING:
    from caia_replay.core.task import Task
    from caia_replay.recording.capture_wish import Wish


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
) -> None:
    """Record what a task stands on: run its tool-chain against the origin, keep what it was told, prove it offline.

    With --plan a suite folder, or CAIA's own file: what recording it would ask, with which keys, and what it would
    cost. Nothing is asked then.
    """
    from caia_replay.cli_plan import print_plan

    if plan_path is not None:
        print_plan(plan_path, as_json)
        return
    if task_id is None or origin is None:
        wanted = "--task ID" if task_id is None else "--origin live|synthetic"
        raise BadInput("nothing says what to record", next_command=f"add {wanted}, or --plan PATH")
    from contextlib import ExitStack

    from caia_replay.chain.manifest import check_hardfork
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
            from caia_replay.origin.rebuild import synthetic_node

            rpc_url = stack.enter_context(synthetic_node(folder.info))
        wish = Wish(folder, task, "live" if origin == "live" else "synthetic", rpc_url or "", hardfork, refresh)
        try:
            _record(wish, models, agent, runs, pause)
        except KeyboardInterrupt:
            raise Interrupted("interrupted; what was read is kept; next: the same command goes on from there") from None


def _record(wish: Wish, models: tuple[str, ...], agent: str, runs: int, pause_s: float) -> None:
    """Record, seal, and hold the answer against the task's own."""
    from caia_replay.recording.capture_task import record_chain
    from caia_replay.recording.world_seal import seal_recorded
    from caia_replay.scoring.verifiers import verify as judge

    def say(line: str) -> None:
        print(one_line(line), flush=True)

    if wish.origin == "synthetic":
        if models:
            raise BadInput("--pool plays on the living internet", next_command="--origin live")
        task, answer = wish.task, record_chain(wish, say).answer
    else:
        task, answer = _record_live(wish, models, agent, runs, pause_s, say)
    for line in seal_recorded(wish.folder.path, wish.chain):
        say(line)
    if not task.gold.result:
        say(f"{task.id}: unverifiable: no chain of calls yields its answer")
        return
    score = judge(task.answer, answer)
    if score.correct is None:
        say(f"{task.id}: {answer}; whether that is right is for a judge ({score.reason})")
    elif score.correct is not True:
        expected = "; ".join(task.answer.values)
        raise CheckFailed(f"{task.id}: the recorded chain gives {answer} ({score.reason}), expected {expected}")
    else:
        say(f"{task.id}: confirmed: the recorded chain gives what the suite says")


def _record_live(
    wish: Wish, models: tuple[str, ...], agent: str, runs: int, pause_s: float, say: Callable[[str], None]
) -> tuple[Task, str]:
    import os

    from caia_replay.core.agent import Budget
    from caia_replay.interop.planned import wanted_requests
    from caia_replay.models.resolve import endpoint_hosts
    from caia_replay.recording.api_key import Keys
    from caia_replay.recording.leak import LeakFilter
    from caia_replay.recording.live_web import Manners, Player
    from caia_replay.recording.record_task import record_task
    from caia_replay.runner.pool_player import PoolPlayer

    suite = wish.folder.suite
    leaks = LeakFilter([wish.folder.task(task_id) for task_id in suite.active()])
    budget = Budget(20, None, None)
    players = [
        PoolPlayer(wish.task, suite, model, agent, os.environ, budget, attempt)
        for model in models
        for attempt in range(1, runs + 1)
    ]
    hosts = frozenset[str]().union(*(endpoint_hosts(model, os.environ) for model in models))
    manners = Manners(Keys(os.environ), pause_s=pause_s, leaks=leaks.why, passing=hosts)
    try:
        extra = wanted_requests(wish.folder.path, wish.task.id)
        done = record_task(wish, manners, say, [Player(one.name, one.play) for one in players], extra)
    finally:
        for one in players:
            one.close()
    return done.task, done.answer


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
