"""The places an answer gives the elements of a list in words or numbers: "third Curve, second Bancor, first Aave"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from caia_replay.scoring.answer import clean, folded
from caia_replay.scoring.verifiers.sentence import mentions

LAST = 99
"""The place of what is "last", whatever the length."""
_REACH = 40
_WORDS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_HAN = "一二三四五六七八九十"
_CIRCLED = re.compile("[①-⑨]")
_PLACE = (
    rf"(?:(?P<word>{'|'.join(_WORDS)}|last|final)(?:ly)?(?![\w-])|(?P<nth>\d{{1,2}})(?:st|nd|rd|th)(?!\w)"
    rf"|第(?P<han>[{_HAN}]|\d{{1,2}})(?:名|位|个)?"
    r"|(?:#\s?|(?<!\w)(?:no\.|number|rank(?:ed)?|place)\s?#?)"
    r"(?P<rank>\d{1,2})(?!\d))"
)
_JOINED = (
    r"(?:[\s\"'*,:=-]|(?:is|was|were|comes?|came|goes|went|ranks?|ranked|finished|in|the|place|by|是|为|排名?)"
    r"(?![a-z]))*"
)
_BEFORE = re.compile(
    rf"(?<![a-zA-Z0-9.])(?:the\s+)?(?:{_PLACE}|(?<![\d,])[(\[]?(?P<number>\d{{1,2}})(?:[.)\]:]|\s-)(?!\d))(?:place)?{_JOINED}$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"[\s\"'*]*[(\[,:=-]?\s?{_JOINED}{_PLACE}(?:\s+place)?[)\]]?(?=\s*(?:[,;.\n、，；]|and\b|和|$))", re.IGNORECASE
)
_COUNT_AFTER = re.compile(r"\s?(?::|=|-|\()\s?(?P<number>\d{1,2})\)?(?=\s*(?:[,;\n、，；]|\.?$))")


@dataclass(frozen=True, slots=True)
class Ordered:
    """``plain``: the answer without the places it gives. ``names``: the folded values in the order of their places,
    as ``said``; None where not every value has one. ``fault``: whether the places contradict the order of writing."""

    plain: str
    said: tuple[str, ...]
    names: tuple[str, ...] | None
    fault: bool


def ordered(answer: str, values: Sequence[str]) -> Ordered | None:
    """The order that the places in an answer give its ``values``; None where it gives no place."""
    text = clean(_CIRCLED.sub(lambda found: f"\n{ord(found[0]) - ord('①') + 1}. ", answer))
    spans = list(mentions(text, [clean(value) for value in values]))
    said = tuple(folded(text[start:end]) for start, end in spans)
    before = [_BEFORE.search(text, max(0, start - _REACH), start) for start, _ in spans]
    after = [_AFTER.match(text, end, end + _REACH) for _, end in spans]
    # "Aave first, Bancor second": where the first value has no place before it, places stand behind
    found = before if any(before[:1]) or not any(after) else after
    places = [None if one is None else _number(one) for one in found]
    if not any(places):
        # "Aave: 3, Bancor: 2, Curve: 1" may be places or amounts
        counts = [int(count["number"]) for _, end in spans if (count := _COUNT_AFTER.match(text, end))]
        turned = len(counts) == len(said) > 1 and sorted(counts) == list(range(1, len(said) + 1)) != counts
        return Ordered(text, said, None, True) if turned else None
    plain = _without(text, [one.span() for one in found if one is not None])
    if None not in places:
        ranks = [len(places) if place == LAST else place for place in places if place is not None]
        if sorted(ranks) != list(range(1, len(ranks) + 1)):
            return Ordered(plain, said, None, True)
        return Ordered(plain, said, tuple(name for _, name in sorted(zip(ranks, said))), False)
    return Ordered(plain, said, None, not _ascending(places))


def _ascending(places: Sequence[int | None]) -> bool:
    """Whether the places that are given fit the order of writing."""
    given = [(at, place) for at, place in enumerate(places) if place is not None]
    if any(left[1] >= right[1] for left, right in pairwise(given)):
        return False
    return all(
        (at == len(places) - 1) if place == LAST else (place <= at + 1 and (place > 1 or at == 0))
        for at, place in given
    )


def _number(found: re.Match[str]) -> int:
    part = {name: value for name, value in found.groupdict().items() if value}
    if "word" in part:
        low = part["word"].lower()
        return _WORDS.index(low) + 1 if low in _WORDS else LAST
    if "han" in part and part["han"] in _HAN:
        return _HAN.index(part["han"]) + 1
    return int(next(iter(part.values())))


def _without(text: str, cuts: Sequence[tuple[int, int]]) -> str:
    pieces, at = [], 0
    for start, end in sorted(cuts):
        pieces.append(text[at : max(at, start)])
        at = max(at, end)
    return "".join([*pieces, text[at:]])
