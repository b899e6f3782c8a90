"""Addresses: 20 bytes on an EVM chain, whatever the checksum's case; 32 bytes in base 58 on Solana, exactly."""

from __future__ import annotations

import re
from dataclasses import replace

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import agreed, clean, standing
from caia_replay.scoring.verifiers.chain_name import chains_named, same_chain
from caia_replay.scoring.verifiers.hexadecimal import judge_hexadecimal

_ADDRESS = re.compile(r"(?<![0-9a-zA-Z])(?:0[xX])?([0-9a-fA-F]{40})(?![0-9a-zA-Z])")
_BASE58 = re.compile(r"(?<![0-9a-zA-Z])[1-9A-HJ-NP-Za-km-z]{32,44}(?![0-9a-zA-Z])")


class AddressVerifier:
    """Right when the one address the answer states is the value; shortened addresses are not read.

    With a ``chain``, an answer that says the address is on another chain ("0x... on Polygon", "eip155:137:0x...",
    "matic:0x...", an explorer of that chain) is wrong; one that names no chain is taken at its word.
    """

    reads: tuple[str, ...] = ("chain",)

    def verify(self, spec: AnswerSpec, answer: str) -> Score:
        """Judge ``answer``. Raises ``BadInput`` when the spec's value is no address."""
        value = spec.values[0].strip()
        if len(spec.values) == 1 and not _ADDRESS.fullmatch(value) and _BASE58.fullmatch(value):
            score = _judge_base58(value, answer)
        else:
            score = judge_hexadecimal(spec, answer, _ADDRESS, "address")
        if not score.correct or spec.chain is None:
            return score
        if not spec.chain.strip():
            raise BadInput("an address's chain needs a name", where="answer.chain")
        others = [name for name in chains_named(clean(answer)) if not same_chain(name, spec.chain)]
        if others:
            return replace(
                score, correct=False, reason=f"on {others[0]}, not {spec.chain}", reading=f"{others[0]}:{score.reading}"
            )
        return score


def _judge_base58(value: str, answer: str) -> Score:
    text = clean(answer)
    words = list(_BASE58.finditer(text))
    own = standing(text, [found.span() for found in words])
    reading, fault = agreed(word[0] for word, stands in zip(words, own) if stands)
    return Score(False, fault) if reading is None else Score(reading == value, f"read {reading}", reading)
