"""Numbers: exact rationals, units converted inside their family, a relative tolerance."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from caia_replay.core.expression import number, render
from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput, GoldFault
from caia_replay.scoring.answer import agreed, clean
from caia_replay.scoring.quantity import Quantity, quantities
from caia_replay.scoring.unit import Unit, parse_unit

_HEX = re.compile(r"0x[0-9a-fA-F]{1,64}")


@dataclass(frozen=True, slots=True)
class _Wanted:
    value: Fraction
    slack: Fraction
    unit: Unit | None
    scale: int
    label: str

    def meets(self, value: Fraction) -> bool:
        return abs(value - self.value) <= self.slack


class NumberVerifier:
    """Right when every number the answer commits to lies within ``tolerance_percent`` of the value.

    A number without a unit is taken in the task's unit; one with an incompatible unit is wrong. Numbers in a
    fitting unit outrank bare ones, and bare ones outrank block heights and dates told beside them. A task
    without a unit refuses known units: a percentage is not a count. ``tolerance_percent`` is relative to the
    gold value. All right answers share one reading, the gold value, because they are one answer to a vote.
    """

    def verify(self, spec: AnswerSpec, answer: str) -> Score:
        """Judge ``answer``. Raises ``BadInput`` when the spec's value or tolerance is not a number."""
        wanted = _wanted(spec)
        text = clean(answer)
        if _HEX.fullmatch(text):
            values = [Fraction(int(text, 16))]
        else:
            stated = quantities(text, wanted.unit)
            values = _converted(stated, wanted)
            if stated and not values:
                wish = wanted.label or "a plain number"
                return Score(False, f"stated in another unit than {wish}", _other(stated[0]))
        if values and all(wanted.meets(value) for value in values):
            read = ", ".join(sorted({render(value) for value in values}))
            return Score(True, f"read {read}", _reading(wanted.value, wanted))
        reading, fault = agreed(_reading(value, wanted) for value in values)
        return Score(False, fault or f"read {reading}", reading)


def _wanted(spec: AnswerSpec) -> _Wanted:
    try:
        value, tolerance = number(spec.values[0]), number(spec.tolerance_percent)
    except GoldFault as fault:
        raise BadInput(str(fault), where="answer") from fault
    if tolerance < 0 or len(spec.values) != 1:
        raise BadInput("a number answer has one value and a tolerance of 0 or more", where="answer")
    unit, scale = parse_unit(spec.unit or "")
    return _Wanted(value, abs(value) * tolerance / 100, unit, scale, spec.unit or "")


def _converted(stated: tuple[Quantity, ...], wanted: _Wanted) -> list[Fraction]:
    """The committed numbers in the wanted unit: those that name a fitting unit, else the bare ones."""
    if wanted.unit is not None:
        fitting = [
            quantity.value * quantity.unit.factor / wanted.unit.factor / wanted.scale
            for quantity in stated
            if quantity.unit is not None and quantity.unit.converts_to(wanted.unit)
        ]
        if fitting:
            return fitting
    if wanted.unit is not None and any(quantity.unit is not None for quantity in stated):
        return []
    return [quantity.value / (wanted.scale if quantity.scaled else 1) for quantity in stated if quantity.unit is None]


def _reading(value: Fraction, wanted: _Wanted) -> str:
    return f"{render(value)} {wanted.label}".strip()


def _other(quantity: Quantity) -> str:
    unit = quantity.unit
    return f"{render(quantity.value * unit.factor)} {unit.family}" if unit else render(quantity.value)
