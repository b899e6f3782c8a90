"""Screening: what a judge model, the other questions, the suites at hand and scanners say of each question.

Every reason is kept in the ledger with what it does: ``drop`` and ``ask`` (a person must decide) count, ``note`` is
only told. A question with a secret or personal data is sent to no judge. One that was made a task is left as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caia_replay.core.model import Model
from caia_replay.errors import BadInput, ModelFault
from caia_replay.intake.flags import canaries_in, personal_in, secrets_in
from caia_replay.intake.judge import UNSAID, ask, question_key, read_verdicts
from caia_replay.intake.ledger import Ledger, in_order
from caia_replay.intake.likeness import alike, content_of
from caia_replay.intake.question import Question
from caia_replay.intake.rubric import Rubric
from caia_replay.intake.standing import Outcome, Reason, standing_of
from caia_replay.store.world_folder import load_task

SCREEN: Final = "screen"
"""Who an entry is by that no model had a part in."""
_WITHHOLDS: Final = frozenset(("secret", "personal-data"))
_WITHHELD: Final = Reason("not-judged", "is sent to no judge: it has a secret or personal data", "note")
_TASK: Final = "~"
"""Before a task's name where it stands among ids of questions, which all come before it."""


@dataclass(frozen=True, slots=True)
class Screened:
    """What screening did: outcomes and reasons by count, which questions could not be judged and why, and how many say
    too little to be found in another language. ``withheld`` are sent to no judge, for a secret or personal data;
    ``unread`` have a reply of the judge that lacks a verdict."""

    outcomes: Mapping[Outcome, int]
    reasons: Mapping[str, int]
    failed: Mapping[str, str]
    incomparable: int
    withheld: frozenset[str]
    unread: tuple[str, ...]


def tasks_at_hand(start: Path) -> dict[str, str]:
    """The questions of every suite in a cassettes/ folder here or above, by ``suite/task``. Unreadable ones are left
    out."""
    found: dict[str, str] = {}
    for place in (start, *start.parents):
        for folder in sorted(place.glob("cassettes/*/tasks/*")):
            name = f"{folder.parent.parent.name}/{folder.name}"
            if name not in found and (folder / "task.toml").is_file():
                try:
                    found[name] = load_task(folder).question
                except BadInput:
                    continue
    return found


def screen(
    questions: Mapping[str, Question],
    ledger: Ledger,
    rubric: Rubric,
    model: Model | None,
    suites: Mapping[str, str],
    *,
    at_once: int = 8,
    step: Callable[[int], None] = lambda count: None,
) -> Screened:
    """Screen every question and put what is new into the ledger. A judge is asked only what it has not answered.

    Raises ``BadInput`` for a policy as judge, and for what would fail every question alike, a rejected key for one.
    """
    if model is not None and model.is_policy:
        what = f"{model.name} is a script and judges nothing"
        raise BadInput(what, where="--model", next_command="--model NAME, a live model or recorded/NAME")
    promoted = {name for name in questions if standing_of(ledger, name).outcome == "promoted"}
    left = {name: one for name, one in questions.items() if name not in promoted}
    flagged = {name: [*_flagged(one)] for name, one in left.items()}
    withheld = frozenset(name for name, found in flagged.items() if {one.code for one in found} & _WITHHOLDS)
    open_to_judge = {name: one for name, one in left.items() if name not in withheld}
    replies, failed = _replies(open_to_judge, ledger, rubric, model, at_once, step)
    contents = {name: content_of(one.question, one.language) for name, one in questions.items()}
    tasks = {_TASK + name: content_of(text, Question(text).language) for name, text in suites.items()}
    pairs = [*alike({**contents, **tasks})]
    copies = _copies(questions, [pair for pair in pairs if not pair[1].startswith(_TASK)], ledger, withheld)
    published = _published(pairs)
    outcomes, told, unread = Counter[Outcome]({"promoted": len(promoted)}), Counter[str](), list[str]()
    for name, question in left.items():
        said = replies.get(name, ("", ""))
        judged = [_WITHHELD] if name in withheld else [*_judged(question, rubric, said[1], failed.get(name, ""))]
        if said[1] and any(one.reason == UNSAID for one in read_verdicts(said[1], question, rubric).values()):
            unread.append(name)
        reasons = [*judged, *copies.get(name, ()), *published.get(name, ()), *flagged[name]]
        _keep(ledger, name, question, rubric, said, reasons)
        outcomes[standing_of(ledger, name).outcome] += 1
        told.update({one.code for one in reasons if one.effect != "note"})
    incomparable = sum(not one.is_comparable for one in contents.values())
    return Screened(+outcomes, told, failed, incomparable, withheld, tuple(unread))


