"""``intake try`` and ``intake promote``: from a reviewed draft answer to a draft task."""

from __future__ import annotations

from pathlib import Path

import click

from caia_replay.cli.intake import IN
from caia_replay.errors import BadInput


@click.command(name="try")
@click.argument("question", metavar="ID")
@click.option("--task", required=True, metavar="ID", help="Try it in this task's world.")
@click.option("--suite", help="Needed only when two suites have a task of this name.")
@click.option("--runs", default=3, show_default=True, type=click.IntRange(1, 100), help="Runs of each policy.")
@IN
def try_draft(question: str, task: str, suite: str | None, runs: int, folder: Path | None) -> None:
    """Try a draft answer: its own calls, then policy/searcher and policy/explorer on its question.

    The searcher tells whether the web alone gives the answer away, the explorer how much of what one would ask is
    recorded. Exit 1 where the draft's own calls do not give its answer.
    """
    from caia_replay.cassette.egress import egress_guard
    from caia_replay.errors import CheckFailed
    from caia_replay.intake.ledger import Ledger
    from caia_replay.intake.question import find_folder, read_question
    from caia_replay.intake.trial import Trial, draft_of
    from caia_replay.report.terminal import tell
    from caia_replay.scoring.verifiers import verify
    from caia_replay.store.world_folder import find_task, open_world

    place = folder or find_folder(Path.cwd())
    found = read_question(place, question)
    draft = draft_of(Ledger(place), found.id)
    if draft is None:
        next_command = f"caia-replay intake review {place} --as NAME --task {task}, and save one"
        raise BadInput("nobody has saved a draft answer", where=found.id, next_command=next_command)
    world = open_world(suite) if suite else find_task(task)
    with egress_guard(frozenset()), Trial(world, world.task(task)) as trial:
        answer, fault = trial.play(draft)
        tell(f"chain: {fault or answer}; the draft says {'; '.join(draft.answer.values)}")
        for line in trial.tried(found.question, draft, runs):
            tell(line)
    if fault or not verify(draft.answer, answer, found.question).correct:
        raise CheckFailed("the calls of the draft do not give its answer")


@click.command(name="promote")
@click.argument("question", metavar="ID")
@click.option("--suite", required=True, help="The suite's name, or its world folder.")
@click.option("--task", "task_id", required=True, metavar="ID", help="What the new task is called.")
@click.option("--as", "name", required=True, metavar="NAME", help="Who promotes it: a name of your choice.")
@click.option("--category", default="", help="One of CAIA's six categories. Default: the question's.")
@click.option("--shape", default="", metavar="NAME", help="Default: the shape whose recipe reads the question.")
@click.option("--stake", default="0", show_default=True, metavar="USD", help="What a wrong answer is taken to cost.")
@click.option("--stake-reason", default="", metavar="TEXT", help="Why it would cost that.")
@click.option("--added", metavar="YYYY-MM-DD", help="The day it joins the suite; without it the task stays a draft.")
@IN
def promote(
    question: str,
    suite: str,
    task_id: str,
    name: str,
    category: str,
    shape: str,
    stake: str,
    stake_reason: str,
    added: str | None,
    folder: Path | None,
) -> None:
    """Make a draft task of a question that passed screening and review, with the draft answer that was reviewed.

    With --added the task is checked and joins its suite, as by caia-replay task new.
    """
    from caia_replay.intake.ledger import Ledger, require_name
    from caia_replay.intake.promote import Wish
    from caia_replay.intake.promote import promote as write
    from caia_replay.intake.question import find_folder, read_question
    from caia_replay.intake.rubric import read_rubric
    from caia_replay.report.terminal import tell
    from caia_replay.store.world_folder import find_world

    place = folder or find_folder(Path.cwd())
    found, world = read_question(place, question), find_world(suite, Path.cwd())
    wish = Wish(task_id, require_name(name), category, shape, stake, stake_reason, added)
    change = write(Ledger(place), found.id, found, read_rubric(place), world, wish)
    tell(f"written: {change.path}")
    if not stake_reason.strip():
        tell("its stake has no reason, and task check asks for one: write stake_reason in that file")
    tell(*change.lines("a task more"))
    if added is not None:
        tell(f"next: caia-replay lint --seal {world}")
