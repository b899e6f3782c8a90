"""A task: a question, the moment it is asked at, and what counts as an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from caia_replay.core.gold import GoldChain

Category = Literal[
    "on-chain analysis", "project discovery", "tokenomics", "overlap", "trend analysis", "general knowledge"
]
"""CAIA's six categories, in CAIA's words."""

AnswerKind = Literal["number", "address", "hash", "date", "text", "text_set", "boolean"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where and when a question is asked. ``timestamp`` is seconds since 1970, UTC."""

    chain: str
    block: int
    timestamp: int


@dataclass(frozen=True, slots=True)
class AnswerSpec:
    """What is right.

    ``values``: one text for single answers, several for sets; further accepted spellings of a
    single text answer go to ``aliases``. ``unit`` is what a number is counted in ("ETH", "gwei",
    "%"), or None. ``tolerance_percent`` is relative, a decimal text; "0" means exact.
    """

    kind: AnswerKind
    values: tuple[str, ...]
    unit: str | None = None
    tolerance_percent: str = "0"
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CaptureRange:
    """Blocks of which a recording keeps a whole table, beyond what the gold chain touches.

    ``traces`` are the call traces (callTracer) of all transactions. Both ends count. ``addresses`` and,
    by position, ``topics`` (0x texts) narrow the logs table; none means all.
    """

    table: Literal["blocks", "transactions", "receipts", "logs", "traces"]
    from_block: int
    to_block: int
    addresses: tuple[str, ...] = ()
    topics: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """One question of a suite. ``stake_usd`` is what a wrong answer is taken to cost, decimal text."""

    id: str
    question: str
    category: Category
    language: str
    shape: str
    anchor: Anchor
    answer: AnswerSpec
    gold: GoldChain
    stake_usd: str
    stake_reason: str
    tags: tuple[str, ...] = ()
    canary: str = ""
    capture: tuple[CaptureRange, ...] = ()
