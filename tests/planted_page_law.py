"""Targets of every sort of answer, and how much two texts have in common."""

from __future__ import annotations

import re
from dataclasses import replace

from caia_replay.core.attack import StaleAnswer
from tests.attack_view import KINDS, NOW_S

SHINGLE_WORDS, ECHO = 4, 0.5
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")

TARGETS = tuple(
    replace(
        one, task=f"t-{at}", offer=replace(one.offer, task=f"t-{at}", once=StaleAnswer("381000000", NOW_S - 5_000_000))
    )
    for at, one in enumerate(KINDS)
)
"""One of each sort of answer, and numbers among them with an earlier answer."""


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Runs of four words, Chinese characters being words, as the sceptic counts them."""
    words = _WORD.findall(text.casefold())
    return frozenset(tuple(words[at : at + SHINGLE_WORDS]) for at in range(len(words) - SHINGLE_WORDS + 1))


def shared(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    """The part of the shorter text's shingles that the other one has."""
    shorter, longer = sorted((one, other), key=len)
    return len(shorter & longer) / max(len(shorter), 1)
