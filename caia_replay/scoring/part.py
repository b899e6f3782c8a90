"""Which part every number of an answer plays: the answer itself, or what it is drawn from, counted by or summed of."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction

from caia_replay.scoring import role
from caia_replay.scoring.figure import Figure
from caia_replay.scoring.unit import Unit

RANGE = re.compile(r"\s?(?:-|~|to|and|or|or even|and/or|/|至|到|或|或者|与|和)\s?", re.IGNORECASE)
LIST = re.compile(r"\s?(?:-|~|to|and|or|or even|and/or|/|,|;|至|到|或|或者|与|和|、)\s?", re.IGNORECASE)
_LABEL = re.compile(r"[^\W\d_]|[(:=]")
_SPANS = ("time", "month")


def around(text: str, found: Sequence[Figure], at: int) -> tuple[str, str]:
    """What stands before and after a number, not past its neighbours."""
    left = max(found[at - 1].end if at else 0, found[at].start - role.REACH)
    right = min(found[at + 1].start if at + 1 < len(found) else len(text), found[at].end + role.REACH)
    return text[left : found[at].start], text[found[at].end : right]


def joint(text: str, found: Sequence[Figure], at: int) -> str:
    """What stands between a number and the next one, cut where it says nothing about both any more."""
    return text[found[at].end : found[at + 1].start][: 2 * role.REACH]


def _inside(one: Figure, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a number overlaps one of the spans, which are in order and apart."""
    at = bisect_left(spans, (one.end, 0))
    return at > 0 and spans[at - 1][1] > one.start


def parts_of(text: str, found: Sequence[Figure], expected: Unit | None) -> list[int]:
    """The role of every number (``role.CLAIM`` to ``role.PREMISE``), where ``expected`` is the unit asked for."""
    if len(found) < 2:
        return [role.CLAIM] * len(found)
    whens, conclusion = role.moments(text), role.conclusion(text)
    named = role.block_ranges(text), role.citations(text)
    percent = expected is not None and expected.family == "percent"
    betweens = [joint(text, found, at) for at in range(len(found) - 1)]
    operands = role.operands(betweens)
    parts: list[int] = []
    for at, one in enumerate(found):
        before, _ = around(text, found, at)
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
        before, _ = around(text, found, at)
        value = at > 0 and abs(found[at + 1].value - found[at].value) == abs(found[at - 1].value)
        if role.from_to(before, between) or role.moved(before, between) or (value and role.span(before, between)):
            parts[at] = parts[at + 1] = max(parts[at], role.MENTION)
            if role.moved(before, between) and not percent:
                parts[at] = role.PREMISE  # where it ended is nearer to an answer than where it began
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
        if part == level and not role.among(around(text, found, at)[0])
    }
    for at, one in enumerate(found):
        spread = one.unit is None and one.noun and one.noun not in nouns and parts[at] == level <= role.WORD
        if nouns and spread and role.among(around(text, found, at)[0]):
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
        paired = any(RANGE.fullmatch(betweens[near]) for near in (at - 1, at) if 0 <= near < len(betweens))
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
    marked = [at for at in claims if role.whole(*around(text, found, at))]
    stated = bool(marked) or any(
        _LABEL.search(gap) and not LIST.fullmatch(gap) for gap in gaps
    )  # "3, 2, 1" are three answers
    wholes = (claims[0], claims[-1], *marked) if stated and len(claims) > 2 else ()
    sums = [at for at in wholes if total == 2 * found[at].value]
    if not sums and len(marked) == 1 and not any(role.rival(gap) for gap in gaps):
        whole = marked[0]
        others = [found[at].value for at in claims if at != whole]
        lists = claims[-1] == whole or role.listed(joint(text, found, whole))
        divided = whole != claims[-1] and role.divides(joint(text, found, whole))
        if all(0 < value < found[whole].value for value in others) and sum(others) <= found[whole].value:
            sums = [whole] if divided or (lists and len(others) > 1) else []
    for at in claims if sums else ():
        parts[at] = role.CLAIM if at == sums[0] else role.MENTION


def _comparable(one: Figure, expected: Unit | None) -> bool:
    return one.unit is None or expected is None or one.unit.converts_to(expected)
