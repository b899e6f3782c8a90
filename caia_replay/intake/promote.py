"""A reviewed question made a draft task of a suite's world, with its moment and its gold chain."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, get_args

from caia_replay.core.task import Category
from caia_replay.errors import BadInput, CheckFailed, nearest
from caia_replay.intake.ledger import Ledger
from caia_replay.intake.question import Question
from caia_replay.intake.review import tally
from caia_replay.intake.rubric import Rubric
from caia_replay.intake.standing import standing_of
from caia_replay.intake.trial import draft_of
from caia_replay.validation.task_life import Change, new_task
from caia_replay.validation.task_words import Words

_CATEGORIES: Final[dict[str, str]] = {re.sub(r"[^a-z]", "", name): name for name in get_args(Category)}


@dataclass(frozen=True, slots=True)
class Wish:
    """What a question does not say and a task needs. ``task`` is the new id; empty texts: as the question has it."""

    task: str
    by: str
    category: str = ""
    shape: str = ""
    stake_usd: str = "0"
    stake_reason: str = ""
    added: str | None = None


def promote(ledger: Ledger, name: str, question: Question, rubric: Rubric, world: Path, wish: Wish) -> Change:
    """Write the task, as ``task new`` does, and say so in the ledger.

    Raises ``CheckFailed`` for a question that has not passed screening and review, and for a task that is to join its
    suite and is not sound; ``BadInput`` where nobody saved a draft, and as ``new_task``. Nothing is written then.
    """
    standing, found = standing_of(ledger, name), tally(ledger, name, question, rubric.review)
    why = f"next: caia-replay intake why {name}"
    for entry in ledger.standing(name, "promotion"):
        task = entry.body["task"]
        if (world / "tasks" / task).exists():
            check = f"caia-replay task check {task} --suite {entry.body['suite']}"
            raise BadInput(f"is task {task!r} of {entry.body['suite']} already", where=name, next_command=check)
    if standing.outcome not in ("keep", "promoted"):
        codes = ", ".join(one.code for one in standing.reasons if one.effect != "note") or "nobody has screened it"
        raise CheckFailed(f"{name} has not passed screening: {codes}; {why}")
    if found.outcome != "passed":
        missing = f"{found.missing} more {'review is' if found.missing == 1 else 'reviews are'} wanted"
        what = missing if found.score is None else f"its score is {float(found.score):.2f}"
        raise CheckFailed(f"{name} has not passed review: {what}; {why}")
    draft = draft_of(ledger, name)
    if draft is None:
        next_command = "caia-replay intake review FOLDER --as NAME --task ID, and save one"
        raise BadInput("nobody has saved a draft answer with its block", where=name, next_command=next_command)
    words = Words(
        wish.task,
        question.question,
        _category(wish.category or question.category),
        draft.chain,
        draft.block,
        language=question.language,
        shape=wish.shape or None,
        stake_usd=wish.stake_usd,
        stake_reason=wish.stake_reason,
    )
    change = new_task(world, words, draft.answer, draft.gold, wish.added)
    ledger.add(name, "promotion", wish.by, {"suite": change.suite, "task": wish.task})
    return change


def _category(text: str) -> str:
    """One of CAIA's categories, however it is spelled. Raises ``BadInput``."""
    folded = re.sub(r"[^a-z]", "", text.casefold())
    if folded in _CATEGORIES:
        return _CATEGORIES[folded]
    near = nearest(folded, _CATEGORIES)
    raise BadInput(
        f"{text!r:.60} is none of CAIA's categories" if text else "the question has no category",
        where="--category",
        nearest=_CATEGORIES.get(near, ""),
        next_command=f"--category with one of {', '.join(_CATEGORIES.values())}",
    )
