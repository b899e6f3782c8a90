"""Numbers: exact rationals, units converted inside their family, a relative tolerance."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Final

from caia_replay.core.expression import render
from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.answer import Span, claim, clean, fault_beside
from caia_replay.scoring.asked import Asked, asked_of, turned_round
from caia_replay.scoring.numeral import numerals
from caia_replay.scoring.stated import Stated, stated_in, without_context
from caia_replay.scoring.unit import KNOWN
from caia_replay.scoring.worked import (
    answers_of,
    is_range,
    last_place,
    place_of,
    same_in_other_units,
    within,
    worked_out,
)

_WHOLE_HEX: Final = re.compile(r"0x[0-9a-fA-F]{1,64}")
_DOWN: Final = re.compile(
    r"\b(?:fell|fall(?:s|en)?|drop(?:s|ped)?|declin\w+|decreas\w+|reduc\w+|shr[aiu]nk|lost|loss|lower|below|less|cheaper|discount"
    r"|longs? (?:received|earned|got|were paid)|paid by (?:the )?shorts?|received by (?:the )?longs?|negative|outflows?"
    r"|outflow of|out|left|net withdrawals?|withdrawn|shorts paid|down)\b(?:\s+than\b)?"
    r"|减少|下降|下跌|降低|净?流出|低于|折价|负",
    re.IGNORECASE,
)
_UP: Final = re.compile(
    r"\b(?:rose|rise[ns]?|grew|grow[ns]?|gain(?:ed|s)?|increas\w+|higher|above|more|premium|positive|inflows?|came in"
    r"|net deposits?|longs paid|shorts? (?:received|earned|got|were paid)|paid by (?:the )?longs?"
    r"|received by (?:the )?shorts?|up)\b(?:\s+than\b)?|增加|上升|上涨|增长|净?流入|高于|溢价",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(r"\b(?:(?:did|does|has|had)(?: not|n't)|never) $|(?:没有?|未)$", re.IGNORECASE)
"""Before a word that says which way: "so it did not fall" says no more than that it rose."""
_WAYS: Final = {1: _UP, -1: _DOWN}
_NO_WAY: Final = re.compile(r"\bnet of (?:all |the )?\w+|\bout of (?=the \d|all |\d)", re.IGNORECASE)
_MORE: Final = re.compile(r"\bmore(\s(?:\w+\s){1,3})than\b[^,;.()]*|(?<=流[出入])(?:多于|大于|高于)[^,;.()]*")
"""Behind "more left" in "more left than came in" stands what is less."""
_WORKING: Final = re.compile(r"\b(?:minus|plus|times|less|divided by|each|out of|of the|over|per)\b|\+", re.IGNORECASE)
"""Words of a calculation, where one is shown."""
_SAID_OPERATOR: Final = re.compile(
    r"(?<=[\d%A-Za-z)])\s?(?:minus|plus|times|divided by|\+)\s?(?=[$€]?\d)", re.IGNORECASE
)


class NumberVerifier:
    """Right when the one number an answer states lies within ``tolerance_percent`` of the value.

    A number without a unit is taken in the task's unit, and ``aliases`` are further names of that unit; one with
    another unit is wrong, and so is a count of other things. What a derivation ends in is the answer. With
    ``direction`` words such as "fell" set the sign. "At most 42" states 42 where the task or its question asks for a
    limit. All right answers share one reading, the gold value, because they are one answer to a vote.
    """

    reads: tuple[str, ...] = ("unit", "tolerance_percent", "direction", "bound", "aliases")

    def form(self, spec: AnswerSpec) -> str:
        """The number with its unit, and how a fall is written."""
        sample = f"1234.5 {spec.unit}" if spec.unit else "1234"
        fall = "" if spec.direction is None else ", with a minus sign where it fell"
        return f"one number{f' in {spec.unit}' if spec.unit else ''}, such as {sample}{fall}"

    def verify(self, spec: AnswerSpec, answer: str, question: str = "") -> Score:
        """Judge ``answer``. Raises ``BadInput`` when the spec's value or tolerance is not a number."""
        task = asked_of(spec, question)
        text = clean(answer)
        if _WHOLE_HEX.fullmatch(text):
            text = str(int(text, 16))
        said = claim(text, lambda part: [(one.start, one.end) for one in numerals(part)])
        text = without_context(said.text)
        stated = stated_in(text, task)
        kept = sorted(answers_of(text, stated, task), key=lambda one: one.start)
        worked = worked_out(text, kept, [one for one in stated if not one.known]) if len(kept) > 1 else None
        kept = [worked] if worked else kept
        signs, place = _signs(text), place_of(text, kept)
        asked = {way for way, form in _WAYS.items() if task.direction or form.search(task.words.question)}
        spans = [(one.start, one.end) for one in stated if one in kept or not one.known]
        spans += [found.span() for found in _SAID_OPERATOR.finditer(text)] + same_in_other_units(text, stated)
        spans += [found.span() for found in _WORKING.finditer(text) if worked or found.end() <= place[1]]
        spans += [span for way, found in signs.items() for span in found if way in asked or not within(span, place)]
        ways = {way for way, found in signs.items() if task.direction and any(within(span, place) for span in found)}
        answers = [(one.start, one.end) for one in kept]
        if fault := fault_beside(text, spans, task.words, worked=place[1], answers=answers):
            return Score(False, fault)
        if (whole := turned_round(text, task.words.question)) and task.unit.unit == KNOWN["%"]:
            return Score(False, f"{whole} something else")
        if not kept:
            other = next((one.fault for one in stated if one.fault), "")
            return Score(False, other or "no number is stated")
        if len(ways) > 1:
            return Score(False, "says both that it rose and that it fell")
        values = {_value(one, task, next(iter(ways), 0)) for one in kept}
        if any(task.meets(one.value) for part in said.rejected for one in numerals(part)):
            return Score(False, "rejects the value")
        if is_range(text, kept):
            return Score(False, "a range")
        if all(task.meets(value) for value in values):
            read = ", ".join(sorted(render(value) for value in values))
            return Score(True, f"read {read}", _reading(task.value, task))
        if len(values) > 1:
            return Score(False, f"hedged between {', '.join(sorted(render(value) for value in values))}")
        return Score(False, f"read {_reading(min(values), task)}", _reading(min(values), task))


