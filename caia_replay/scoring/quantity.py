"""The numbers an answer commits to, as exact rationals with their units.

What only says where, when, out of how many or by which calculation is left out as long as something nearer to an
answer is there; in "40 or 50 million USD" the first number shares the unit and the scale of the second.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from caia_replay.scoring import bearing, rate, role
from caia_replay.scoring.answer import standing
from caia_replay.scoring.figure import Figure, figures
from caia_replay.scoring.markup import plain, without_names
from caia_replay.scoring.part import LIST, RANGE, around, joint, parts_of
from caia_replay.scoring.unit import Unit, one_worded


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as stated: ``value`` with its scale words applied, in ``unit`` or without one.

    ``bound``: ">" or "<" for a number only said to be passed or not reached. ``change``: 1 or -1 where words, or
    a plus written out, say that it goes up or down. ``noun``: what it counts ("transfers"), empty for a bare number.
    ``per``: what a rate is counted by, as ``Unit.name`` says it or "each"; empty for a total. ``near``: only said to be
    almost reached or hardly passed. ``label``: it names one of many ("#42", "page 42") and counts none.
    """

    value: Fraction
    unit: Unit | None
    scaled: bool
    bound: bearing.Bound = ""
    change: int = 0
    noun: str = ""
    per: str = ""
    near: bool = False
    label: bool = False


_ONE_UNIT = re.compile(
    r"(?<![\d.,])(\d[\d,.]{0,20}\s?[百千万亿]{0,3})(\s?[至到与和]\s?)(\d[\d,.]{0,20}\s?[百千万亿]{0,3}\s?)"
    r"(美元|美金|人民币|元|欧元|日元|枚|%|[A-Z]{3,5}(?![A-Za-z]))"
)
"""A range in Chinese, whose unit stands behind its second end."""
_MARGIN = re.compile(r"\s?±\s?")
_EVERY = re.compile(r"[^.;\n]{0,30}\b(?:per|every) ", re.IGNORECASE)
_THEN = re.compile(r",? (?:and )?|和?")


def quantities(text: str, expected: Unit | None = None) -> tuple[Quantity, ...]:
    """The numbers ``text`` (already cleaned) answers with, in order; rejected ones and mentions left out.

    ``expected`` is the unit a task asks for, so that its own name is recognised beside the known ones. A mention
    (a block height, a date, "across 7 chains") counts when the text has nothing nearer to an answer.
    """
    flat = _ONE_UNIT.sub(r"\1\4\2\3\4", without_names(one_worded(plain(text))))
    found = _kept(flat, list(figures(flat, expected)))
    found = _shared(flat, _durations(flat, found, expected))
    parts = parts_of(flat, found, expected)
    nearest = min(parts, default=role.CLAIM)
    carried = _carried(flat, found)
    rates = _rates(flat, found)
    out: list[Quantity] = []
    for at, (one, part) in enumerate(zip(found, parts)):
        if part != nearest:
            continue
        before, after = around(flat, found, at)
        if out and _MARGIN.fullmatch(before):
            out[-1:] = _within(out[-1], one, expected)
            continue
        stated = Quantity(
            one.value,
            one.unit,
            one.scale != 1,
            bearing.bound(before, after),
            bearing.change(before, after) or carried.get(at, 0) or int(one.plus),
            one.noun,
            rates[at],
            bearing.near(before, after),
            role.label(before, after, one.value),
        )
        out += [stated, replace(stated, value=-one.value)] if before.endswith("±") else [stated]
    return tuple(out)


def _rates(text: str, found: Sequence[Figure]) -> list[str]:
    """What every number is counted by; "40 or 50 a day" are both of a day."""
    out: list[str] = []
    several = False
    for at in range(len(found) - 1, -1, -1):
        unit, (before, after) = found[at].unit, around(text, found, at)
        before = "" if at and rate.per("", before) else before  # said of the number before
        said = rate.per(before, after) if unit is None or not unit.per else unit.per
        span = found[at + 1].unit if out else None
        if out and (_EVERY.fullmatch(after) or (after.strip() == "/" and span is not None and span.family == "time")):
            said = out[-1] = rate.EACH  # "$5 per 24 hours", "42 per 100 users"
        if unit is not None and unit.family == "percent" and not rate.is_time(said):
            said = ""  # a share of a block or of a swap is no rate
        between = joint(text, found, at) if out else ""
        several = not said and bool(out) and (RANGE if not several else LIST).fullmatch(between) is not None
        out.append(out[-1] if several else said)
    return out[::-1]


