"""Sets of names: order-free, exactly these and no others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import clean, folded, phrases

_SEPARATOR = re.compile(r"[,;\n、；，]|\s(?:and|&)(?=\s)|(?<=\n)and(?=\s)|以及|和", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-•+]|\(?\d{1,2}[.)])\s+")


class TextSetVerifier:
    """Right when the elements are the values, each at least once, and nothing else is listed.

    Elements are separated by comma, semicolon, line or "and"; a value that itself contains a separator is
    recognised whole. One element too many is wrong: a list that names everything would otherwise be right.
    """

    def verify(self, spec: AnswerSpec, answer: str) -> Score:
        """Judge ``answer``. Raises ``BadInput`` when a value has neither letters nor digits, or two are equal."""
        wanted = {folded(clean(value)) for value in spec.values}
        if "" in wanted or len(wanted) != len(spec.values):
            raise BadInput("set values must be different texts with letters or digits", where="answer.values")
        longest = 1 + max(len(_SEPARATOR.findall(clean(value))) for value in spec.values)
        listings = [sorted(set(_elements(phrase, wanted, longest))) for phrase in phrases(clean(answer))]
        if any(set(elements) == wanted for elements in listings):
            reading = "; ".join(sorted(wanted))
            return Score(True, f"read {reading}", reading)
        elements = listings[-1]
        if not elements:
            return Score(False, "no readable answer")
        missing, extra = sorted(wanted.difference(elements)), sorted(set(elements).difference(wanted))
        return Score(False, f"{len(missing)} missing, {len(extra)} too many", "; ".join(elements))


def _elements(text: str, wanted: set[str], longest: int) -> Iterator[str]:
    """Folded elements: from the left, the longest stretch of pieces that is a value, else the single piece.

    ``longest`` is the most pieces any value has, which keeps reading linear in the answer.
    """
    cuts = [(0, 0), *(found.span() for found in _SEPARATOR.finditer(text)), (len(text), len(text))]
    pieces = [(left[1], right[0]) for left, right in pairwise(cuts)]
    at = 0
    while at < len(pieces):
        start = pieces[at][0]
        stretches = [folded(_BULLET.sub("", text[start:end])) for _, end in pieces[at : at + longest]]
        run = next((size for size in range(len(stretches), 0, -1) if stretches[size - 1] in wanted), 1)
        if stretches[run - 1]:
            yield stretches[run - 1]
        at += run
