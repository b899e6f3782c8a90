"""``task`` and ``lint``: a suite's tasks, and whether all of it holds."""

from __future__ import annotations

from pathlib import Path

import click

from caia_replay.cli.group import seconds_of
from caia_replay.errors import BadInput, CheckFailed

_SUITE = "Needed only when two suites have a task of this name."
_SEAL = "Seal the world afterwards, unless lint finds faults."


@click.group()
def task() -> None:
    """List a suite's tasks and show one; add, check, compare and retire them."""


@task.command(name="new")
@click.argument("task_id", metavar="ID")
@click.option("--suite", required=True, help="The suite's name, or its world folder.")
@click.option("--question", required=True, metavar="TEXT", help="What is asked.")
@click.option("--category", required=True, help="One of CAIA's six categories.")
@click.option("--chain", metavar="NAME", help="The chain the task is asked on.")
@click.option(
    "--block", type=click.IntRange(0), metavar="N", help="The block height it is asked at; nothing later is seen."
)
@click.option("--at", metavar="TIME", help="In place of --chain and --block: 2026-01-31T12:00Z, or seconds.")
@click.option("--language", default="en", show_default=True, type=click.Choice(["en", "zh"]), help="Of the question.")
@click.option("--shape", metavar="NAME", help="Default: the shape whose recipe reads the question, else the ID.")
@click.option("--stake", default="0", show_default=True, metavar="USD", help="What a wrong answer is taken to cost.")
@click.option("--stake-reason", default="", metavar="TEXT", help="Why it would cost that.")
@click.option(
    "--answer",
    "values",
    multiple=True,
    metavar="TEXT",
    help="The right answer; repeat it for each item of a set or list.",
)
@click.option("--kind", metavar="KIND", help="What an answer is: number (if left out), address, date, text, ...")
@click.option("--unit", metavar="U", help="What a number is counted in, such as ETH or %.")
@click.option(
    "--step", "steps", multiple=True, metavar="'TOOL JSON'", help="A call of the gold chain; may be repeated."
)
@click.option("--result", metavar="EXPR", help="The gold chain's expression, such as '$1.number'.")
@click.option(
    "--gold",
    "gold_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A TOML file with [answer] and [gold], in place of --answer, --step and --result.",
)
@click.option("--added", metavar="YYYY-MM-DD", help="The day it joins the suite; without it the task stays a draft.")
@click.option("--seal", is_flag=True, help=_SEAL)
def new(
    task_id: str,
    suite: str,
    question: str,
    category: str,
    chain: str | None,
    block: int | None,
    at: str | None,
    language: str,
    shape: str | None,
    stake: str,
    stake_reason: str,
    values: tuple[str, ...],
    kind: str | None,
    unit: str | None,
    steps: tuple[str, ...],
    result: str | None,
    gold_file: Path | None,
    added: str | None,
    seal: bool,
) -> None:
    """Write a new task. With --added, append it to its suite as of that day.

    The task's timestamp is read from the recorded block, or is --at. --added has no default, so that equal
    commands write equal files (docs/add-a-task.md).
    """
    from caia_replay.core.task import NO_BLOCK, NO_CHAIN
    from caia_replay.store.world_folder import find_world
    from caia_replay.validation.task_life import new_task
    from caia_replay.validation.task_words import Proof, Words

    if seal and added is None:
        raise BadInput(
            "a draft is in no suite, so its world cannot be sealed", where="--seal", next_command="add --added"
        )
    answer, gold = Proof(values, kind, unit, steps, result, gold_file).read()
    if (chain is None) != (block is None) or (chain is None) == (at is None):
        raise BadInput(
            "a task is asked at a block of a chain, or at a time",
            where="--chain, --block, --at",
            next_command="give --chain and --block, or --at alone",
        )
    place = (NO_CHAIN, NO_BLOCK) if chain is None or block is None else (chain, block)
    moment = None if at is None else seconds_of(at, "--at")
    words = Words(task_id, question, category, *place, moment, language, shape, stake, stake_reason)
    world = find_world(suite, Path.cwd())
    change = new_task(world, words, answer, gold, added)
    print("\n".join((f"written: {change.path}", *change.lines("a task more"))))
    if added is not None:
        _seal(world, seal)