def _replies(
    questions: Mapping[str, Question],
    ledger: Ledger,
    rubric: Rubric,
    model: Model | None,
    at_once: int,
    step: Callable[[int], None],
) -> tuple[dict[str, tuple[str, str]], dict[str, str]]:
    """Judge and reply of each question that has one, the new ones asked for; and why others have none."""
    kept: dict[str, tuple[str, str]] = {}
    for name, question in questions.items():
        for entry in in_order(ledger.entries(name, "screen")):
            of_this = entry.body["key"] == question_key(question, rubric)
            if of_this and entry.body["reply"] and (model is None or entry.body["judge"] == _judge_name(model)):
                kept[name] = entry.body["judge"], entry.body["reply"]
    if model is None:
        return kept, {}
    failed: dict[str, str] = {}
    left = {name: question for name, question in questions.items() if name not in kept}

    def one(item: tuple[str, Question]) -> tuple[str, str, str]:
        try:
            return item[0], ask(model, item[1], rubric), ""
        except ModelFault as fault:
            return item[0], "", f"{fault.reason}: {fault}"

    with ThreadPoolExecutor(max_workers=max(1, at_once)) as pool:
        try:
            for name, reply, fault in pool.map(one, left.items()):
                step(1)
                if fault or not reply.strip():
                    failed[name] = fault or "the reply is empty"
                else:
                    kept[name] = _judge_name(model), reply
        except BaseException:  # what was answered was paid for
            pool.shutdown(wait=True, cancel_futures=True)
            for name in left.keys() & kept.keys():
                reasons = [*_judged(left[name], rubric, kept[name][1], "")]
                _keep(ledger, name, left[name], rubric, kept[name], reasons)
            raise
    return kept, failed


def _keep(
    ledger: Ledger, name: str, question: Question, rubric: Rubric, said: tuple[str, str], reasons: Sequence[Reason]
) -> None:
    """Put what was found into the ledger; ``said`` is the judge and its reply, both empty without one."""
    judge, reply = said
    body: dict[str, Any] = {
        "judge": judge,
        "key": question_key(question, rubric) if reply else "",
        "reply": reply,
        "reasons": [one.plain() for one in reasons],
    }
    ledger.add(name, "screen", judge or SCREEN, body)


def _judge_name(model: Model) -> str:
    """The model's own name; of a tape, the recorded model's."""
    return str(model.identity["name"])


def _judged(question: Question, rubric: Rubric, reply: str, fault: str) -> Iterator[Reason]:
    if fault:
        yield Reason("not-judged", f"the judge failed: {fault}", "ask")
    elif not reply:
        yield Reason("not-judged", "no judge was asked", "ask")
    else:
        verdicts = read_verdicts(reply, question, rubric)
        for criterion in rubric.judge:
            said = verdicts[criterion.id]
            if said.said != "yes":
                what = f"the judge says {said.said}" + (f": {said.reason}" if said.reason else "")
                drops = said.said == "no" and criterion.drop
                yield Reason(criterion.id, what, "drop" if drops else "ask")


def _copies(
    questions: Mapping[str, Question], pairs: Sequence[tuple[str, str, str]], ledger: Ledger, withheld: frozenset[str]
) -> dict[str, list[Reason]]:
    """Of questions that ask the same one is kept: what was made a task, else what a person kept, else has no secret or
    personal data, else has an answer, else has the first id."""

    def last(name: str) -> tuple[int, bool, bool, str]:
        return _decision(ledger, name), name in withheld, not questions[name].answer, name

    group: dict[str, str] = {}

    def first_of(name: str) -> str:
        while group.get(name, name) != name:
            name = group[name]
        return name

    ways: dict[str, set[str]] = {}
    for one, other, way in pairs:
        for name in (one, other):
            ways.setdefault(name, set()).add(way)
        low, high = sorted((first_of(one), first_of(other)))
        group[high] = low
    members: dict[str, list[str]] = {}
    for name in ways:
        members.setdefault(first_of(name), []).append(name)
    found: dict[str, list[Reason]] = {}
    for names in members.values():
        kept = min(names, key=last)
        for name in names:
            if name != kept:
                answers = {" ".join(questions[one].answer.split()).casefold() for one in (kept, name)} - {""}
                differ = ", and their answers differ" if len(answers) > 1 else ""
                across = " in another language" if ways[name] == {"languages"} else ""
                found[name] = [Reason("duplicate", f"asks the same as {kept}{across}{differ}", "drop")]
    return found


def _decision(ledger: Ledger, name: str) -> int:
    """-1 for a question that was made a task, 0 for one that a person kept, 2 for one that a person dropped."""
    if standing_of(ledger, name).outcome == "promoted":
        return -1
    verdicts = {entry.body["verdict"] for entry in ledger.standing(name, "decision")}
    return 0 if verdicts == {"keep"} else 2 if verdicts == {"drop"} else 1


def _published(pairs: Sequence[tuple[str, str, str]]) -> dict[str, list[Reason]]:
    """Questions that a suite at hand asks already."""
    same: dict[str, list[str]] = {}
    for one, other, _ in pairs:  # in the order of their names: a task stands behind a question
        if other.startswith(_TASK) and not one.startswith(_TASK):
            same.setdefault(one, []).append(other.removeprefix(_TASK))
    return {
        name: [Reason("in-suite", f"is asked already by {', '.join(sorted(found)[:3])}", "drop")]
        for name, found in same.items()
    }


def _flagged(question: Question) -> Iterable[Reason]:
    for found in dict.fromkeys(secrets_in(question)):
        yield Reason("secret", f"has what looks like a key: {found}", "drop")
    for found in personal_in(question):
        yield Reason("personal-data", f"has {found}", "ask")
    for found in dict.fromkeys(canaries_in(question)):
        yield Reason("canary", f"has the canary of a task: {found[:24]}...", "drop")
