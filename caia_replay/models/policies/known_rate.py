"""The analyst of known rate: right by a chance that is known beforehand, to test statistics on.

On each task it has a rate. A run that is drawn right plays the oracle; any other submits a number that is the answer
to nothing, and calls no tool. So wherever the oracle scores 1.0, its Pass@1 is its rate but for chance.

Everything is a pure function of seed, task and attempt: the same bytes for the same seed. Arm, condition and agent
do not count, so that between two arms of one seed no difference is chance.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from caia_replay.canonical import canonical_bytes
from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.models.policies.conversation import Policy, Wire, answer_message
from caia_replay.models.policies.oracle import OraclePolicy

RATES = tuple(Fraction(twentieths, 20) for twentieths in range(1, 20))
"""The rates there are, each as likely as any other: 0.05 to 0.95, 0.5 on average."""

WRONG_DIGITS = 60
"""Longer than any amount a chain or a market knows, and not the 78 of an unlimited allowance."""


def rate(seed: int, task: str) -> Fraction:
    """How likely a run of ``task`` is right: one of ``RATES``, drawn by seed and task id."""
    return RATES[_drawn("rate", seed, task) * len(RATES) >> 256]


def is_right(seed: int, task: str, attempt: int) -> bool:
    """Whether this attempt at ``task`` plays the oracle; attempts are independent of each other."""
    return _drawn("run", seed, task, attempt) < rate(seed, task) * 2**256


def wrong_value(seed: int, task: str) -> str:
    """What a run that is not right submits: a whole number of ``WRONG_DIGITS`` digits, the same in every attempt."""
    return "9" + str(_drawn("wrong", seed, task) % 10 ** (WRONG_DIGITS - 1)).zfill(WRONG_DIGITS - 1)


class WrongValuePolicy:
    """Submits one value at once, whatever was asked."""

    def __init__(self, value: str) -> None:
        self._value = value

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """The value."""
        return answer_message(self._value)


def known_rate_policy(brief: PolicyHints, key: RunKey, seed: int) -> Policy:
    """One run's policy. Raises ``BadInput`` as the oracle's, whichever is drawn, when the brief has no gold steps."""
    oracle = OraclePolicy(brief)
    return oracle if is_right(seed, key.task, key.attempt) else WrongValuePolicy(wrong_value(seed, key.task))


def _drawn(*what: object) -> int:
    """256 bits that look like chance."""
    return int.from_bytes(hashlib.sha256(canonical_bytes(["policy/known-rate", *what])).digest(), "big")
