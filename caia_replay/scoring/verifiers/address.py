"""Addresses: 20 bytes, whatever the case, on the chain that was asked for."""

from __future__ import annotations

import re
from typing import Final

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.verifiers.hexadecimal import judge_hexadecimal
from caia_replay.scoring.verifiers.known_chain import KNOWN_CHAINS

_ADDRESS: Final = re.compile(r"(?<![0-9a-zA-Z])(?:0[xX])?([0-9a-fA-F]{40})(?![0-9a-zA-Z])")
_CAIP: Final = re.compile(r"eip155:(\d{1,12})", re.IGNORECASE)


class AddressVerifier:
    """Right when the one address the answer states is the value; shortened ones are not read.

    With ``chain`` an answer may name that chain, by one of its names, its EIP-3770 prefix or its CAIP-2 id; any other
    chain is a word that nobody asked for.
    """

    reads: tuple[str, ...] = ("chain",)

    def form(self, spec: AnswerSpec) -> str:
        """Twenty bytes."""
        return "one address: 0x and 40 hexadecimal digits"

    def verify(self, spec: AnswerSpec, answer: str, question: str = "") -> Score:
        """Judge ``answer``. Raises ``BadInput`` when the spec's value is no address."""
        names: tuple[str, ...] = ()
        if spec.chain is not None:
            if not spec.chain.strip():
                raise BadInput("an address's chain needs a name", where="answer.chain")
            number, others, _ = KNOWN_CHAINS.get(spec.chain, (None, (), ()))
            if any(int(found[1]) != number for found in _CAIP.finditer(answer)):
                return Score(False, "an address of another chain")
            names = (spec.chain, *others, "eip155")
        return judge_hexadecimal(spec, answer, _ADDRESS, "address", (question, *names))
