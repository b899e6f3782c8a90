"""Which of the numbers of an answer is the answer: what it works out, and what it works with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

from caia_replay.scoring.answer import Span
from caia_replay.scoring.asked import Asked
from caia_replay.scoring.numeral import Numeral
from caia_replay.scoring.stated import Stated
from caia_replay.scoring.unit import Unit

_OR: Final = re.compile(r"\bor\b|或")
_RESULT: Final = re.compile(
    r"=|→|\b(?:final )?answer(?: is|:)|\b(?:so|thus|therefore|hence|i\.e|that is|which is|which makes|giving"
    r"|leaving|leaves|in other words)\b|即|等于|所以|因此",
    re.IGNORECASE,
)
_OPERATOR: Final = re.compile(
    r"[-+×÷*/]|\b(?:of|against|vs|versus|compared)\b|\bout of\b|\bminus\b|\bplus\b|\bdivided by\b|\btimes\b",
    re.IGNORECASE,
)
_SIGN: Final = re.compile(r"[+×÷*/]|\b(?:over|out of|minus|plus|divided by|times)\b", re.IGNORECASE)
"""What joins the parts of a calculation; a dash may be none."""
_THUS: Final = re.compile(r"(?:\b(?:so|hence|thus|therefore)|所以|因此)\s?$", re.IGNORECASE)
_RANGE: Final = re.compile(r"\s*(?:-|/|to|~|至|到)\s*[$€£]?", re.IGNORECASE)
_ASIDE: Final = re.compile(r"\(([^()]*)\)")


def last_place(one: Numeral) -> Fraction:
    """What one of the last place that tells anything is worth: 100 in 448,400."""
    step = one.scale / Fraction(10) ** one.places
    while one.value and not one.places and (one.value / (step * 10)).denominator == 1:
        step *= 10
    return step


def answers_of(text: str, stated: Sequence[Stated], task: Asked) -> list[Stated]:
    """The numbers that an answer gives as the answer."""
    stays = [
        one
        for part in _segments(text)
        for one in _results(text, [s for s in stated if _inside(s, part)], part, task.unit.unit)
    ]
    sound = [one for one in stays if not one.fault]
    unit = task.unit.unit
    if unit is None:
        plain = [
            one
            for one in sound
            if one.unit is None
            or one.unit.family == f"own:{(task.unit.names or ('',))[0]}"
            or one.unit.family == "times"
        ]
        return [one for one in plain if not one.aside] or plain
    named = [one for one in sound if one.unit is not None and one.unit.family == unit.family]
    bare = [one for one in sound if one.unit is None and not one.aside]
    if named:
        named = [one for one in named if not one.aside] or named
        exact = [one for one in named if one.unit == unit]
        named = [one for one in named if one in exact or one.outer or not any(_rounds(one, by) for by in exact)]
        return named + [one for one in bare if not any(_same_amount(one, other, unit) for other in named)]
    if unit.family == "percent" and len(bare) == 2 and bare[0].numeral.value * 100 == bare[1].numeral.value:
        return bare[1:]
    return bare or [one for one in sound if one.unit is None]


def _segments(text: str) -> list[tuple[list[Span], bool]]:
    """The text outside brackets, and each bracket: its spans, and whether it is one."""
    asides = [found.span(1) for found in _ASIDE.finditer(text)]
    outer, at = [], 0
    for start, end in asides:
        outer.append((at, start))
        at = end
    return [([*outer, (at, len(text))], False), *(([span], True) for span in asides)]


def _inside(one: Stated, part: tuple[list[Span], bool]) -> bool:
    return any(start <= one.numeral.start < end for start, end in part[0])


def _results(text: str, stated: Sequence[Stated], part: tuple[list[Span], bool], unit: Unit | None) -> list[Stated]:
    """Of the numbers of one segment those it ends in: what stands behind the last "=", or before it where that is a
    formula or the same amount in a unit that was not asked for. A bracket that only shows a calculation gives none."""
    ends = [found for start, end in part[0] for found in _RESULT.finditer(text, start, end)]
    for sign in reversed(ends):
        behind = [one for one in stated if one.start >= sign.end()]
        asked = [one for one in stated if one.end <= sign.start() and one.unit == unit and not one.fault]
        if unit and asked and len(behind) == 1 and behind[0].fault and _same_tens(asked[-1], behind[0], least=6):
            return asked
        if behind and not _is_formula(text, behind):
            return behind
        before = [one for one in stated if one.end <= sign.start()]
        if behind and before and not _is_formula(text, before):
            return before
    return [] if part[1] and _is_formula(text, stated) else list(stated)


def worked_out(text: str, kept: Sequence[Stated], stated: Sequence[Stated]) -> Stated | None:
    """The one of several numbers that the others make: a sum, a difference, a product, a quotient or a percentage. One
    that stands beside a sign of calculation is rather a part than the result."""
    parts = [one for pair in pairwise(stated) if _SIGN.search(text, pair[0].end, pair[1].start) for one in pair]
    marks = [found.start() for found in re.finditer(r"\s-\s|:\s", text)]

    def order(one: Stated) -> tuple[bool, bool, bool, int]:
        others = [other.start for other in stated if other is not one]
        alone = any(all((other < at) != (one.start < at) for other in others) for at in marks)
        return alone, one not in parts, one.outer, one.start

    ends = [one for one in kept if _THUS.search(text, 0, one.start)]
    for result in sorted(ends or kept, key=order, reverse=True):
        others = [abs(one.numeral.value) for one in stated if one is not result]
        if len(others) >= 2 and any(_is_near(abs(result.numeral.value), made) for made in _made(others)):
            return result
    return None


def _made(others: Sequence[Fraction]) -> Iterator[Fraction]:
    yield sum(others, Fraction(0))
    largest = max(others)
    yield 2 * largest - sum(others, Fraction(0))
    if len(others) == 2:
        yield others[0] * others[1]
        for above, below in (others, others[::-1]):
            if below:
                yield above / below
                yield 100 * above / below


def _is_near(value: Fraction, made: Fraction) -> bool:
    return made != 0 and abs(value - made) <= abs(made) / 10_000


def place_of(text: str, kept: Sequence[Stated]) -> tuple[list[Span], int]:
    """The segment that holds the answer, and where in it what is only worked with ends."""
    at = kept[0].start if kept else 0
    part = next((spans for spans, _ in _segments(text) if any(start <= at <= end for start, end in spans)), [])
    ends = [found.start() for found in _RESULT.finditer(text) if kept and found.end() <= at]
    return part, max(ends, default=0)


def within(span: Span, place: tuple[list[Span], int]) -> bool:
    """Whether a span stands in the segment of a ``place_of``, behind what is only worked with."""
    return span[0] >= place[1] and any(start <= span[0] < end for start, end in place[0])


def same_in_other_units(text: str, stated: Sequence[Stated]) -> list[Span]:
    """Every "or" between one amount and the same in another unit, such as "two days or 48 hours"."""
    found = []
    for left, right in pairwise(stated):
        joint = _OR.search(text, left.end, right.start)
        if joint and (_converts(left, right) or _same_tens(left, right)):
            found.append(joint.span())
    return found


def _converts(left: Stated, right: Stated) -> bool:
    if left.unit is None or right.unit is None or left.unit.family != right.unit.family:
        return False
    return left.unit != right.unit and left.numeral.value * left.unit.factor == right.numeral.value * right.unit.factor


def _same_tens(left: Stated, right: Stated, least: int = 2) -> bool:
    return any(_is_near(one, other) for one, other in _tens(left, right) if one >= 10**least)


def _rounds(one: Stated, by: Stated) -> bool:
    """Whether a number in a coarser unit is another one rounded: "122 days (17 weeks)"."""
    assert one.unit and by.unit
    step = last_place(one.numeral) * one.unit.factor
    return abs(one.numeral.value * one.unit.factor - by.numeral.value * by.unit.factor) <= step / 2


def _tens(left: Stated, right: Stated) -> Iterator[tuple[Fraction, Fraction]]:
    """The ratio of two amounts beside every power of ten that it may be: 100 where the second is a percentage."""
    low, high = sorted((abs(left.numeral.value), abs(right.numeral.value)))
    percent = right.unit is not None and right.unit.family == "percent"
    if low:
        yield from ((Fraction(10) ** power, high / low) for power in range(2 if percent else 3, 31))


def _is_formula(text: str, stated: Sequence[Stated]) -> bool:
    return any(_OPERATOR.search(text, left.end, right.start) for left, right in pairwise(stated))


def is_range(text: str, kept: Sequence[Stated]) -> bool:
    """Whether two of an answer's numbers are the ends of a range."""
    return any(
        _RANGE.fullmatch(text, end, start)
        for left, right in pairwise(kept)
        for end, start in ((left.numeral.end, right.numeral.start), (left.end, right.start))
    )


def _same_amount(bare: Stated, named: Stated, unit: Unit) -> bool:
    """Whether a bare number says the same as one with its unit: in smallest units, as a fraction, or rounded."""
    assert named.unit is not None
    value, other = named.numeral.value * named.unit.factor / unit.factor, bare.numeral.value
    if not value or not other:
        return value == other
    ratio = other / value
    if unit.family == "percent" and ratio == Fraction(1, 100):
        return True
    power = Fraction(10) ** max(6, len(str(round(abs(ratio)))) - 1)
    near = Fraction(1, 2) / 10**named.numeral.places if named.numeral.places > 1 else 0
    return value == other or any(abs(other / size - value) <= near for size in (power, power * 10))
