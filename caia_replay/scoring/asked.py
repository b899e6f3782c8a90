"""What a question asks for where a number is the answer: its unit, its limit and what it counts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final

from caia_replay.core.expression import number
from caia_replay.core.task import AnswerSpec, Bound, Direction
from caia_replay.errors import BadInput, GoldFault
from caia_replay.scoring.tolerance import percent_of
from caia_replay.scoring.unit import Wanted, wanted_unit
from caia_replay.scoring.words import NOUNS, PLAIN, Words, stem, words_of

_LIMITS: Final[Mapping[Bound, re.Pattern[str]]] = {
    "upper": re.compile(
        r"\bat most(?: by)?|\bup to|\b(?:an? )?max(?:imum|\.)?(?: of)?|\bno more than|≤|<=|最多|至多|不超过",
        re.IGNORECASE,
    ),
    "lower": re.compile(
        r"\bat least(?: by)?|\b(?:an? )?min(?:imum|\.)?(?: of)?|\bno (?:less|fewer) than|≥|>=|最少|至少|不少于",
        re.IGNORECASE,
    ),
}
_ASKED_LIMITS: Final[Mapping[Bound, tuple[str, ...]]] = {
    "upper": ("at most", "maximum", "max", "up to"), "lower": ("at least", "minimum", "min")
}  # fmt: skip
_ASKED: Final = re.compile(r"how many ([^,.?;(]{1,60})|多少([^，。？,.?]{1,12})", re.IGNORECASE)
_HAN_SMALL: Final = "的是为，。在于了共"
_HOLDERS: Final = ("address", "addresses", "account", "accounts", "wallet", "wallets", "user", "users")
_HOLDER_STEMS: Final = frozenset(map(stem, _HOLDERS))
_HOLDERS_HAN: Final = ("地址", "账户", "钱包", "用户")
_AGENT: Final = re.compile(r"(?:e?rs?|ors?)$")
_IRREGULAR: Final = {"sent": "send", "held": "hold", "paid": "pay", "bought": "buy"}
_WHOLE: Final = re.compile(
    r"(?:%|\b(?:per ?cent|percent|percentage|share|fraction)) of (?:the |all |its |an? )*|\A(?:of )(?=[^?]*, what )"
    r"|\bhow much of (?:the |all )*"
    r"|\b(?:above|below|more than|less than|higher than|lower than|differ from) (?:the |an? )*",
    re.IGNORECASE,
)
"""What stands before the whole that a percentage is of, or what it compares with."""
_WHOLE_HAN: Final = re.compile(r"(?:占|相当于)(.{1,60}?)的?\s?(?:百分|约?\d)")
_JOINING: Final = frozenset(
    ("the", "a", "an", "all", "of", "its", "that", "what", "was", "were", "is", "been", "had", "it", "this")
)
_ENDED: Final = re.compile(r"[.,;?]|(?<!what)\s(?:was|were|is|are|did|does|lay)\b", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"how (?:many|much|large) ([^.?;]{1,300})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a number must be: ``value`` within ``slack``, in ``unit``, and the words of its question.

    ``limit`` finds the words that state a limit, where one is asked for; ``asked`` are the stems of what "how many"
    asks for, ``asked_han`` the characters behind 多少, ``spoken`` all the words behind "how many" and ``clause`` their
    stems.
    """

    value: Fraction
    slack: Fraction
    unit: Wanted
    label: str
    direction: Direction | None
    limit: re.Pattern[str] | None
    words: Words
    asked: frozenset[str]
    spoken: frozenset[str]
    clause: frozenset[str]
    asked_han: frozenset[str]

    def counts(self, word: str) -> bool:
        """Whether a word, in small letters, names what "how many" asks for: the noun itself, another word for a holder
        of tokens, who does what is asked of them ("users" of those who used), and of times what was done."""
        agent = _AGENT.search(word)
        if stem(word) in self.asked and (not agent or self.words.own.intersection((word, word + "s", word[:-1]))):
            return True
        if self.asked & _HOLDER_STEMS:
            did = (_IRREGULAR.get(one, one) for one in self.spoken)
            root = word[: agent.start()] if agent else ""
            return word in _HOLDERS or any(root and one.startswith(root) and len(one) < len(root) + 4 for one in did)
        return "tim" in self.asked and (stem(word) in self.clause or self.words.asks(f"count the {word}"))

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
    limit = spec.bound or next((side for side, asked in _ASKED_LIMITS.items() if words.limits(*asked)), None)
    found = _ASKED.search(question)
    asked = (found[1] or found[2]) if found else ""
    nouns = frozenset(map(stem, _thing(asked))) if found and found[1] else frozenset()
    clause = _CLAUSE.search(question)
    spoken = frozenset(re.findall(r"[a-z]+", clause[1].casefold())) if clause else frozenset()
    slack = abs(value) * percent_of(spec.tolerance_percent) / 100
    return Asked(
        value, slack, unit, spec.unit or "", spec.direction, _LIMITS[limit] if limit else None, words, nouns, spoken,
        frozenset(map(stem, spoken)), frozenset(_han_asked(asked)) if found and found[2] else frozenset(),
    )  # fmt: skip


def _thing(asked: str) -> list[str]:
    """What "how many" asks for: the next two words, none where all of them are small."""
    words = re.findall(r"[a-z][\w'-]*", asked.casefold())[:2]
    return words if any(word not in PLAIN or word in NOUNS for word in words if not word.endswith("ly")) else []


def _han_asked(asked: str) -> str:
    """The characters of what 多少 asks for, and of other words for a holder of tokens where it is one."""
    same = "".join(_HOLDERS_HAN) if any(one in asked for one in _HOLDERS_HAN) else ""
    return asked[:6] + same + _HAN_SMALL


def turned_round(text: str, question: str) -> str:
    """Of what other whole a percentage is told than the one that is asked for, or an empty text: B in "A is 5 % of B"
    where it is asked how many per cent of A B is."""
    for form, parts in ((_WHOLE, _stems), (_WHOLE_HAN, _pairs)):
        asked = [_whole(found, question) for found in form.finditer(question)]
        whole = frozenset().union(*map(parts, asked))
        for told in form.finditer(text) if asked else ():
            said = parts(" ".join(_phrase(told, text).split()[:4]))
            if said & (parts(question) - whole) and not said & whole:
                return told[0].strip()
    return ""


def _whole(found: re.Match[str], question: str) -> str:
    """What a percentage is asked of. "DefiLlama tells A, CoinGecko B. What percentage of the second was the first?"
    asks for one of B."""
    phrase = _phrase(found, question)
    place = re.match(r"first|second", phrase)
    if place is None:
        return phrase
    first, _, second = question[: found.start()].partition(".")[0].rpartition(",")
    return f"{place[0]} {first if place[0] == 'first' else second}"


def _phrase(found: re.Match[str], text: str) -> str:
    """The whole that ``found`` tells of: its group, or what stands behind it up to a mark or a verb."""
    return found[1] if found.re.groups else _ENDED.split(text[found.end() :], maxsplit=1)[0]


def _stems(text: str) -> frozenset[str]:
    """The stems of the words of a text, without those that only join."""
    return frozenset(stem(word) for word in re.findall(r"[a-z]+", text.casefold()) if word not in _JOINING)


def _pairs(text: str) -> frozenset[str]:
    """Every two characters of Chinese that follow each other."""
    return frozenset(one + other for one, other in pairwise(text) if min(one, other) >= "\u3400")
