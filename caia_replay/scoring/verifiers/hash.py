"""Transaction and block hashes: 32 bytes, whatever the case."""

from __future__ import annotations

import re
from typing import Final

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers.hexadecimal import judge_hexadecimal

_HASH: Final = re.compile(r"(?<![0-9a-zA-Z])(?<!\bblock )(?<!\bblock hash )(?:0[xX])?([0-9a-fA-F]{64})(?![0-9a-zA-Z])")


class HashVerifier:
    """Right when the one 32-byte hash the answer states is the value; shortened hashes are not read."""

    reads: tuple[str, ...] = ()

    def form(self, spec: AnswerSpec) -> str:
        """Thirty-two bytes."""
        return "one hash: 0x and 64 hexadecimal digits"

    def verify(self, spec: AnswerSpec, answer: str, question: str = "") -> Score:
        """Judge ``answer``. Raises ``BadInput`` when the spec's value is no hash."""
        return judge_hexadecimal(spec, answer, _HASH, "hash", (question,))
