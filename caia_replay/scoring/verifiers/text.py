"""Names and short texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import Span, claim, clean, fault_beside, folded
from caia_replay.scoring.verifiers.calendar_day import days
from caia_replay.scoring.words import Words, words_of

_OF: Final = re.compile(r"\b(?:of|behind|with|and|than)\s+(?:the\s+)?[\"'(]*$|[和与及跟]\s*$", re.IGNORECASE)
_JOINED: Final = re.compile(r"\A[\"')]*(?:'s\b|\s*(?:and|with|&|\+|/)(?:\s|$)|\s*[和与及跟的]|-\w)", re.IGNORECASE)
_TITLE: Final = re.compile(r"(?<![\w'])[A-Z][\w-]*(?: [A-Z][\w-]*)+")
_PLACED: Final = re.compile(
    r"(?:\b(?:of|at|in|for|on|by|from|to|into|with|via|about|as)\s+(?:the\s+)?|['\"]s\s+)$|\A\s*(?:'s\b|\()",
    re.IGNORECASE,
)
_HEX: Final = re.compile(r"0x[0-9a-fA-F]+")
_BASE58: Final = re.compile(r"(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])[1-9A-HJ-NP-Za-km-z]{32,88}")


class TextVerifier:
    """Right when the answer names the value or one of ``aliases``, blind to case, spaces and punctuation. Only of an
    address or a signature in base58 the case counts: in another one it is somebody else's.

    Around the name stand words of the question and plain ones. A name of something of its ("the team of X", "X's
    router"), a second name beside it, and a bare name out of the question are other answers.
    """

    reads: tuple[str, ...] = ("aliases",)

    def form(self, spec: AnswerSpec) -> str:
        """A name."""
        return "one name or short text, as its source writes it"

    def verify(self, spec: AnswerSpec, answer: str, question: str = "") -> Score:
        """Judge ``answer``. Raises ``BadInput`` when the value or an alias is empty of letters and digits."""
        values = (*spec.values, *spec.aliases)
        if len(spec.values) != 1 or not all(folded(value) for value in values):
            raise BadInput("a text answer has one value, and needs letters or digits", where="answer.values")
        fault = name_fault(
            answer,
            values,
            words_of(
                question,
                named=not values[0].startswith("0x"),
                figures=values[0].startswith("0x") or not any(c.isdigit() for c in "".join(values)),
            ),
        )
        if not fault and all(other_case(answer, value) for value in values):
            fault = "an address in another case"
        return (
            Score(False, fault, folded(clean(answer)) or None)
            if fault
            else Score(True, f"read {spec.values[0]}", folded(spec.values[0]))
        )


def other_case(answer: str, value: str) -> bool:
    """Whether a value is base58 and an answer does not have it letter by letter."""
    return _BASE58.fullmatch(value) is not None and value not in clean(answer)


def name_fault(answer: str, values: Sequence[str], words: Words) -> str:
    """Why an answer does not name one of ``values``, or an empty text."""
    if folded(clean(answer)) in {folded(clean(value)) for value in values}:
        return ""
    said = claim(clean(answer), lambda part: places(part, values) or names(part))
    found = places(said.text, values)
    if not found:
        return "another text"
    if any(places(part, values) for part in said.rejected):
        return "says and rejects the value"
    for start, end in found:
        before, after = said.text[:start], said.text[end:]
        if (
            _OF.search(before)
            and not words.asks(before.split()[-1].casefold() + " which", before.split()[-1].casefold() + " whom")
        ) or _JOINED.match(after):
            return "names something else beside the value"
    told = [(day.start, day.end) for day in days(said.text)]
    if len(told) > 1 or any(start < told[0][1] and told[0][0] < end for start, end in found if told):
        told = []  # two days are a time that is over; a name may hold a day
    if fault := fault_beside(said.text, [*found, *told], words, answers=found):
        return fault
    rest = "".join(" " if any(start <= at < end for start, end in found) else c for at, c in enumerate(said.text))
    if any(one[0].lower() not in words.hexes for one in _HEX.finditer(rest)):
        return "names a second value"
    for name in _TITLE.finditer(rest):  # a name of the question may only place the value: "the fund of X", "X's fund"
        bare = not _PLACED.search(rest[: name.start()]) and not _PLACED.match(rest[name.end() :])
        if (
            bare
            and name[0] in words.plain_question
            and not re.search(
                rf"\b(?:the|first|chief|an?)\s+{re.escape(name[0])}|\({re.escape(name[0])}\)", words.plain_question
            )
        ):
            after = rest[name.end() :].lstrip()
            if not after or after[0] in ",;.)&/" or rest[: name.start()].rstrip().endswith((",", ";")):
                return f"names {name[0]} beside the value"
    return ""


def places(text: str, values: Sequence[str]) -> list[Span]:
    """Where a text names one of ``values`` as a whole word, the longest first where two overlap."""
    found: list[Span] = []
    for value in sorted(map(clean, values), key=len, reverse=True):
        parts = [re.escape(part) for part in re.findall(r"[^\W_]+|[-.+](?=\w)|\+", value)]
        if not parts:
            continue
        form = r"[\s_'\":,/()&-]{0,3}".join(parts)
        if value.isascii():
            form = rf"(?<![A-Za-z0-9_.])(?<![A-Za-z0-9]-){form}(?![A-Za-z0-9_]|[.-]\d)"
        for one in re.finditer(form, text, re.IGNORECASE):
            if not any(start < one.end() and one.start() < end for start, end in found):
                found.append(one.span())
    return sorted(found)


def names(text: str) -> list[Span]:
    """The capitalised words of a text: what an answer may reject is a name that nobody here knows."""
    return [found.span() for found in re.finditer(r"(?<![\w'])[A-Z][\w-]*(?: [A-Z][\w-]*)*|\b[a-z]*\d[\w.]*", text)]
