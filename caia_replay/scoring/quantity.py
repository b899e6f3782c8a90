"""The numbers an answer commits to, as exact rationals with their units.

What only says where, when, out of how many or by which calculation is left out as long as something nearer to an
answer is there; in "40 or 50 million USD" the first number shares the unit and the scale of the second.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from caia_replay.scoring import bearing, role
from caia_replay.scoring.answer import standing
from caia_replay.scoring.figure import Figure, figures
from caia_replay.scoring.typeset import plain, without_names
from caia_replay.scoring.unit import Unit, one_worded


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as stated: ``value`` with its scale words applied, in ``unit`` or without one.

    ``bound``: ">" or "<" for a number only said to be passed or not reached. ``change``: 1 or -1 where words, or
    a plus written out, say that it goes up or down. ``noun``: what it counts ("transfers"), empty for a bare number.
    """

    value: Fraction
    unit: Unit | None
    scaled: bool
    bound: bearing.Bound = ""
    change: int = 0
    noun: str = ""


_RANGE = re.compile(r"\s?(?:-|~|to|and|or|or even|and/or|/|至|到|或|或者|与|和)\s?", re.IGNORECASE)
_ONE_UNIT = re.compile(
    r"(?<![\d.,])(\d[\d,.]{0,20}\s?[百千万亿]{0,3})(\s?[至到与和]\s?)(\d[\d,.]{0,20}\s?[百千万亿]{0,3}\s?)"
    r"(美元|美金|人民币|元|欧元|日元|枚|%|[A-Z]{3,5}(?![A-Za-z]))"
)
"""A range in Chinese, whose unit stands behind its second end."""
_LIST = re.compile(r"\s?(?:-|~|to|and|or|or even|and/or|/|,|;|至|到|或|或者|与|和|、)\s?", re.IGNORECASE)
_MARGIN = re.compile(r"\s?±\s?")
_LABEL = re.compile(r"[^\W\d_]|[(:=]")
_SPANS = ("time", "month")
_THEN = re.compile(r",? (?:and )?|和?")


def quantities(text: str, expected: Unit | None = None) -> tuple[Quantity, ...]:
    """The numbers ``text`` (already cleaned) answers with, in order; rejected ones and mentions left out.

    ``expected`` is the unit a task asks for, so that its own name is recognised beside the known ones. A mention
    (a block height, a date, "across 7 chains") counts when the text has nothing nearer to an answer.
    """
    flat = _ONE_UNIT.sub(r"\1\4\2\3\4", without_names(one_worded(plain(text))))
    found = _kept(flat, list(figures(flat, expected)))
    found = _shared(flat, _durations(flat, found, expected))
    parts = _parts(flat, found, expected)
    nearest = min(parts, default=role.CLAIM)
    carried = _carried(flat, found)
    out: list[Quantity] = []
    for at, (one, part) in enumerate(zip(found, parts)):
        if part != nearest:
            continue
        before, after = _around(flat, found, at)
        if out and _MARGIN.fullmatch(before):
            out[-1:] = _within(out[-1], one, expected)
            continue
        change = bearing.change(before, after) or carried.get(at, 0) or int(one.plus)
        stated = Quantity(one.value, one.unit, one.scale != 1, bearing.bound(before, after), change, one.noun)
        out += [stated, replace(stated, value=-one.value)] if before.endswith("±") else [stated]
    return tuple(out)


def _around(text: str, found: Sequence[Figure], at: int) -> tuple[str, str]:
    """What stands before and after a number, not past its neighbours."""
    left = max(found[at - 1].end if at else 0, found[at].start - role.REACH)
    right = min(found[at + 1].start if at + 1 < len(found) else len(text), found[at].end + role.REACH)
    return text[left : found[at].start], text[found[at].end : right]


def _between(text: str, found: Sequence[Figure], at: int) -> str:
    """What stands between a number and the next one, cut where it says nothing about both any more."""
    return text[found[at].end : found[at + 1].start][: 2 * role.REACH]


