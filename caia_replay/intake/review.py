"""Reviews of a question, and what comes of them: the mean without the highest and the lowest, and how far they differ.

A review counts when its reviewer has no conflict of interest, gave points for each criterion of the rubric, and saw the
draft answer that stands now. What does not count is shown with its reason, never silently left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal

from caia_replay.errors import BadInput, one_line
from caia_replay.intake.ledger import Entry, Ledger
from caia_replay.intake.question import Question
from caia_replay.intake.rubric import HIGHEST, LOWEST, ReviewRules, points_of
from caia_replay.scoring.agreement import krippendorff_alpha, trimmed_mean

LONGEST: Final = 20_000
"""Characters of notes, and of a stated conflict."""
Passed = Literal["passed", "failed", "open"]


@dataclass(frozen=True, slots=True)
class Review:
    """One person's review. ``aside`` says why it does not count; empty where it does. ``score`` is the mean of the
    points, None where some are missing."""

    by: str
    points: Mapping[str, int]
    notes: str
    conflict: str
    aside: str
    score: Fraction | None


@dataclass(frozen=True, slots=True)
class Tally:
    """What reviews come to. ``score`` is None until enough of them count; ``apart``: highest less lowest score, and
    whether that is a disagreement by the rubric. ``outcome``: ``open`` while reviews are missing."""

    reviews: tuple[Review, ...]
    score: Fraction | None
    apart: Fraction
    is_disputed: bool
    missing: int
    outcome: Passed

    @property
    def counted(self) -> tuple[Review, ...]:
        """Those that count."""
        return tuple(one for one in self.reviews if not one.aside)


def write_review(
    ledger: Ledger,
    question: str,
    by: str,
    rules: ReviewRules,
    *,
    points: Mapping[str, int],
    notes: str,
    conflict: str,
) -> Entry:
    """Put a review into the ledger, in place of the same person's. ``conflict`` is what the reviewer states, empty for
    none. Raises ``BadInput`` for points that are missing or off the scale."""
    for criterion in rules.criteria:
        if not LOWEST <= points.get(criterion.id, 0) <= HIGHEST:
            raise BadInput(f"{criterion.id}: give {LOWEST} to {HIGHEST} points", where="review")
    if max(len(notes), len(conflict)) > LONGEST:
        raise BadInput(f"more than {LONGEST} characters", where="review")
    body = {
        "points": {one.id: points[one.id] for one in rules.criteria},
        "notes": notes.strip(),
        "conflict": conflict.strip(),
        "gold": gold_digest(ledger, question),
    }
    return ledger.add(question, "review", by, body)


def gold_digest(ledger: Ledger, question: str) -> str:
    """What stands for the draft answer and chain that a review is about; empty for the author's own answer."""
    return "+".join(entry.digest for entry in ledger.standing(question, "gold"))


def tally(ledger: Ledger, name: str, question: Question, rules: ReviewRules) -> Tally:
    """What the reviews of a question come to."""
    entries = ledger.standing(name, "review")
    several = {by for by, count in Counter(entry.by for entry in entries).items() if count > 1}
    gold = gold_digest(ledger, name)
    reviews = tuple(_review(entry, question, rules, entry.by in several, gold) for entry in entries)
    scores = [one.score for one in reviews if not one.aside and one.score is not None]
    missing = max(0, rules.least - len(scores))
    apart = max(scores) - min(scores) if scores else Fraction(0)
    is_disputed = bool(scores) and apart >= points_of(rules.apart, "rubric", "apart")
    score = None if missing else trimmed_mean(scores)
    passes = points_of(rules.passes, "rubric", "passes")
    outcome: Passed = "open" if score is None else "passed" if score >= passes else "failed"
    return Tally(reviews, score, apart, is_disputed, missing, outcome)


def tally_words(tally: Tally) -> str:
    """What reviews come to, in a line."""
    counted = len(tally.counted)
    aside = f", {len(tally.reviews) - counted} set aside" if counted < len(tally.reviews) else ""
    disputed = f", disputed: {float(tally.apart):.2f} points apart" if tally.is_disputed else ""
    score = f", score {float(tally.score):.2f}" if tally.score is not None else f", {tally.missing} more wanted"
    return f"{tally.outcome}: {counted} {'review' if counted == 1 else 'reviews'}{score}{disputed}{aside}"


def review_lines(tally: Tally) -> Iterator[str]:
    """What reviews come to, and then each of them, a line each."""
    yield tally_words(tally)
    for one in tally.reviews:
        score = "no score" if one.score is None else f"{float(one.score):.2f}"
        given = ", ".join(f"{name} {value}" for name, value in one.points.items())
        aside = f"; does not count: {one.aside}" if one.aside else ""
        yield one_line(f"{one.by}: {score} ({given}){aside}" + (f"; notes: {one.notes}" if one.notes else ""))


def agreement(tallies: Iterable[Tally]) -> Fraction | None:
    """Krippendorff's alpha of the scores that count, over all questions; None where nothing can be compared."""
    return krippendorff_alpha([[one.score for one in tally.counted if one.score is not None] for tally in tallies])


def _review(entry: Entry, question: Question, rules: ReviewRules, is_one_of_several: bool, gold: str) -> Review:
    body: Mapping[str, Any] = entry.body
    points = {str(name): int(value) for name, value in body["points"].items()}
    wanted = [one.id for one in rules.criteria]
    complete = all(LOWEST <= points.get(name, 0) <= HIGHEST for name in wanted)
    score = Fraction(sum(points[name] for name in wanted), len(wanted)) if complete else None
    aside = ""
    if is_one_of_several:
        aside = f"two reviews by {entry.by} stand after a merge; {entry.by} must review again"
    elif body["conflict"]:
        aside = f"conflict of interest: {body['conflict']}"
    elif entry.by.casefold() == question.author.casefold():
        aside = "the reviewer is the author"
    elif score is None:
        aside = "the rubric has other criteria now"
    elif body["gold"] != gold:
        aside = "the draft answer has changed since"
    return Review(entry.by, points, str(body["notes"]), str(body["conflict"]), aside, score)
