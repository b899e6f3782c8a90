"""EVM addresses: 20 bytes, whatever the checksum's case."""

from __future__ import annotations

import re

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers.hexadecimal import judge_hexadecimal

_ADDRESS = re.compile(r"(?<![0-9a-zA-Z])(?:0[xX])?([0-9a-fA-F]{40})(?![0-9a-zA-Z])")


class AddressVerifier:
    """Right when the one address the answer states is the value; shortened addresses are not read."""

    def verify(self, spec: AnswerSpec, answer: str) -> Score:
        """Judge ``answer``. Raises ``BadInput`` when the spec's value is no address."""
        return judge_hexadecimal(spec, answer, _ADDRESS, "address")