def _kept(text: str, found: list[Figure]) -> list[Figure]:
    """Without the numbers the text says are not it."""
    if bearing.undecided(text):
        return found
    stands = standing(text, [(one.start, _past(text, one)) for one in found])
    return [one for at, one in enumerate(found) if stands[at] and not bearing.denied(*around(text, found, at))]


def _past(text: str, one: Figure) -> int:
    """Where a number with its unit and with what it counts ends."""
    noun = text[one.end : one.end + role.REACH].lower().find(one.noun) if one.noun.isascii() and one.noun else -1
    return one.end + noun + len(one.noun) if noun >= 0 else one.end


def _durations(text: str, found: list[Figure], expected: Unit | None) -> list[Figure]:
    """ "1 hour 30 minutes" as one number, where a time is asked for."""
    if expected is None or expected.family != "time":
        return found
    out: list[Figure] = []
    for one in found:
        last = out[-1].unit if out else None
        if (
            last is not None
            and one.unit is not None
            and last.family == one.unit.family == "time"
            and one.unit.factor < last.factor
            and _THEN.fullmatch(text[out[-1].end : one.start])
        ):
            value = out[-1].value + one.value * one.unit.factor / last.factor
            out[-1] = replace(out[-1], value=value, end=one.end, unit=replace(last, factor=last.factor))
        else:
            out.append(one)
    return out


def _shared(text: str, found: list[Figure]) -> list[Figure]:
    """With units and scales said once for several numbers."""
    out = list(found)
    for at in range(len(out) - 2, -1, -1):
        left, right, between = out[at], out[at + 1], joint(text, out, at)
        if left.unit is None and not left.noun and right.unit is not None and LIST.fullmatch(between):
            left = replace(left, unit=right.unit)
        if left.scale == 1 and right.scale != 1 and RANGE.fullmatch(between) and abs(left.value) < 1000:
            left = replace(left, scale=right.scale, value=left.value * right.scale)
        out[at] = left
    for at in range(1, len(out)):
        left, right = out[at - 1], out[at]
        if (
            right.unit is None
            and not right.noun
            and left.unit is not None
            and RANGE.fullmatch(joint(text, out, at - 1))
        ):
            out[at] = replace(right, unit=left.unit)
    return out


def _carried(text: str, found: Sequence[Figure]) -> dict[int, int]:
    """By position, the direction of "fell from 3 to 1, 67 %" for the number behind it in the same sentence; the end of
    such a change is a level.
    """
    out: dict[int, int] = {}
    for at in range(len(found) - 1):
        if role.moved(around(text, found, at)[0], joint(text, found, at)):
            out[at + 1] = bearing.LEVEL
    for at in range(len(found) - 2):
        before, _ = around(text, found, at)
        if role.from_to(before, joint(text, found, at)) and not bearing.ends(joint(text, found, at + 1)):
            rise = found[at + 1].value - found[at].value
            out[at + 2] = bearing.change(before, "") or (1 if rise > 0 else -1 if rise < 0 else 0)
    return out


def _within(middle: Quantity, margin: Figure, expected: Unit | None) -> list[Quantity]:
    """Both ends of "42 ± 1"; a margin in per cent of anything else is a share of it."""
    share = margin.unit is not None and margin.unit.family == "percent"
    value = middle.unit or expected
    relative = share and (value is None or value.family != "percent")
    unit = middle.unit or (None if relative else margin.unit)
    if not relative and margin.unit is not None and unit is not None and not margin.unit.converts_to(unit):
        return [replace(middle, bound="<")]
    half = (
        middle.value * margin.value / 100
        if relative
        else margin.value * (margin.unit.factor / unit.factor if margin.unit is not None and unit is not None else 1)
    )
    return [
        replace(middle, value=middle.value - half, unit=unit),
        replace(middle, value=middle.value + half, unit=unit),
    ]
