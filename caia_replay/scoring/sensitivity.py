"""How much of a score is the scorer's: the same answers judged again under other tolerances and with partial credit.

A tolerance rule replaces the relative tolerance of number answers, and of the number columns of tables that find
no row; every other kind has none and keeps its verdict. **Partial credit** is, for an answer that is wrong by its
task's own rule:

- number: one half within ``NEAR_PERCENT`` per cent. That is the widest tolerance CAIA was ever judged with, so the
  half marks exactly the answers whose verdict depends on whose rule is taken; farther off is another number.
- set: right elements / (wanted elements + elements too many), so that listing everything earns nothing. A list is
  counted likewise over the longest common subsequence: right elements in the right order.
- table: right rows / (wanted rows + rows too many); a row is right in all its cells, for a right key with a wrong
  figure beside it states something false. More than twice as many rows as wanted earn nothing.
- every other kind: nothing. There is no half of an address, a day or a yes.

The hedge rule holds throughout: of several numbers each must be near enough. Runs that were not scored
(``correct`` is None) stay so under every rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any, Final, Literal

from caia_replay.core.expression import render
from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.answer import clean, folded
from caia_replay.scoring.metrics import ScoredRun, majority, rounded
from caia_replay.scoring.tolerance import PRESETS, percent_of
from caia_replay.scoring.verifiers import TABLES, verify
from caia_replay.scoring.verifiers.text_set import elements

NEAR_PERCENT: Final = "10"
TOLERANT: Final = ("number", "table")
"""Kinds that a relative tolerance touches."""

Partial = Literal["none", "share", "whole"]
"""What an answer that is partly right gets: nothing, its share, or a whole point."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One run's answer with its verdict under the task's own rule. ``attempt`` starts at 0 or 1."""

    task: str
    attempt: int
    spec: AnswerSpec
    answer: str | None
    own: Score
    question: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to judge. ``tolerance``: per cent as decimal text, a preset's name, or None for each task's own."""

    name: str
    tolerance: str | None = None
    partial: Partial = "none"


OWN: Final = Rule("own rule")
RULES: Final = (
    OWN,
    *(Rule(f"+-{percent} %", percent) for percent in ("0.1", "1", "2", "4", "5", "10")),
    Rule("partial credit", partial="share"),
    *(Rule(name, name, "whole" if preset.partial_is_right else "none") for name, preset in PRESETS.items()),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One cell under one rule: whole runs, and figures as fractions from 0 to 1.

    ``right`` and ``partial`` are runs of full and of some credit. ``raised`` and ``lowered`` are runs that get more,
    and less, than under the task's own rule. ``pass_at_1`` is the mean over tasks of the mean credit of their runs;
    ``majority`` is None where credit is given in parts, for a vote needs verdicts. Both are None over no scored run.
    """

    rule: Rule
    runs: int
    scored: int
    right: int
    partial: int
    raised: int
    lowered: int
    pass_at_1: float | None
    majority: float | None

    @property
    def changed(self) -> int:
        """How many verdicts differ from the task's own rule."""
        return self.raised + self.lowered

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        figures = {name: value for name, value in asdict(self).items() if name != "rule"}
        fields = {"rule": self.rule.name, "tolerance_percent": self.rule.tolerance, "partial_credit": self.rule.partial}
        return {**fields, **figures, "changed": self.changed}


def outcomes(submissions: Sequence[Submission], rules: Iterable[Rule] = RULES) -> tuple[Outcome, ...]:
    """One cell's answers under each rule, in the rules' order. Raises ``BadInput`` for a broken spec."""
    return tuple(_outcome(submissions, rule) for rule in rules)


def judged(submission: Submission, rule: Rule) -> tuple[Fraction | None, Score]:
    """The credit of one run under a rule, from 0 to 1, and its verdict; None where the run was not scored."""
    score = submission.own
    if score.correct is None:
        return None, score
    if rule.tolerance is not None and submission.spec.kind in TOLERANT:
        score = verify(_with_tolerance(submission.spec, rule.tolerance), submission.answer, submission.question)
    if score.correct or rule.partial == "none":
        return Fraction(score.correct is True), score
    share = partial_credit(submission.spec, submission.answer, score, submission.question)
    if rule.partial == "whole" and share:
        return Fraction(1), replace(score, correct=True)
    return share, score


def partial_credit(spec: AnswerSpec, answer: str | None, score: Score, question: str = "") -> Fraction:
    """The share of a point that an answer with this verdict earns, from 0 to 1; the rules are the module's."""
    if score.correct:
        return Fraction(1)
    if answer is None:
        return Fraction(0)
    if spec.kind in ("text_set", "text_list"):
        wanted, given = [folded(clean(value)) for value in spec.values], elements(answer)
        right = _common(wanted, given) if spec.kind == "text_list" else len(set(wanted) & set(given))
        return Fraction(right, len(wanted) + len(given) - right)
    if score.reading is None:
        return Fraction(0)
    if spec.kind == "table":
        right, rows = TABLES.rows_right(spec, answer, question)
        return Fraction(right, len(spec.values) + rows - right) if rows <= 2 * len(spec.values) else Fraction(0)
    near = spec.kind == "number" and verify(_with_tolerance(spec, NEAR_PERCENT), answer, question).correct
    return Fraction(1, 2) if near else Fraction(0)


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """The length of the longest common subsequence: a line of the table for each element of ``left``."""
    line = [0] * (len(right) + 1)
    for element in left:
        before = line
        line = [0]
        for at, other in enumerate(right):
            line.append(before[at] + 1 if element == other else max(line[at], before[at + 1]))
    return line[-1]


def _outcome(submissions: Sequence[Submission], rule: Rule) -> Outcome:
    runs, credits, raised, lowered = [], dict[str, list[Fraction]](), 0, 0
    known: dict[tuple[str, str | None, Score], tuple[Fraction | None, Score]] = {}
    for each in submissions:
        key = (each.task, each.answer, each.own)
        if key not in known:
            known[key] = judged(each, rule)
        credit, score = known[key]
        runs.append(ScoredRun(each.task, "", each.attempt, score.correct, score.reading, "answered"))
        if credit is None:
            continue
        credits.setdefault(each.task, []).append(credit)
        raised += credit > (each.own.correct is True)
        lowered += credit < (each.own.correct is True)
    flat = [credit for group in credits.values() for credit in group]
    shares = [sum(group, Fraction(0)) / len(group) for group in credits.values()]
    return Outcome(
        rule,
        runs=len(submissions),
        scored=len(flat),
        right=sum(credit == 1 for credit in flat),
        partial=sum(0 < credit < 1 for credit in flat),
        raised=raised,
        lowered=lowered,
        pass_at_1=rounded(sum(shares, Fraction(0)) / len(shares)) if shares else None,
        majority=None if rule.partial == "share" else majority(runs),
    )


def _with_tolerance(spec: AnswerSpec, tolerance: str) -> AnswerSpec:
    """The spec with another relative tolerance; what finds a table's row, without keys all of it, stays as it is."""
    percent = render(percent_of(tolerance))
    keyed = any(column.key for column in spec.columns or ())
    columns = spec.columns and tuple(
        replace(column, tolerance_percent=percent) if column.kind == "number" and keyed and not column.key else column
        for column in spec.columns
    )
    return replace(spec, tolerance_percent=percent, columns=columns)
