"""``intake``: raw questions on their way to a suite."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import click

from caia_replay.errors import BadInput, CheckFailed, Interrupted

_FOLDER = click.argument("folder", type=click.Path(path_type=Path))
IN = click.option(
    "--folder",
    type=click.Path(path_type=Path),
    help="The intake folder. Default: this folder, or the only one right below it.",
)
_OUTCOMES = {
    "new": "not screened",
    "keep": "kept",
    "ask": "left to a person",
    "drop": "dropped",
    "promoted": "promoted",
}


@click.group()
def intake() -> None:
    """Take in raw questions, screen and review them, and make draft tasks of them."""


@intake.command(name="add")
@click.argument("files", metavar="FILE ...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--into", required=True, type=click.Path(path_type=Path), help="The intake folder; made if it is new.")
@click.option(
    "--kind",
    type=click.Choice(["csv", "json", "jsonl", "text"]),
    help="What the files are. Default: as their names end (.csv, .tsv, .json, .jsonl, .txt).",
)
def add(files: tuple[Path, ...], into: Path, kind: str | None) -> None:
    """Add the questions of files to an intake folder, a file each. All are added, or none.

    A question that is there already is not added twice.
    """
    from caia_replay.intake.question import add_questions
    from caia_replay.intake.read_file import read_questions
    from caia_replay.report.terminal import count, tell

    questions = [question for file in files for question in read_questions(file, kind)]
    done = add_questions(into, questions)
    known = f"; {count(done.known, 'question')} already there" if done.known else ""
    tell(f"added {count(len(done.new), 'question')} to {into}{known}")
    tell(f"next: caia-replay intake screen {into} --model NAME")


@intake.command(name="screen")
@_FOLDER
@click.option(
    "--model",
    metavar="NAME",
    help="The judge: a live model, whose words are kept on a tape, or recorded/TAPE. Without it no judge is asked.",
)
@click.option("--record-model", metavar="TAPE", help="The tape's name. Default: the model's.")
@click.option("--concurrency", default=8, show_default=True, type=click.IntRange(1, 200), help="Questions at once.")
def screen(folder: Path, model: str | None, record_model: str | None, concurrency: int) -> None:
    """Screen every question: a judge model, copies in any language, your suites, secrets and personal data.

    Writes a reason for each question that does not pass. A decision of yours is never overruled (intake decide). A
    question with a secret or personal data is sent to no judge.
    """
    from caia_replay.cassette.egress import egress_guard
    from caia_replay.intake.judge import run_key
    from caia_replay.intake.judge_tape import open_judge
    from caia_replay.intake.ledger import Ledger
    from caia_replay.intake.question import read_folder
    from caia_replay.intake.rubric import read_rubric
    from caia_replay.intake.screen import screen as run
    from caia_replay.intake.screen import tasks_at_hand
    from caia_replay.models.resolve import RECORDED, endpoint_hosts
    from caia_replay.report.terminal import count, progress_bar, tell

    questions, ledger, rubric = read_folder(folder), Ledger(folder), read_rubric(folder)
    if not questions:
        raise BadInput("holds no question", where=folder, next_command=f"caia-replay intake add FILE --into {folder}")
    suites = tasks_at_hand(Path.cwd())
    hosts = endpoint_hosts(model, os.environ) if model is not None else frozenset[str]()
    keys = [run_key(name, rubric) for name in questions]
    with (
        open_judge(model, record_model, folder, os.environ, keys) as judge,
        progress_bar(len(questions), "screening") as step,
        egress_guard(hosts),
    ):
        done = run(questions, ledger, rubric, judge.model, suites, at_once=concurrency, step=step)
    told = ", ".join(f"{number} {_OUTCOMES[outcome]}" for outcome, number in sorted(done.outcomes.items()))
    tell(f"{count(len(questions), 'question')}: {told}")
    for code, number in sorted(done.reasons.items(), key=lambda one: (-one[1], one[0])):
        tell(f"  {code}: {number}")
    if done.withheld:
        tell(f"{count(len(done.withheld), 'question')} with a secret or personal data: no judge is sent any of these")
    if done.unread:
        tell(
            f"{len(done.unread)} of the judge's replies lack a verdict, the first on {done.unread[0]}; "
            "each criterion wants a line KEY CRITERION: YES; REASON, with the key of its message"
        )
    tell(f"compared with {count(len(suites), 'task')} of your suites")
    if done.incomparable:
        tell(f"{count(done.incomparable, 'question')} too short to be found in another language")
    if judge.tape:
        tell(f"model tape: {judge.tape}; screen again without a key: --model recorded/{judge.tape.name}")
    if done.failed:
        missed, first = next(iter(done.failed.items()))
        if model is not None and model.startswith(RECORDED):  # a tape says no more the next time
            decide_it = f"caia-replay intake decide {missed} --folder {folder} --keep|--drop --why TEXT --as NAME"
            told = f"{count(len(done.failed), 'question')} not on the tape, the first {missed}"
            raise CheckFailed(f"{told}; next: screen with the live model, --model NAME, or decide by hand: {decide_it}")
        again = f"caia-replay intake screen {folder} --model {model}"
        raise Interrupted(f"{count(len(done.failed), 'question')} not judged, the first: {first}; next: {again}")
    tell(f"next: caia-replay intake why ID --folder {folder}, or caia-replay intake review {folder} --as NAME")


@intake.command(name="why")
@click.argument("question", metavar="ID")
@IN
def why(question: str, folder: Path | None) -> None:
    """Say of one question what is to become of it, why, its reviews, and all that was found and decided before.

    Keys and personal data are masked.
    """
    from caia_replay.intake.flags import masked
    from caia_replay.intake.ledger import Ledger
    from caia_replay.intake.question import find_folder, read_question
    from caia_replay.intake.review import review_lines, tally
    from caia_replay.intake.rubric import read_rubric
    from caia_replay.intake.standing import history, standing_of
    from caia_replay.report.terminal import tell

    place = folder or find_folder(Path.cwd())
    found, ledger = read_question(place, question), Ledger(place)
    standing, reviews = standing_of(ledger, found.id), tally(ledger, found.id, found, read_rubric(place).review)
    reviewed = f", {reviews.outcome} review" if reviews.outcome != "open" else ""
    lines = [*found.question.split("\n"), "", f"{found.id}: {_OUTCOMES[standing.outcome]}{reviewed}"]
    lines += [f"  {reason.code} ({reason.effect}): {reason.what}" for reason in standing.reasons]
    if reviews.reviews:
        lines += ["", "reviews:", *(f"  {line}" for line in review_lines(reviews))]
    if past := list(history(ledger, found.id)):
        lines += ["", "what happened:", *(f"  {line}" for line in past)]
    tell(*masked("\n".join(lines)).split("\n"))
    tell(f"next: caia-replay intake decide {found.id} --folder {place} --keep|--drop --why TEXT --as NAME")


@intake.command(name="decide")
@click.argument("question", metavar="ID")
@click.option("--keep", "verdict", flag_value="keep", help="Go on with the question, whatever screening found.")
@click.option("--drop", "verdict", flag_value="drop", help="Drop the question.")
@click.option("--undo", "verdict", flag_value="undo", help="Take the decision back: what screening found counts again.")
@click.option("--why", "reason", required=True, metavar="TEXT", help="The reason, for anyone who asks later.")
@click.option("--as", "name", required=True, metavar="NAME", help="Who decides: a name of your choice.")
@IN
def decide(
    question: str, verdict: Literal["keep", "drop", "undo"] | None, reason: str, name: str, folder: Path | None
) -> None:
    """Keep or drop a question with a reason, in place of what screening found. A later decision takes its place."""
    from caia_replay.intake.ledger import Ledger
    from caia_replay.intake.question import find_folder, read_question
    from caia_replay.intake.standing import decide as write
    from caia_replay.intake.standing import standing_of
    from caia_replay.report.terminal import tell

    if verdict is None:
        raise BadInput("what is decided?", where=question, next_command="add --keep, --drop or --undo")
    place = folder or find_folder(Path.cwd())
    found, ledger = read_question(place, question), Ledger(place)
    write(ledger, found.id, verdict, reason, name)
    tell(f"{found.id}: {_OUTCOMES[standing_of(ledger, found.id).outcome]}")


@intake.command(name="list")
@_FOLDER
@click.option(
    "--only",
    type=click.Choice([*_OUTCOMES]),
    help="Only the questions that are not screened, kept, left to a person, dropped, or promoted to tasks.",
)
def list_questions(folder: Path, only: str | None) -> None:
    """List the questions of an intake folder: id, language, what is to become of it and why, and the first words.

    Keys and personal data are masked.
    """
    from rich.text import Text

    from caia_replay.errors import one_line
    from caia_replay.intake.flags import masked
    from caia_replay.intake.ledger import Ledger
    from caia_replay.intake.question import read_folder
    from caia_replay.intake.standing import standing_of
    from caia_replay.report.terminal import count, plain_table, tell

    questions, ledger = read_folder(folder), Ledger(folder)
    if not questions:
        raise BadInput("holds no question", where=folder, next_command=f"caia-replay intake add FILE --into {folder}")
    table, shown = plain_table(("question", "language", "answer", "outcome", "why", "text"), ()), 0
    for name, one in questions.items():
        standing = standing_of(ledger, name)
        if only in (None, standing.outcome):
            shown += 1
            text = one_line(masked(one.question))
            codes = ", ".join(dict.fromkeys(reason.code for reason in standing.reasons if reason.effect != "note"))
            row: list[Any] = [name, one.language, "yes" if one.answer else "no", standing.outcome, codes]
            table.add_row(*map(Text, [*row, text if len(text) <= 60 else f"{text[:57]}..."]))
    tell(table, count(shown, "question"))


@intake.command(name="review")
@_FOLDER
@click.option("--as", "name", required=True, metavar="NAME", help="Who reviews: a name of your choice.")
@click.option("--task", metavar="ID", help="Try calls in this task's world, at its moment.")
@click.option("--suite", help="Needed only when two suites have a task of this name.")
@click.option(
    "--port", default=0, show_default=True, type=click.IntRange(0, 65535), help="0 lets the system choose one."
)
def review(folder: Path, name: str, task: str | None, suite: str | None, port: int) -> None:
    """Serve a page on loopback, until Ctrl-C, to review and decide questions and to try their answers."""
    import threading
    from contextlib import ExitStack, suppress

    from caia_replay.cassette.egress import egress_guard
    from caia_replay.intake.review_server import ReviewServer
    from caia_replay.intake.trial import Trial
    from caia_replay.loopback import LoopbackServer
    from caia_replay.report.terminal import tell
    from caia_replay.store.world_folder import find_task, open_world

    if suite and not task:
        raise BadInput("which task's world?", where="--suite", next_command="add --task ID")
    with ExitStack() as stack, egress_guard(frozenset()):
        trial = None
        if task:
            world = open_world(suite) if suite else find_task(task)
            trial = stack.enter_context(Trial(world, world.task(task)))
        server = stack.enter_context(LoopbackServer(ReviewServer(folder, name, trial), port))
        tell(f"open {server.url}/ in a browser; Ctrl-C ends it, and what was typed is kept")
        with suppress(KeyboardInterrupt):
            threading.Event().wait()
    tell(f"next: caia-replay intake results {folder}")


@intake.command(name="results")
@_FOLDER
def results(folder: Path) -> None:
    """Show what reviews come to: how many count, the mean without highest and lowest, disagreement, who passed."""
    from rich.text import Text

    from caia_replay.intake.ledger import Ledger
    from caia_replay.intake.question import read_folder
    from caia_replay.intake.review import agreement, tally
    from caia_replay.intake.rubric import read_rubric
    from caia_replay.intake.standing import standing_of
    from caia_replay.report.terminal import count, plain_table, tell

    questions, ledger, rubric = read_folder(folder), Ledger(folder), read_rubric(folder)
    found = {name: tally(ledger, name, one, rubric.review) for name, one in questions.items()}
    standing = {name: standing_of(ledger, name).outcome for name in found}
    kept = {name: one for name, one in found.items() if standing[name] in ("keep", "promoted")}
    table = plain_table(("question", "outcome"), ("count", "aside", "score", "apart", "wanted"))
    for name, one in kept.items():
        score = "" if one.score is None else f"{float(one.score):.2f}"
        apart = f"{float(one.apart):.2f}" + ("!" if one.is_disputed else "") if one.counted else ""
        figures = (len(one.counted), len(one.reviews) - len(one.counted), score, apart, one.missing or "")
        outcome = one.outcome if standing[name] == "keep" else standing[name]
        table.add_row(*map(Text, (name, outcome, *map(str, figures))))
    tell(table)
    for name, one in kept.items():
        tell(*(f"{name}: {each.by} does not count: {each.aside}" for each in one.reviews if each.aside))
    alpha = agreement(kept.values())
    agreed = "not known: no two reviews of one question count, or all scores are equal"
    tell(f"agreement of reviewers, Krippendorff's alpha: {agreed if alpha is None else f'{float(alpha):.2f}'}")
    passed = [name for name, one in kept.items() if one.outcome == "passed"]
    promoted = sum(standing[name] == "promoted" for name in kept)
    tasks = f", {promoted} of them promoted to tasks" if promoted else ""
    tell(f"{count(len(kept), 'question')} passed screening, {len(passed)} of them passed review{tasks}")
