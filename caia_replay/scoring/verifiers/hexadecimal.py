"""What addresses and hashes share: fixed-length hexadecimal words inside prose."""

from __future__ import annotations

import re

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import agreed, clean, standing

_SHORTENED = re.compile(
    r"(?<![0-9a-zA-Z])0x([0-9a-f]{2,})(?:…|\.{2,}|\*{2,}|-{2,3}|_{2,})(?:0x)?([0-9a-f]*)(?![0-9a-z])", re.IGNORECASE
)
_LOOSE = re.compile(r"(?<![0-9a-zA-Z])(?:0x)?([0-9a-f]{8,})(?![0-9a-zA-Z])", re.IGNORECASE)
_NEAR = 6
"""Digits more or fewer than the kind has: such a word is a miscopied one, and another answer."""


def judge_hexadecimal(spec: AnswerSpec, answer: str, pattern: re.Pattern[str], what: str) -> Score:
    """Compare the one word of ``pattern`` in ``answer`` with the spec's value. Raises ``BadInput`` for a bad value.

    Shortened words ("0x12…9f") and miscopied ones are no answers, but beside an answer they must not be another one.
    """
    wanted = pattern.fullmatch(spec.values[0].strip())
    if not wanted or len(spec.values) != 1:
        raise BadInput(f"{spec.values[0]!r} is not one {what}", where="answer.values")
    # "…" is folded into three stops, and stars are markdown
    text = clean(re.sub(r"\*{3,}", "...", answer))
    words = list(pattern.finditer(text))
    own = standing(text, [found.span() for found in words])
    reading, fault = agreed("0x" + word[1].lower() for word, stands in zip(words, own) if stands)
    if reading is None:
        return Score(False, fault)
    rivals = [found for found in _SHORTENED.finditer(text) if not _shortens(found, reading)]
    rivals += [found for found in _LOOSE.finditer(text) if 0 < abs(len(found[1]) + 2 - len(reading)) <= _NEAR]
    rivals.sort(key=lambda found: found.start())
    if any(standing(text, [found.span() for found in rivals])):
        return Score(False, f"hedged between {reading} and another {what}, not written out")
    return Score(reading == "0x" + wanted[1].lower(), f"read {reading}", reading)


def _shortens(found: re.Match[str], reading: str) -> bool:
    head, tail = found[1].lower(), found[2].lower()
    return reading[2:].startswith(head) and reading.endswith(tail)