@task.command(name="check")
@click.argument("task_id", metavar="ID|all")
@click.option("--suite", help="Needed with ID all, and when two suites have a task of this name.")
@click.option("--admit", metavar="YYYY-MM-DD", help="If the task is sound, append it to its suite, dated this day.")
@click.option("--seal", is_flag=True, help=f"After --admit: {_SEAL[0].lower()}{_SEAL[1:]}")
def check(task_id: str, suite: str | None, admit: str | None, seal: bool) -> None:
    """Check a task, or all tasks of a suite. The last line is N/N sound.

    Its gold chain must get to its answer offline, its verifier must reject a changed answer, and its question must
    not say the answer. A line that begins with -- is not counted (docs/add-a-task.md).
    """
    from caia_replay.validation.task_check import check_tasks
    from caia_replay.validation.task_life import EVERY, admitted

    if task_id == EVERY and suite is None:
        raise BadInput("all tasks of which suite?", where="task check all", next_command="add --suite NAME")
    if task_id == EVERY and admit is not None:
        raise BadInput(
            "tasks are admitted one by one", where="--admit", next_command="caia-replay task check ID --admit"
        )
    if seal and admit is None:
        raise BadInput("a check writes nothing", where="--seal", next_command="add --admit, or caia-replay lint --seal")
    world = _world_of(task_id, suite)
    if admit is None:
        report, change = check_tasks(world, None if task_id == EVERY else task_id), None
    else:
        report, change = admitted(world, task_id, admit)
    for line in report.lines(admits=admit is not None):
        print(line)
    if report.faults:
        raise CheckFailed("1 fault" if report.faults == 1 else f"{report.faults} faults")
    if change is not None:
        print("\n".join(change.lines("a task more")))
        _seal(world, seal)


@task.command(name="retire")
@click.argument("task_id", metavar="ID")
@click.option("--on", required=True, metavar="YYYY-MM-DD", help="The first day it is no longer run.")
@click.option("--suite", help=_SUITE)
@click.option("--seal", is_flag=True, help=_SEAL)
def retire(task_id: str, on: str, suite: str | None, seal: bool) -> None:
    """Take a task out of the runs of its suite and keep its folder.

    Asked for it by name, verify and call still answer; replay refuses it. The suite's version goes up.
    """
    from caia_replay.validation.task_life import retire_task

    world = _world_of(task_id, suite)
    change = retire_task(world, task_id, on)
    print("\n".join((f"retired on {on}: {change.path.parent}", *change.lines("a task less"))))
    _seal(world, seal)


@task.command(name="proposals")
@click.argument("runs", metavar="RUN_DIR ...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--models", default=3, show_default=True, type=click.IntRange(2), help="'Solved by all' takes so many models."
)
@click.option(
    "--newer", metavar="SUITE", help="A newer recording of the suite: the tasks whose chain gives another answer there."
)
def proposals(runs: tuple[Path, ...], models: int, newer: str | None) -> None:
    """Propose tasks to retire, from finished runs: solved by all, without tools, a leaked canary, a drifted source.

    Nothing is written: caia-replay task retire does that, task by task.
    """
    from caia_replay.intake.retire import proposals as find
    from caia_replay.report.terminal import count, tell
    from caia_replay.store.world_folder import open_world

    found = find(runs, Path.cwd(), models, None if newer is None else open_world(newer))
    tell(*(f"{one.task}: {one.reason}: {one.evidence}" for one in found.found), *found.notes)
    told = f"{len({one.task for one in found.found})} of {count(found.tasks, 'task')} of {found.suite} proposed"
    tell(f"{told}, from {count(len(runs), 'run folder')}")
    if found.found:
        tell(f"next: caia-replay task retire {found.found[0].task} --on YYYY-MM-DD")


@task.command(name="changelog")
@click.argument("before", metavar="SUITE_A")
@click.argument("after", metavar="SUITE_B")
def changelog(before: str, after: str) -> None:
    """Tell as Markdown what changed from one edition of a suite to another: tasks added, retired, gone and mended.

    SUITE_A and SUITE_B are suites' names or world folders.
    """
    from caia_replay.report.terminal import tell
    from caia_replay.store.world_folder import open_world
    from caia_replay.validation.suite_changes import suite_changes

    tell(*suite_changes(open_world(before), open_world(after)).lines())