def _kept(text: str, found: list[Figure]) -> list[Figure]:
    """Without the numbers the text says are not it."""
    if bearing.undecided(text):
        return found
    stands = standing(text, [(one.start, one.end) for one in found])
    return [one for at, one in enumerate(found) if stands[at] and not bearing.denied(*_around(text, found, at))]


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
        left, right, between = out[at], out[at + 1], _between(text, out, at)
        if left.unit is None and not left.noun and right.unit is not None and _LIST.fullmatch(between):
            left = replace(left, unit=right.unit)
        if left.scale == 1 and right.scale != 1 and _RANGE.fullmatch(between) and abs(left.value) < 1000:
            left = replace(left, scale=right.scale, value=left.value * right.scale)
        out[at] = left
    for at in range(1, len(out)):
        left, right = out[at - 1], out[at]
        if (
            right.unit is None
            and not right.noun
            and left.unit is not None
            and _RANGE.fullmatch(_between(text, out, at - 1))
        ):
            out[at] = replace(right, unit=left.unit)
    return out


def _carried(text: str, found: Sequence[Figure]) -> dict[int, int]:
    """By position, the direction of "fell from 3 to 1, 67 %" for the number behind it in the same sentence."""
    out: dict[int, int] = {}
    for at in range(len(found) - 2):
        before, _ = _around(text, found, at)
        if role.from_to(before, _between(text, found, at)) and not bearing.ends(_between(text, found, at + 1)):
            rise = found[at + 1].value - found[at].value
            out[at + 2] = bearing.change(before, "") or (1 if rise > 0 else -1 if rise < 0 else 0)
    return out