def amounts_of(
    spec: AnswerSpec, text: str, question: str
) -> tuple[list[tuple[Fraction, Fraction]], list[tuple[Fraction, Fraction]]]:
    """The amounts that a cleaned answer gives as the answer, whatever words stand beside them, and all that it mentions
    and does not reject: each in the task's unit, with what one of its last place is worth."""
    task = asked_of(spec, question)
    said = without_context(claim(text, lambda part: [(one.start, one.end) for one in numerals(part)]).text)
    stated = [replace(one, fault="") for one in stated_in(said, task)]
    kept = answers_of(said, stated, task)
    signs = {way for way, found in _signs(said).items() if found and task.direction}
    way = signs.pop() if len(signs) == 1 else 0
    found = []
    for chosen in (kept or [one for one in stated if not one.aside], [one for one in stated if not one.known]):
        steps = [last_place(one.numeral) for one in chosen]
        found.append([(_value(one, task, way), step) for one, step in zip(chosen, steps, strict=True)])
    return found[0], found[1]


def _signs(text: str) -> dict[int, list[Span]]:
    """The words that say which way a change went: their places by 1 for up and -1 for down."""
    plain = _MORE.sub(lambda found: (" " * 4 + (found[1] or "")).ljust(len(found[0])), text)
    plain = _NO_WAY.sub(lambda found: " " * len(found[0]), plain)
    found: dict[int, list[Span]] = {1: [], -1: []}
    for way, form in _WAYS.items():
        for one in form.finditer(plain):
            denied = _DENIED.search(plain, 0, one.start())
            found[-way if denied else way].append((denied.start() if denied else one.start(), one.end()))
    return found


def _value(one: Stated, task: Asked, way: int) -> Fraction:
    """The number in the task's unit, scale and direction."""
    value, wanted = one.numeral.value, task.unit.unit
    if one.unit is not None and wanted is not None and one.unit.family == wanted.family:
        value *= one.unit.factor / wanted.factor / task.unit.scale
    elif one.numeral.scale > 1:
        value /= task.unit.scale
    if task.direction is None or way == 0:
        return value
    rise = value if way > 0 else -abs(value)  # "grew by -3 %" fell; "a decrease of -3 %" fell no less
    return rise if task.direction == "up" else -rise


def _reading(value: Fraction, task: Asked) -> str:
    return f"{render(value)} {task.label}".strip()
