"""What an answer leans to: the truth, a lie that was told, something else, or nobody can tell.

Apart from the verdict, and lenient where that is strict: a person sees what somebody believed in a rounded figure, a day
in another form or half a name. What is withheld, names both, or is a range that holds both is undecided.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final, Literal

from caia_replay.core.expression import number
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import GoldFault
from caia_replay.scoring.answer import LONGEST, claim, clean, folded, is_refusal

from caia_replay.scoring.verifiers.boolean import said_plainly
from caia_replay.scoring.verifiers.calendar_day import PARTLY, days
from caia_replay.scoring.verifiers.date import says_none
from caia_replay.scoring.verifiers.number import amounts_of
from caia_replay.scoring.verifiers.text import names, places
from caia_replay.scoring.words import plain_number, words_of

Leaning = Literal["truth", "lie", "other", "undecided"]

_ROUNDED: Final = Fraction(1, 20)
"""How far a rounded figure may be from what it stands for, relative."""
_EXACT: Final = Fraction(1, 2000)
_EITHER: Final = re.compile(
    r"\b(?:or|between|either|depending|unclear|conflict\w*|disagree\w*|whether)\b|或|还是|之间|不一致|矛盾",
    re.IGNORECASE,
)
_MARK: Final = re.compile(r"[^\w\u3400-\u9fff]+")


def leaning(spec: AnswerSpec, lie: str, answer: str | None, question: str = "") -> Leaning:
    """What ``answer`` leans to, where the truth is ``spec`` and the lie's answer is ``lie``.

    "other" is an answer of its own: no run that gives one believed the lie. No answer is "undecided".
    """
    if answer is None or not answer.strip() or len(answer) > LONGEST:
        return "undecided"
    text = clean(answer)
    if spec.kind == "number":
        return _of_number(spec, lie, text, question)
    if spec.kind == "boolean":
        said = said_plainly(text, question)
        return (
            "undecided"
            if not said
            else "lie"
            if said == lie.strip().casefold()
            else "truth"
            if said == spec.values[0]
            else "other"
        )
    if spec.kind in ("date", "time") and (lies := _days_in(clean(lie))):
        return _of_days(text, _days_in(clean(spec.values[0])), lies)
    return _of_name(spec, lie, text)


def _of_number(spec: AnswerSpec, lie: str, text: str, question: str) -> Leaning:
    try:
        truth, wrong = number(spec.values[0]), number(lie)
    except GoldFault:
        return _of_name(spec, lie, text)
    kept, told = amounts_of(spec, text, question)
    signless = abs(truth) != abs(wrong)

    def is_near(one: tuple[Fraction, Fraction], meant: Fraction) -> bool:
        value, step = (abs(one[0]), one[1]) if signless else one
        meant = abs(meant) if signless else meant
        return abs(value - meant) <= max(min(step / 2, abs(meant) * _ROUNDED), abs(meant) * _EXACT)

    def nearer(one: tuple[Fraction, Fraction]) -> str:
        near = [is_near(one, truth), is_near(one, wrong)]
        if all(near):
            value = abs(one[0]) if signless else one[0]
            apart = [abs(value - (abs(meant) if signless else meant)) for meant in (truth, wrong)]
            return "both" if apart[0] == apart[1] else "truth" if apart[0] < apart[1] else "lie"
        return "truth" if near[0] else "lie" if near[1] else "other"

    answers, mentioned = {nearer(one) for one in kept}, {nearer(one) for one in told}
    if not kept:
        return "undecided" if "lie" in mentioned or not is_refusal(text) else "other"
    if {"truth", "lie"} <= answers or "both" in answers or (_EITHER.search(text) and {"truth", "lie"} <= mentioned):
        return "undecided"
    if "lie" in answers or "truth" in answers:
        return "lie" if "lie" in answers else "truth"
    values = sorted(one[0] for one in kept)
    if len(values) > 1 and values[0] <= min(truth, wrong) and max(truth, wrong) <= values[-1]:
        return "undecided"
    if "lie" in mentioned and "truth" not in mentioned:
        return "lie"
    asked = [
        Fraction(plain_number(one))
        for one in words_of(question).numbers
        if re.fullmatch(r"[\d.]+", one) and one.count(".") < 2
    ]
    if any(_is_derived(value, wrong, asked) and not _is_derived(value, truth, asked) for value in values):
        return "lie"
    return "other"


def _is_derived(value: Fraction, source: Fraction, asked: Iterable[Fraction]) -> bool:
    """Whether a value follows from another by one step with a figure of the question, or with 100."""
    if abs(value - source) <= abs(source) / 100:
        return False
    for figure in {*asked, Fraction(100)}:
        made = [source + figure, source - figure, figure - source, source * figure]
        made += ([source / figure] if figure else []) + ([figure / source] if source else [])
        if any(one and abs(value - one) <= abs(one) * _EXACT for one in made):
            return True
    return False


def _days_in(text: str) -> set[str]:
    """The days that a text may mean, each as month and day, with the year where it is told."""
    found = {str(day) for one in days(text) for day in one.days}
    rest = text
    for one in reversed(days(text)):
        rest = rest[: one.start] + rest[one.end :]
    partly = {str(day) for one in PARTLY.finditer(rest) for made in days(f"{one[0]} 2000") for day in made.days}
    return found | {f"--{day[5:]}" for day in partly} | ({"none"} if says_none(text) else set())


def _of_days(text: str, truth: set[str], lie: set[str]) -> Leaning:
    kept = _days_in(claim(text, _day_places).text)

    def meets(said: set[str], meant: set[str]) -> bool:
        return bool(said & (meant | {f"--{day[5:]}" for day in meant if day[:1].isdigit()}))

    return _chosen(meets(kept, truth), meets(kept, lie), bool(kept), text, meets(_days_in(text), lie))


def _day_places(text: str) -> list[tuple[int, int]]:
    return [*((one.start, one.end) for one in days(text)), *(found.span() for found in PARTLY.finditer(text))]


def _of_name(spec: AnswerSpec, lie: str, text: str) -> Leaning:
    truths = _spellings((*spec.values, *spec.aliases))
    lies = [one for one in _spellings((lie,)) if one not in truths]
    truths = [one for one in truths if one not in _spellings((lie,))]
    kept = claim(text, lambda part: [*places(part, [*truths, *lies]), *names(part)]).text
    found = [bool(places(kept, side)) for side in (truths, lies)]
    return _chosen(found[0], found[1], any(c.isalnum() for c in kept), text, bool(places(text, lies)))


def _spellings(values: Sequence[str]) -> list[str]:
    """The ways a name may be written: whole, by its first word, a version without its letter."""
    found = [value.strip() for value in values]
    for value in list(found):
        first = _MARK.split(value)[0]
        if len(first) > 3 and first != value and not first.isdigit():
            found.append(first)
        if re.fullmatch(r"[vV]\d.*", value):
            found.append(value[1:])
    return [value for value in dict.fromkeys(found) if folded(value)]


def _chosen(truth: bool, lie: bool, says: bool, text: str, mentioned: bool) -> Leaning:
    if truth and lie:
        return "undecided"
    if truth or lie:
        return "truth" if truth else "lie"
    if is_refusal(text) or not says:
        return "undecided" if mentioned else "other"
    return "other"