def _inside(one: Figure, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a number overlaps one of the spans, which are in order and apart."""
    at = bisect_left(spans, (one.end, 0))
    return at > 0 and spans[at - 1][1] > one.start


def _parts(text: str, found: Sequence[Figure], expected: Unit | None) -> list[int]:
    """The role of every number (``role.CLAIM`` to ``role.MOMENT``)."""
    if len(found) < 2:
        return [role.CLAIM] * len(found)
    whens, conclusion = role.moments(text), role.conclusion(text)
    named = role.block_ranges(text), role.citations(text)
    percent = expected is not None and expected.family == "percent"
    betweens = [_between(text, found, at) for at in range(len(found) - 1)]
    operands = role.operands(betweens)
    parts: list[int] = []
    for at, one in enumerate(found):
        before, _ = _around(text, found, at)
        part = role.place(before)
        if _inside(one, whens) and not _amount(text, one, whens, expected):
            part = role.MOMENT
        elif any(_inside(one, where) for where in named) or at in operands or role.technical(one.noun):
            part = role.MENTION
        elif at and role.out_of(betweens[at - 1]):
            part = role.MENTION
            parts[-1] = role.MENTION if percent and found[at - 1].unit is None else parts[-1]
        elif one.start < conclusion <= found[-1].start:
            part = role.PREMISE
        parts.append(part)
    _demote_spans(found, parts, expected)
    _demote_words(found, parts, betweens, expected)
    for at, between in enumerate(betweens):
        before, _ = _around(text, found, at)
        told = at > 0 and abs(found[at + 1].value - found[at].value) == abs(found[at - 1].value)
        if role.from_to(before, between) or (told and role.span(before, between)):
            parts[at] = parts[at + 1] = max(parts[at], role.MENTION)
        if role.alternatives(between) and role.MOMENT not in parts[at : at + 2] and role.CLAIM in parts[at : at + 2]:
            parts[at] = parts[at + 1] = role.CLAIM
    if role.BLOCK in parts:
        bare = [
            one.value for one, part in zip(found, parts) if part == role.CLAIM and one.unit is None and not one.noun
        ]
        low, high = min(bare, default=Fraction(0)) * Fraction(9, 10), max(bare, default=Fraction(0)) * Fraction(11, 10)
        for at, one in enumerate(found):
            if parts[at] == role.BLOCK and one.value > 1000 and low <= one.value <= high:
                parts[at] = role.CLAIM  # another block, not the place of a count
    _only_sum(text, found, parts, expected)
    level = min(parts)
    nouns = {
        one.noun
        for at, (one, part) in enumerate(zip(found, parts))
        if part == level and not role.among(_around(text, found, at)[0])
    }
    for at, one in enumerate(found):
        spread = one.unit is None and one.noun and one.noun not in nouns and parts[at] == level <= role.WORD
        if nouns and spread and role.among(_around(text, found, at)[0]):
            parts[at] = role.MENTION
    return parts


def _amount(text: str, one: Figure, whens: Sequence[tuple[int, int]], expected: Unit | None) -> bool:
    """Whether what looks like a date is an amount of a token with the name of a month ("12 MAI")."""
    if one.unit is None or expected is None or not one.unit.converts_to(expected):
        return False
    token = expected.family.startswith("own:") and text[one.end - 1].isalpha()
    return token and any(start <= one.start and one.end <= end for start, end in whens)


def _demote_spans(found: Sequence[Figure], parts: list[int], expected: Unit | None) -> None:
    """Where no time is asked for, "24 hours" only says how long, beside a number that is no time."""
    if expected is not None and expected.family in _SPANS:
        return
    long = [one.unit is not None and one.unit.family in _SPANS and not one.unit.per for one in found]
    if any(part == role.CLAIM and not span for part, span in zip(parts, long)):
        parts[:] = [max(part, role.MENTION) if span else part for part, span in zip(parts, long)]


def _demote_words(found: Sequence[Figure], parts: list[int], betweens: list[str], expected: Unit | None) -> None:
    """Words up to twelve may be articles ("two pools had 42 swaps"): they count for less than other numbers."""
    for at, one in enumerate(found):
        fits = one.unit is not None and expected is not None and one.unit.converts_to(expected)
        paired = any(_RANGE.fullmatch(betweens[near]) for near in (at - 1, at) if 0 <= near < len(betweens))
        part_of = at < len(betweens) and role.out_of(betweens[at])
        if one.small and parts[at] == role.CLAIM and not (fits or paired or part_of):
            parts[at] = role.WORD


def _only_sum(text: str, found: Sequence[Figure], parts: list[int], expected: Unit | None) -> None:
    """Make the parts of a sum mentions: in "30 buys and 15 sells, 45 in all" only the sum is claimed.

    Two parts or more that add up to the first or the last number, or to the one called the total, are parts; so are
    smaller ones beside a number called the total, unless they may be set against it ("total 44 (Dune: 42)").
    """
    claims = [at for at, part in enumerate(parts) if part == role.CLAIM and _comparable(found[at], expected)]
    if len(claims) < 2 or len({found[at].unit for at in claims} - {None}) > 1:
        return
    gaps = [text[found[at].end : found[at + 1].start][: 2 * role.REACH] for at in range(claims[0], claims[-1])]
    if any(role.alternatives(gap) for gap in gaps):
        return
    total = sum((found[at].value for at in claims), Fraction(0))
    marked = [at for at in claims if role.whole(*_around(text, found, at))]
    told = bool(marked) or any(
        _LABEL.search(gap) and not _LIST.fullmatch(gap) for gap in gaps
    )  # "3, 2, 1" are three answers
    wholes = (claims[0], claims[-1], *marked) if told and len(claims) > 2 else ()
    sums = [at for at in wholes if total == 2 * found[at].value]
    if not sums and len(marked) == 1 and not any(role.rival(gap) for gap in gaps):
        whole = marked[0]
        others = [found[at].value for at in claims if at != whole]
        lists = claims[-1] == whole or role.listed(_between(text, found, whole))
        divided = whole != claims[-1] and role.divides(_between(text, found, whole))
        if all(0 < value < found[whole].value for value in others) and sum(others) <= found[whole].value:
            sums = [whole] if divided or (lists and len(others) > 1) else []
    for at in claims if sums else ():
        parts[at] = role.CLAIM if at == sums[0] else role.MENTION


def _comparable(one: Figure, expected: Unit | None) -> bool:
    return one.unit is None or expected is None or one.unit.converts_to(expected)


def _within(middle: Quantity, margin: Figure, expected: Unit | None) -> list[Quantity]:
    """Both ends of "42 ± 1"; a margin in per cent of anything else is a share of it."""
    share = margin.unit is not None and margin.unit.family == "percent"
    told = middle.unit or expected
    relative = share and (told is None or told.family != "percent")
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
