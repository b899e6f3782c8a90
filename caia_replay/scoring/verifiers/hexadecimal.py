"""What addresses and hashes share: a fixed number of hexadecimal digits."""

from __future__ import annotations

import re

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import claim, clean, fault_beside
from caia_replay.scoring.words import words_of

_BRACKET = re.compile(r"\([^()]*[A-Za-z]{2,}\W+[A-Za-z]{2,}[^()]*\)")
_PREFIX = re.compile(r"([A-Za-z][\w-]*):\s?(?=0x)")


def judge_hexadecimal(spec: AnswerSpec, answer: str, form: re.Pattern[str], what: str, known: tuple[str, ...]) -> Score:
    """Judge an answer whose value ``form`` matches, its digits in group 1; ``known`` are the question and more names.

    A value of the question is context where another stands beside it, and so is one in a bracket of several words.
    Raises ``BadInput`` when the spec's value is none.
    """
    value = form.fullmatch(spec.values[0].strip())
    if value is None or len(spec.values) != 1:
        raise BadInput(f"{spec.values[0]!r} is not one {what}", where="answer.values")
    said = claim(clean(answer), lambda part: [found.span() for found in form.finditer(part)])
    found = list(form.finditer(said.text))
    if fault := fault_beside(
        said.text, [one.span() for one in found], words_of(*known, figures=what == "address", named=bool(spec.chain))
    ):
        return Score(False, fault)
    strange = [found[1] for found in _PREFIX.finditer(said.text) if not words_of(*known).knows(found[1])]
    if strange and spec.chain:
        return Score(False, f"not understood: {strange[0]!r}")
    asked = {one[1].lower() for one in form.finditer(known[0])}
    told = {one[1].lower() for one in found}
    outside = {one[1].lower() for one in found if not _bracketed(said.text, one)}
    told = outside - asked or told - asked or told
    if len(told) != 1:
        return Score(False, f"hedged between {len(told)} of them" if told else f"no {what} is stated")
    reading = next(iter(told))
    if any(reading == one[1].lower() for part in said.rejected for one in form.finditer(part)):
        return Score(False, f"says and rejects 0x{reading}")
    return Score(reading == value[1].lower(), f"read 0x{reading}", f"0x{reading}")


def _bracketed(text: str, found: re.Match[str]) -> bool:
    """Whether a value stands in a bracket of several words, which tells of another one."""
    return any(one.start() < found.start() < one.end() for one in _BRACKET.finditer(text))
