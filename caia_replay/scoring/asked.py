"""What a question asks for where a number is the answer: its unit, its limit and what it counts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_replay.core.expression import number
from caia_replay.core.task import AnswerSpec, Bound, Direction
from caia_replay.errors import BadInput, GoldFault
from caia_replay.scoring.tolerance import percent_of
from caia_replay.scoring.unit import Wanted, wanted_unit
from caia_replay.scoring.words import NOUNS, PLAIN, Words, stem, words_of

_LIMITS: Final[Mapping[Bound, re.Pattern[str]]] = {
    "upper": re.compile(
        r"\bat most|\bup to|\b(?:an? )?max(?:imum|\.)?(?: of)?|\bno more than|≤|<=|最多|至多|不超过", re.IGNORECASE
    ),
    "lower": re.compile(
        r"\bat least|\b(?:an? )?min(?:imum|\.)?(?: of)?|\bno (?:less|fewer) than|≥|>=|最少|至少|不少于", re.IGNORECASE
    ),
}
_ASKED_LIMITS: Final[Mapping[Bound, tuple[str, ...]]] = {
    "upper": ("at most", "maximum", "max", "up to"), "lower": ("at least", "minimum", "min")
}  # fmt: skip
_ASKED: Final = re.compile(r"how many ([^,.?;(]{1,60})|多少([^，。？,.?]{1,12})", re.IGNORECASE)
_HAN_SMALL: Final = "的是为，。在于了共"
_CLAUSE: Final = re.compile(r"how (?:many|much|large) ([^.?;]{1,300})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a number must be: ``value`` within ``slack``, in ``unit``, and the words of its question.

    ``limit`` finds the words that state a limit, where one is asked for; ``asked`` are the stems of what "how many"
    asks for, ``asked_han`` the characters behind 多少, and ``clause`` the stems of all the words behind "how many".
    """

    value: Fraction
    slack: Fraction
    unit: Wanted
    label: str
    direction: Direction | None
    limit: re.Pattern[str] | None
    words: Words
    asked: frozenset[str]
    clause: frozenset[str]
    asked_han: frozenset[str]

    def meets(self, value: Fraction) -> bool:
        """Whether a number in the task's unit is right."""
        return abs(value - self.value) <= self.slack


def asked_of(spec: AnswerSpec, question: str) -> Asked:
    """What a spec and its question ask for. Raises ``BadInput`` for a value or tolerance that is no number."""
    try:
        value = number(spec.values[0])
    except GoldFault as fault:
        raise BadInput(str(fault), where="answer.values") from fault
    if len(spec.values) != 1:
        raise BadInput("a number answer has one value", where="answer.values")
    unit = wanted_unit(spec.unit, spec.aliases)
    words = words_of(question, spec.unit or "", *unit.names)
    limit = spec.bound or next((side for side, asked in _ASKED_LIMITS.items() if words.asks(*asked)), None)
    found = _ASKED.search(question)
    asked = (found[1] or found[2]) if found else ""
    nouns = frozenset(map(stem, _thing(asked))) if found and found[1] else frozenset()
    clause = _CLAUSE.search(question)
    said = frozenset(stem(word) for word in re.findall(r"[a-z]+", clause[1].casefold())) if clause else frozenset()
    slack = abs(value) * percent_of(spec.tolerance_percent) / 100
    return Asked(
        value, slack, unit, spec.unit or "", spec.direction, _LIMITS[limit] if limit else None, words, nouns, said,
        frozenset(asked[:6] + _HAN_SMALL) if found and found[2] else frozenset(),
    )  # fmt: skip


def _thing(asked: str) -> list[str]:
    """What "how many" asks for: the next two words, none where all of them are small."""
    words = re.findall(r"[a-z][\w'-]*", asked.casefold())[:2]
    return words if any(word not in PLAIN or word in NOUNS for word in words if not word.endswith("ly")) else []
