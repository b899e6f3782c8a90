"""Sets and lists of names."""

from __future__ import annotations

import re
from typing import Final

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import Span, claim, clean, fault_beside, folded
from caia_replay.scoring.verifiers.text import names, other_case, places
from caia_replay.scoring.words import Words, words_of

_RANK: Final = re.compile(
    r"(?:(?<![\w.])(?P<n>\d{1,2})(?:[.):]|st\b|nd\b|rd\b|th\b)|#(?P<h>\d{1,2})|第(?P<c>[一二三四五六七八九十])"
    r"|\b(?P<w>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)(?:ly)?\b)(?:\s?(?:is|place|was|:|,|是|为|名|位))*\s*(?:the\s+)?$",
    re.IGNORECASE,
)
_WORDS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_HAN: Final = "一二三四五六七八九十"
_MOVES: Final = re.compile(
    r"\b(?:two|three|four|five|six|next|followed|last|lastly|earliest|latest)\b|>", re.IGNORECASE
)
_AMOUNT: Final = re.compile(
    r"\(\s?[~≈]?[$€£]?\d[\d.,]*\s?(?:[kmbt%]|bn|million|billion)?(?:\s[A-Za-z]{2,6})?\s?\)", re.IGNORECASE
)
"""What an element is worth: no further element."""


class TextSetVerifier:
    """Right when an answer names every value and nothing else, in any order."""

    reads: tuple[str, ...] = ()
    in_order = False

    def form(self, spec: AnswerSpec) -> str:
        """Names with commas between them."""
        return "names with commas between them, " + ("in order" if self.in_order else "in any order")

    def verify(self, spec: AnswerSpec, answer: str, question: str = "") -> Score:
        """Judge ``answer``. Raises ``BadInput`` when a value is empty, or two are one."""
        wanted = [folded(value) for value in spec.values]
        if not all(wanted):
            raise BadInput("every value needs letters or digits", where="answer.values")
        if len(set(wanted)) != len(wanted) and not self.in_order:
            raise BadInput("set values must be different", where="answer.values")
        said, fault = named(
            answer,
            spec.values,
            words_of(question, strict=True, figures=not any(c.isdigit() for c in "".join(spec.values))),
        )
        if fault:
            return Score(False, fault, None)
        if any(other_case(answer, value) for value in spec.values):
            return Score(False, "an address is missing, or in another case", None)
        right = said == wanted if self.in_order else sorted(set(said)) == sorted(wanted)
        reading = " > ".join(said) if self.in_order else "; ".join(sorted(set(said)))
        return Score(right, f"read {reading}", reading)


def elements(answer: str) -> list[str]:
    """What an answer lists, known or not, each folded: what stands between its commas, lines and "and"s."""
    pieces = re.split(r"[,;\n>→]|\band\b|[和与及]", clean(answer))
    return [name for piece in pieces if (name := folded(re.sub(r"^\s*\d{1,2}[.)]\s*", "", piece)))]


def named(answer: str, values: tuple[str, ...], words: Words) -> tuple[list[str], str]:
    """The values an answer names, in the order it gives them, and why it cannot be read."""
    text = clean(answer)
    if text[:1] == "[" and text[-1:] == "]":
        text = text[1:-1]
    said = claim(_AMOUNT.sub(" ", text), lambda part: [*places(part, values), *names(part)])
    spans = places(said.text, values)
    if any(places(part, values) for part in said.rejected):
        return [], "says and rejects a value"
    ranks = [_RANK.search(said.text, max(0, start - 24), start) for start, _ in spans]
    taken: list[Span] = [*spans, *(rank.span() for rank in ranks if rank)]
    taken += [found.span() for found in _MOVES.finditer(said.text)]
    if fault := fault_beside(said.text, taken, words):
        return [], fault
    found = [folded(said.text[start:end]) for start, end in spans]
    told = [_number(rank) for rank in ranks if rank]
    if told and len(told) == len(found) and sorted(told) == list(range(1, len(told) + 1)):
        return [name for _, name in sorted(zip(told, found, strict=True))], ""
    return found, "" if not told or told == sorted(told) else "places that are no order"


def _number(rank: re.Match[str]) -> int:
    if rank["w"]:
        return _WORDS.index(rank["w"].casefold()) + 1
    return _HAN.index(rank["c"]) + 1 if rank["c"] else int(rank["n"] or rank["h"])
