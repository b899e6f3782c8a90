"""The guesser: an answer of the right type and nothing else, drawn from seed, task and attempt.

What it scores is what an instrument gives for nothing. Per kind of answer: boolean 1/3 (yes, no, false premise); date
1/365 where the day lies in the year before the moment asked at; number about 0.036/n where exactly the whole number n
is right, 0.7 % where 10 % to either side are; text the share of the question's words that are right; practically 0
for addresses, hashes, times, addresses of pages, ABI fragments, sets, lists and tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.models.policies.chance import Chance
from caia_replay.models.policies.conversation import Wire, answer_message
from caia_replay.models.policies.question import AskedAt, Named, asked_at, named_in

DAYS = 365
"""A date is one of so many days, of which the moment asked at lies in the last."""

DECADES = 12
"""Numbers are from 1 up to 10 to this power."""

PERCENT_DECADES = (-2, 3)
"""Per cent are from 0.01 up to 1,000, with two decimals."""

BOOLEANS = ("yes", "no", "false premise")

_DAY_S = 86_400
_MOST_MEMBERS = 3


class RandomPolicy:
    """Calls no tool, and answers at once; of the run task and attempt count alone."""

    def __init__(self, brief: PolicyHints, key: RunKey, seed: int) -> None:
        self._brief = brief
        self._drawn_from = ("policy/random", seed, key.task, key.attempt)

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """The drawn answer."""
        named = named_in(self._brief.question)
        return answer_message(drawn_answer(self._brief, named, asked_at(messages), Chance(*self._drawn_from)))


def drawn_answer(brief: PolicyHints, named: Named, moment: AskedAt, chance: Chance) -> str:
    """An answer of the brief's kind (a number where it tells none)."""
    kind = brief.kind or "number"
    if kind == "boolean":
        return chance.pick(BOOLEANS)
    if kind == "number":
        return with_unit(_number(brief.unit, chance), brief.unit)
    if kind in ("address", "hash"):
        return "0x" + chance.hex(40 if kind == "address" else 64)
    if kind == "date":
        return f"{(moment.time - timedelta(days=chance.below(DAYS))).date()}"
    if kind == "time":
        seconds = chance.below(DAYS * _DAY_S)
        return (moment.time - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
    if kind in ("text_set", "text_list"):
        return ", ".join(dict.fromkeys(chance.pick(named.words) for _ in range(1 + chance.below(_MOST_MEMBERS))))
    if kind == "url":
        site = chance.pick(named.sites or ("https://www.example.com",))
        return f"{site.rstrip('/')}/{chance.hex(12)}"
    if kind == "abi":
        return f"function f_{chance.hex(8)}(uint256)"
    if kind == "table":
        return f"{chance.pick(named.words)} | {_number(None, chance)}"
    return chance.pick(named.words)


def with_unit(number: str, unit: str | None) -> str:
    """A number as it would be submitted."""
    if unit is None:
        return number
    return f"{number}%" if unit == "%" else f"{number} {unit}"


def _number(unit: str | None, chance: Chance) -> str:
    if unit == "%":
        return f"{chance.log_uniform(*PERCENT_DECADES).quantize(Decimal('0.01'), ROUND_HALF_EVEN):f}"
    return f"{chance.log_uniform(0, DECADES).quantize(Decimal(1), ROUND_HALF_EVEN):f}"
