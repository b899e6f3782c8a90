"""Numbers: exact rationals, units converted inside their family, a relative tolerance."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from caia_replay.core.expression import number, render
from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec, Bound, Direction
from caia_replay.errors import BadInput, GoldFault
from caia_replay.scoring.answer import agreed, clean
from caia_replay.scoring.bearing import EITHER, LEVEL
from caia_replay.scoring.markup import source
from caia_replay.scoring.quantity import Quantity, quantities
from caia_replay.scoring.rate import EACH, is_rate, is_time
from caia_replay.scoring.tolerance import percent_of
from caia_replay.scoring.unit import COUNTED, Unit, parse_unit

_HEX = re.compile(r"0x[0-9a-fA-F]{1,64}")
_VALUE_KEYS = ("final_answer", "answer", "value", "result", "amount", "number")
_NUMBERED = frozenset(
    (
        *("rank", "place", "position", "block", "height", "slot", "epoch", "proposal", "id", "token id", "index"),
        *("number", "nonce", "version", "round", "page", "step", "#"),
    )
)
"""Units of a task that asks for one of many and not for how many."""
_NTH = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_NO_THINGS = frozenset(
    (
        *("token", "tokens", "coin", "coins", "unit", "units", "piece", "pieces", "total", "altogether", "overall"),
        *("sent", "went", "came", "left", "paid", "held", "spent", "lost", "won", "sold", "bought"),
        *("remain", "remains", "worth", "value", "balance", "supply", "cap", "tvl", "volume", "liquidity"),
        *("fee", "fees", "revenue", "net", "gross", "higher", "lower", "also", "too", "exact", "here", "now"),
        *("then", "today", "monedas", "jetons"),
    )
)
"""Words behind an amount that say how it is meant, and of no other thing."""
_LIMITS: Mapping[Bound, Literal["<", ">"]] = {"upper": "<", "lower": ">"}


@dataclass(frozen=True, slots=True)
class _Wanted:
    value: Fraction
    slack: Fraction
    unit: Unit | None
    scale: int
    label: str
    direction: Direction | None

    def meets(self, value: Fraction) -> bool:
        return abs(value - self.value) <= self.slack


class NumberVerifier:
    """Right when every number the answer commits to lies within ``tolerance_percent`` of the value.

    A number without a unit is taken in the task's unit; one with an incompatible unit is wrong, and so is a count of
    other things ("42 transfers") where an amount is asked for. Numbers in a fitting unit outrank those that count
    something else. A task without a unit refuses known units: a percentage is not a count. Both ends of a range
    count; a bound ("at least 42") is no answer, and beside one it must not contradict the value. Where the task asks
    for a limit (``bound``), "at most 42" states it.

    With ``direction``, words such as "fell" and "a decrease of" set the sign; without it they say nothing.
    ``tolerance_percent`` (a decimal text or a preset's name) is relative to the gold value. All right answers share
    one reading, the gold value, because they are one answer to a vote.
    """

    reads: tuple[str, ...] = ("unit", "tolerance_percent", "direction", "bound")

    def verify(self, spec: AnswerSpec, answer: str) -> Score:
        """Judge ``answer``. Raises ``BadInput`` when the spec's value or tolerance is not a number."""
        wanted = _wanted(spec)
        text = _plain(answer)
        if wanted.label.casefold() in _NUMBERED:
            text = _NTH.sub("", text)
        if _HEX.fullmatch(text):
            stated: tuple[Quantity, ...] = (Quantity(Fraction(int(text, 16)), None, False),)
        else:
            stated = quantities(text, wanted.unit)
        fitting = _fitting(stated, wanted)
        if stated and not fitting:
            return Score(False, f"stated in another unit than {wanted.label or 'a plain number'}", _other(stated[0]))
        fitting, fault = _totals(fitting, wanted)
        if fault:
            return Score(False, fault)
        asked = _LIMITS[spec.bound] if spec.bound else ""
        fitting = [replace(quantity, bound="") if quantity.bound == asked else quantity for quantity in fitting]
        values = [value for quantity in fitting if not quantity.bound for value in _values(quantity, wanted)]
        bounds = [(q.bound, value) for q in fitting if q.bound for value in _values(q, wanted)]
        if bounds and not values:
            return Score(False, f"a bound, not a value: {bounds[0][0]} {render(bounds[0][1])}")
        if any((wanted.value < value) if side == ">" else (value < wanted.value) for side, value in bounds):
            values += [value for _, value in bounds]
        if values and all(wanted.meets(value) for value in values):
            read = ", ".join(sorted({render(value) for value in values}))
            return Score(True, f"read {read}", _reading(wanted.value, wanted))
        reading, fault = agreed(_reading(value, wanted) for value in values)
        return Score(False, fault or f"read {reading}", reading)


def _wanted(spec: AnswerSpec) -> _Wanted:
    try:
        value = number(spec.values[0])
    except GoldFault as fault:
        raise BadInput(str(fault), where="answer.values") from fault
    if len(spec.values) != 1:
        raise BadInput("a number answer has one value", where="answer.values")
    unit, scale = parse_unit(spec.unit or "")
    slack = abs(value) * percent_of(spec.tolerance_percent) / 100
    return _Wanted(value, slack, unit, scale, spec.unit or "", spec.direction)


def _plain(answer: str) -> str:
    if answer.lstrip().startswith("{"):
        return _from_json(clean(answer))
    return clean(source(answer))


def _from_json(text: str) -> str:
    """An answer sent as one JSON object, as plain lines with its unit behind its value; any other text unchanged."""
    if not text.startswith("{"):
        return text
    try:
        fields = json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return text
    unit = fields.pop("unit", fields.pop("currency", ""))
    key = next((key for key in _VALUE_KEYS if key in fields), None)
    if key is not None and isinstance(unit, str):
        fields[key] = f"{fields[key]} {unit}"
    return clean("\n".join(f"{name}: {value}" for name, value in fields.items()))


def _fitting(stated: tuple[Quantity, ...], wanted: _Wanted) -> list[Quantity]:
    """The numbers that answer in the wanted unit."""
    if wanted.unit is None:
        return [quantity for quantity in stated if quantity.unit is None or quantity.unit.family == "times"]
    known = wanted.unit.family.partition(":")[0] != "own" or any(c.isupper() for c in wanted.label)
    bare = [q for q in stated if q.unit is None and not (known and q.noun in COUNTED)]
    named = [q for q in stated if q.unit is not None and q.unit.converts_to(wanted.unit)]
    if not named:
        if known and all(_other_things(q.noun) for q in bare):
            return []
        # "1,234.5 (worth $3,000,000)" is in the unit that was asked for; "3 steps, $5" is not.
        return bare if all(q.unit is None for q in stated) else [q for q in bare if not q.noun]
    # A bare number beside them is one more answer, unless it is the same amount in raw units or as a fraction.
    return named + [q for q in bare if not q.noun and not any(_same_amount(q.value, other, wanted) for other in named)]


def _other_things(noun: str) -> bool:
    """Whether a word behind a number, where an amount is asked for, may be what it counts: "42 sheep" are no ETH."""
    return noun != "" and noun.isascii() and noun not in _NO_THINGS and not noun.endswith(("ed", "ly"))


def _totals(fitting: list[Quantity], wanted: _Wanted) -> tuple[list[Quantity], str]:
    """The numbers that are what is asked for and not a rate, a label or a near miss of it; or why there are none.

    Where a value may be missed by a tolerance, "almost 42" states 42; where not, it says that it is not 42.
    """
    asked = wanted.unit.per if wanted.unit is not None else ""
    rates = [q for q in fitting if q.per and is_rate(q.per) and not _counted_alike(q.per, asked)]
    kept = [q for q in fitting if q not in rates]
    if rates and not kept:
        return [], f"a rate ({rates[0].per}), where {wanted.label or 'a count'} is asked for"
    if wanted.label.casefold() not in _NUMBERED:
        labels = [q for q in kept if q.label and q.unit is None]
        kept = [q for q in kept if q not in labels]
        if labels and not kept:
            return [], f"names one of many and counts none: {render(labels[0].value)}"
    if not kept or not all(q.near for q in kept):
        return kept, ""
    if not wanted.slack:
        return [], f"near a value, and not the value: {render(kept[0].value)}"
    return [replace(q, bound="") for q in kept], ""


def _counted_alike(per: str, asked: str) -> bool:
    """Whether a rate is the one asked for; "each" is of whatever is counted, but of no time."""
    return per == asked or (per == EACH and asked != "" and not is_time(asked))


def _same_amount(bare: Fraction, named: Quantity, wanted: _Wanted) -> bool:
    assert named.unit is not None and wanted.unit is not None
    value = named.value * named.unit.factor / wanted.unit.factor
    if not value or not bare:
        return False
    ratio = bare / value
    if wanted.unit.family == "percent" and ratio * wanted.unit.factor * 100 == 1:
        return True
    return ratio.denominator == 1 and ratio >= 10**6 and set(str(ratio)[1:]) == {"0"} and str(ratio)[0] == "1"


def _values(quantity: Quantity, wanted: _Wanted) -> tuple[Fraction, ...]:
    """The number in the task's unit, scale and direction; both for "rose or fell by 42", none for "fell to 42"."""
    value = quantity.value
    if quantity.unit is not None and wanted.unit is not None:
        value *= quantity.unit.factor / wanted.unit.factor / wanted.scale
    elif quantity.scaled:
        value /= wanted.scale
    if wanted.direction is None or quantity.change == 0:
        return (value,)
    if quantity.change == LEVEL:
        return ()
    if quantity.change == EITHER:
        return value, -value
    # "grew by -3 %" fell; "a decrease of -3 %" fell no less.
    rise = value if quantity.change > 0 else -abs(value)
    return (rise if wanted.direction == "up" else -rise,)


def _reading(value: Fraction, wanted: _Wanted) -> str:
    return f"{render(value)} {wanted.label}".strip()


def _other(quantity: Quantity) -> str:
    unit = quantity.unit
    return (
        f"{render(quantity.value * unit.factor)} {unit.family}" if unit else f"{render(quantity.value)} {quantity.noun}"
    )
