"""Gold chains: the tool calls that yield an answer, as data, and the one pure step that executes them.

A chain is a tuple of steps and a result expression. Text values in a step's arguments may be a
reference to an earlier result (``$1.transactions.0.hash``) or an expression (``= $1.number - 1``);
the language is ``core/expression.py``'s.

``next_call`` is the pure step: everything that executes a chain (verify, the recorder, the
oracle policy, the origin) calls it and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal, get_args

from caia_replay.core.expression import REFERENCE, evaluate, look_up, render
from caia_replay.errors import GoldFault

NoChain = Literal["no provider", "needs judgement", "answer disputed", "not anchored"]
"""Why no chain of calls yields a task's answer."""


def gold_tag(kind: str) -> str:
    """What a task says of its chain: ``chain`` where there is one, ``none`` where nobody knows any, or why not."""
    return f"gold:{kind.replace(' ', '-')}"


NO_CHAIN_TAGS: Final = frozenset(gold_tag(kind) for kind in (*get_args(NoChain), "none"))
"""The tags that say of a task of a live world that no chain answers it. Nothing else excuses a task from its chain."""


@dataclass(frozen=True, slots=True)
class GoldStep:
    """One tool call; text values in ``arguments`` may be references or ``= expressions``."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GoldChain:
    """The calls in order, and the expression over their results that is the answer; "" where no expression is, and the
    calls only bring what a person or a judge needs."""

    steps: tuple[GoldStep, ...]
    result: str


@dataclass(frozen=True, slots=True)
class GoldCall:
    """The next call to make, its references resolved."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """The chain is done; ``text`` is its answer as it would be submitted."""

    text: str


def next_call(chain: GoldChain, results: Sequence[Mapping[str, Any]]) -> GoldCall | GoldAnswer:
    """What follows after ``results`` (one per finished step). Raises ``GoldFault``."""
    if len(results) > len(chain.steps):
        raise GoldFault(f"{len(results)} results for a chain of {len(chain.steps)} steps")
    if len(results) == len(chain.steps):
        if not chain.result:
            return GoldAnswer("")
        return GoldAnswer(render(evaluate(chain.result, results)))
    step = chain.steps[len(results)]
    return GoldCall(step.tool, {name: resolve(value, results) for name, value in step.arguments.items()})


def resolve(value: Any, results: Sequence[Mapping[str, Any]]) -> Any:
    """An argument with its references replaced, in lists and tables too. Raises ``GoldFault``."""
    if isinstance(value, str):
        if value.startswith("= "):
            return _plain(evaluate(value[2:], results))
        if REFERENCE.fullmatch(value):
            return look_up(value, results)
        return value
    if isinstance(value, Mapping):
        return {key: resolve(item, results) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [resolve(item, results) for item in value]
    return value


def _plain(value: Any) -> Any:
    """A computed argument as JSON, in lists too: whole numbers as int, other rationals as decimal text."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else render(value)
    return value
