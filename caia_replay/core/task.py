"""A task: a question, the moment it is asked at, and what counts as an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from caia_replay.core.execution import Execution
from caia_replay.core.gold import GoldChain

Category = Literal[
    "on-chain analysis", "project discovery", "tokenomics", "overlap", "trend analysis", "general knowledge"
]
"""CAIA's six categories, in CAIA's words."""

AnswerKind = Literal[
    "number",
    "address",
    "hash",
    "date",
    "time",
    "text",
    "text_set",
    "text_list",
    "boolean",
    "url",
    "abi",
    "table",
    "open",
]
"""What an answer is. An ``open`` one has no verifier and is unscored, unless a judge is asked."""

Direction = Literal["up", "down"]
Bound = Literal["upper", "lower"]


ZERO_ADDRESS: Final = "0x" + "0" * 40
"""Where minted tokens come from and burned ones go: no account of anybody."""

NO_BLOCK: Final = -1
"""The block of an anchor that is a moment alone: nobody has looked its height up, or its chain has no fork."""

NO_CHAIN: Final = "none"
"""The chain of an anchor that is of no chain at all: only the moment counts, and its block is ``NO_BLOCK``."""

LAST_MOMENT: Final = 253_402_300_799
"""The last second that has a date: the end of the year 9999."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where and when a question is asked. ``timestamp`` is seconds since 1970, UTC; ``block`` may be ``NO_BLOCK``.

    Raises ``ValueError`` for a moment after ``LAST_MOMENT`` and for a height that no chain's 64 bits can hold.
    """

    chain: str
    block: int
    timestamp: int

    def __post_init__(self) -> None:
        if self.timestamp > LAST_MOMENT:
            raise ValueError(f"timestamp is {self.timestamp!s:.40}, which no calendar has")
        if not NO_BLOCK <= self.block < 2**63:
            raise ValueError(f"block is {self.block!s:.40}, which no chain has")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table answer: what its cells are, as in ``AnswerSpec``. The cells of ``key`` columns name the
    row: an answer's rows are matched by them and not by their order."""

    name: str
    kind: AnswerKind
    key: bool = False
    unit: str | None = None
    tolerance_percent: str = "0"


@dataclass(frozen=True, slots=True)
class AnswerSpec:
    """What is right.

    ``values``: one text for single answers, several for sets and lists, one text a row for tables with " | "
    between its cells; further accepted spellings of a single text answer go to ``aliases``. ``unit`` is what a
    number is counted in ("ETH", "gwei", "%"), or None. ``tolerance_percent`` is relative, a decimal text; "0"
    means exact; or a preset's name (``scoring/tolerance.py``).

    ``direction``: which way a positive number goes when the question is about a change, so that "fell by 12 %"
    is minus 12 where "up" is meant; None where words such as "rose" say nothing about the sign.
    ``bound``: which limit the question asks for, so that "at most 12 %" states an upper one; None where a bound is
    no answer.
    ``tolerance_seconds``: how far a moment may be off. ``chain``: the chain an address is on, by its name in the
    world; an answer that names another chain is wrong. ``columns``: a table's columns, in order.
    """

    kind: AnswerKind
    values: tuple[str, ...]
    unit: str | None = None
    tolerance_percent: str = "0"
    aliases: tuple[str, ...] = ()
    direction: Direction | None = None
    bound: Bound | None = None
    tolerance_seconds: int | None = None
    chain: str | None = None
    columns: tuple[Column, ...] | None = None


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
    """One question of a suite. ``stake_usd`` is what a wrong answer is taken to cost, decimal text.

    ``difficulty``: 1 is the easiest. ``project``: what the question is about; questions about one project are not
    independent of each other, so intervals are clustered by it. Without one a task is a cluster of its own.
    ``execution``: what must be carried out, where a task is judged by the state of a chain and not by its answer.
    """

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
    difficulty: int | None = None
    project: str | None = None
    execution: Execution | None = None
