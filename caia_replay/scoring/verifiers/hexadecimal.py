"""What addresses and hashes share: fixed-length hexadecimal words inside prose."""

from __future__ import annotations

import re

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import agreed, clean, rejected


def judge_hexadecimal(spec: AnswerSpec, answer: str, pattern: re.Pattern[str], what: str) -> Score:
    """Compare the one word of ``pattern`` in ``answer`` with the spec's value. Raises ``BadInput`` for a bad value."""
    wanted = pattern.fullmatch(spec.values[0].strip())
    if not wanted or len(spec.values) != 1:
        raise BadInput(f"{spec.values[0]!r} is not one {what}", where="answer.values")
    text = clean(answer)
    found = ("0x" + word[1].lower() for word in pattern.finditer(text) if not rejected(text, word.start()))
    reading, fault = agreed(found)
    if reading is None:
        return Score(False, fault)
    right = reading == "0x" + wanted[1].lower()
    return Score(right, f"read {reading}", reading)
