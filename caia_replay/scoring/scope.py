"""What a question leaves out, counts in and asks of which one, and answers that say otherwise: another quantity."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from caia_replay.scoring.words import MARKED, NOUNS, SMALL, plain_number, stem

_EXCLUDES: Final = re.compile(
    r"\b(?:without|leav(?:e|es|ing)|left|exclud\w+|except|ignor\w+|omit\w*|skip\w*|not (?:count|includ)\w*)\b"
)
_DENIES: Final = re.compile(rf"{_EXCLUDES.pattern}|\b(?:not|no|nobody|nothing)\b|n't\b")
_INCLUDES: Final = re.compile(
    r"\b(?:with|includ\w+|count(?:s|ed|ing)?|plus|also|too|as well|itself|only)\b"
    r"|\A\W*(?:the|meaning)(?: \w+){1,2}\W*\Z"
)
_EMPTY: Final = (
    SMALL
    | MARKED
    | {
        "leave",
        "leaving",
        "leaves",
        "left",
        "well",
        "too",
        "plus",
        "matter",
        "out",
        "off",
        "what",
        "came",
        "unit",
        "units",
    }
)
_ASKS: Final = re.compile(r"\b(?:which|what|who|how|did|does|was|were)\b")
_NUMBERED: Final = re.compile(
    r"\b(?:(?:end of|as of|at|after|once) (?=block)|(?=item|proposal))(?P<what>[a-z]+) (?P<n>[\d,]*\d)"
    r"|(?P<han>第|区块) ?(?P<m>\d+)"
)
"""One of many that the value is told of."""
_FORM: Final = re.compile(r"\banswer\b|请?回答")
_LEAVING: Final = re.compile(
    r"\b(?:without|excluding|except(?: for)?|(?:and|but) not|not (?:counting|including)) ([^,.;()\d]+)"
)
"""What is left out behind a value, in the value's own clause."""
_DENIAL: Final = re.compile(r"\b(?:(?<!and )(?<!but )not|no|nobody|nothing|only|\w+n't)\b", re.IGNORECASE)
_NOT_COUNTING: Final = re.compile(r"\bnot (?:counting|including)\b", re.IGNORECASE)


class Scope:
    """The scope of one question. ``excluded`` and ``included`` are the stems of what it says to leave out or to count,
    where it names them nowhere else."""

    def __init__(self, question: str) -> None:
        asked = unicodedata.normalize("NFKC", _FORM.split(question.casefold())[0])
        clauses = re.split(r"[,.;?():。]", asked)
        self.excluded = _only_in([*filter(None, map(_left_out, clauses))], asked)
        self._included = _only_in([*filter(_counts_in, clauses)], asked)
        self._numbered = {found["what"] or found["han"] for found in _NUMBERED.finditer(asked)}
        self._numbers = {plain_number(one) for one in re.findall(r"\d[\d,]*", asked)}

    def without_left_out(self, text: str) -> str:
        """``text`` with blanks for what it leaves out and its question does, too."""

        def blanked(found: re.Match[str]) -> str:
            said = set(map(stem, _content(found[1]) - NOUNS))
            return " " * len(found[0]) if said and said <= self.excluded else found[0]

        return _LEAVING.sub(blanked, text)

    def without_denial(self, clause: str) -> str:
        """A clause beside the answer, with blanks for its denials where it tells of what the question leaves out."""
        form = _DENIAL if not self.excluded.isdisjoint(map(stem, _content(clause))) else _NOT_COUNTING
        return form.sub(lambda found: " " * len(found[0]), clause)

    def contradicts(self, clause: str, told: bool) -> bool:
        """Whether a clause, which may hold the answer itself (``told``), counts in what the question leaves out, leaves
        out what it counts in, or tells of another block or item."""
        low = clause.casefold()
        if told and any(
            (found["what"] or found["han"]) in self._numbered
            and plain_number(found["n"] or found["m"]) not in self._numbers
            for found in _NUMBERED.finditer(low)
        ):
            return True
        low = re.split(r"\b(?:and|but) not\b", low)[0]
        said = set(map(stem, _content(low)))
        narrows = not said.isdisjoint(self._included) and said.isdisjoint(self.excluded)
        if _EXCLUDES.search(low) or (re.search(r"\bonly\b", low) and not re.search(r"\d", low) and narrows):
            return narrows
        counts = told or _INCLUDES.search(low) is not None
        return counts and not _DENIES.search(low) and not said.isdisjoint(self.excluded)


@lru_cache(maxsize=512)
def scope_of(question: str) -> Scope:
    """``Scope``, kept for the questions of a suite."""
    return Scope(question)


def _only_in(clauses: Sequence[str], question: str) -> frozenset[str]:
    """The stems of what some clauses of a question name, and no other part of it does."""
    for clause in clauses:
        question = question.replace(clause, " ")
    others = set(map(stem, _content(question)))
    said = [_content(clause) for clause in clauses]
    return frozenset(stem(word) for one in said for word in one - NOUNS or one) - others


def _left_out(clause: str) -> str:
    """The part of a question's clause that says what is left out, or an empty text."""
    found = _DENIES.search(clause)
    if found is None or "or not" in clause or re.search(r"\bcan", clause):
        return ""
    behind = clause[found.end() :]
    return behind if _content(behind) and not clause[: found.start()].rstrip().endswith(("do", "does")) else clause


def _counts_in(clause: str) -> bool:
    """Whether a question's clause says of something that it counts, too."""
    return (
        re.search(r"\b(?:count|includ)", clause) is not None and not _ASKS.search(clause) and not _DENIES.search(clause)
    )


def _content(text: str) -> set[str]:
    """The words of a text that say what it is about, in small letters."""
    said = set(re.findall(r"[a-z]+", text.casefold())) - _EMPTY
    return {word for word in said if not (_INCLUDES.fullmatch(word) or _DENIES.fullmatch(word))}