@task.command(name="list")
@click.option("--suite", default="", help="A suite's name, or its world folder. Default: as for replay.")
def list_tasks(suite: str) -> None:
    """List a suite's tasks in their order: category, kind of answer, difficulty, stake, and which are retired."""
    from rich.text import Text

    from caia_replay.errors import one_line
    from caia_replay.report.terminal import plain_table, tell
    from caia_replay.store.world_folder import open_world

    world = open_world(suite)
    table = plain_table(("task", "category", "answer", "project"), ("difficulty", "stake, USD"))
    for entry in world.suite.entries:
        known = world.task(entry.id)
        name = entry.id if entry.retired is None else f"{entry.id} (retired {entry.retired})"
        words = (name, known.category, known.answer.kind, known.project or "")
        hard = "" if known.difficulty is None else str(known.difficulty)
        table.add_row(*(Text(one_line(word)) for word in (*words, hard, known.stake_usd)))
    tell(table, f"next: caia-replay task show {world.suite.active()[0]}")


@task.command(name="show")
@click.argument("task_id", metavar="ID")
@click.option("--suite", help=_SUITE)
def show_task(task_id: str, suite: str | None) -> None:
    """Show one task: its question, its moment, the right answer, and the tool calls that prove it."""
    from caia_replay.canonical import canonical_bytes
    from caia_replay.core.task import NO_CHAIN
    from caia_replay.report.terminal import count, tell
    from caia_replay.store.plain import thawed
    from caia_replay.store.world_folder import open_world
    from caia_replay.world.clock import utc_text

    world = open_world(str(_world_of(task_id, suite)))
    known = world.task(task_id)
    anchor, answer = known.anchor, known.answer
    where = "" if anchor.chain == NO_CHAIN else f"{anchor.chain}, block {anchor.block}, "
    unit = f" {answer.unit}" if answer.unit else ""
    within = "" if answer.tolerance_percent == "0" else f", within {answer.tolerance_percent} %"
    lines = [
        *known.question.split("\n"),
        "",
        f"asked at: {where}{utc_text(anchor.timestamp)}",
    ]
    lines.append(f"right: {'; '.join(answer.values)}{unit} ({answer.kind}{within})")
    lines.append(f"about: {known.category}; {', '.join(known.tags)}")
    lines.append(f"stake: {known.stake_usd} USD; {known.stake_reason}")
    lines.append(f"proven by {count(len(known.gold.steps), 'call')}, and {known.gold.result or 'no expression'}:")
    lines += [f"  {step.tool} {canonical_bytes(thawed(step.arguments)).decode()}" for step in known.gold.steps]
    tell(*lines, f"next: caia-replay verify --suite {world.suite.id} --task {task_id}")


def _world_of(task_id: str, suite: str | None) -> Path:
    from caia_replay.store.world_folder import find_task_world, find_world

    return find_world(suite, Path.cwd()) if suite is not None else find_task_world(task_id)


def _seal(world: Path, seal: bool) -> None:
    if not seal:
        print(f"next: caia-replay lint --seal {world}")
        return
    from caia_replay.validation.lint import seal_and_lint

    value, found = seal_and_lint(world)
    for finding in found:
        print(f"{finding.where}: {finding.what}")
    print(value)
    if found:
        raise CheckFailed("1 finding" if len(found) == 1 else f"{len(found)} findings")


@click.command()
@click.option(
    "--seal",
    "sealing",
    is_flag=True,
    help="Write new digests (the seal). Faults inside recordings are reported and do not prevent it; others do.",
)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
def lint(sealing: bool, paths: tuple[Path, ...]) -> None:
    """Check worlds and chain snapshots: digests, schemas, secrets, anchors, recipes, answers and gold chains.

    Without PATHS: everything in chain_snapshots/ and cassettes/ (docs/lint.md).
    """
    from caia_replay.validation.lint import lint as findings
    from caia_replay.validation.lint import seal_and_lint, targets

    faults = 0
    for folder in targets(paths, Path.cwd()):
        value, found = seal_and_lint(folder) if sealing else ("", findings(folder))
        for finding in found:
            faults += 1
            print(f"{finding.where}: {finding.what}")
        print("\n".join(filter(None, (value, f"checked {folder}"))))
    if faults:
        raise CheckFailed("1 finding" if faults == 1 else f"{faults} findings")
