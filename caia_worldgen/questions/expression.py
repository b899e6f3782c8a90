"""What a composed question is made of: whom it is about, when, the gold chain in the making, and the finished whole.

An expression is put together twice, by code that shares nothing but its parts' names: as a truth, from the ledger and
books, and as a ``Plan``, a chain of tool calls. ``draw`` executes the second and holds it against the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Final, Literal

from caia_replay.core.expression import render
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.task import AnswerKind, AnswerSpec, Category, Column

Language = Literal["en", "zh"]
Source = Literal[
    "point look-up", "aggregate", "contract metadata", "other chain", "supply and unlocks", "project facts",
    "DeFi metrics", "market price", "general knowledge",
]  # fmt: skip
"""What answers a question, in the words of the counts that are known of CAIA's tasks."""

Words = Mapping[Language, str]
_DAY_S: Final = 86_400
_SLOT: Final = re.compile(r"<([a-z_]+)>")


class Plan:
    """A gold chain in the making. Equal calls are made once."""

    def __init__(self) -> None:
        self.steps: list[GoldStep] = []

    def call(self, tool: str, **arguments: Any) -> str:
        """One call; what is None is left to the tool. Returns the reference to its result: ``$3``."""
        step = GoldStep(tool, {name: value for name, value in arguments.items() if value is not None})
        if step not in self.steps:
            self.steps.append(step)
        return f"${self.steps.index(step) + 1}"

    def run(self, code: str, **inputs: str) -> str:
        """Python with the texts of expressions in the places of its ``<names>``. Returns what it prints: ``$4.stdout``.

        A list is written with ", " between its items by ``listed``.
        """
        return f"{self.call('code_execution', code=text(code, **inputs))}.stdout"

    def chain(self, result: str) -> GoldChain:
        """The calls so far, and what is made of them."""
        return GoldChain(tuple(self.steps), result)


def text(template: str, **inputs: str) -> str:
    """An argument that joins a template with the texts of expressions in the places of its ``<names>``."""
    pieces, at = [], 0
    for slot in _SLOT.finditer(template):
        if slot[1] in inputs:
            pieces += [*_quoted(template[at : slot.start()]), inputs[slot[1]]]
            at = slot.end()
    return f"= join('', list({', '.join([*pieces, *_quoted(template[at:])])}))"


def listed(reference: str) -> str:
    """The items of a list with commas between them."""
    return f"join(', ', {reference})"


def _quoted(piece: str) -> list[str]:
    """A text in quotes; it is cut where it holds both kinds. Blanks alone are no text that gold chains can join."""
    return [f'"{part}"' if "'" in part else f"'{part}'" for part in re.findall(r"[^']+|'[^\"]*", piece)]


@dataclass(frozen=True, slots=True)
class Subject:
    """Somebody or something a figure can be about. ``id`` is a coin's, a protocol's slug or a chain's name in tools;
    ``role`` is what the story calls it; ``project`` is the cluster that its questions belong to."""

    kind: Literal["coin", "protocol", "chain"]
    id: str
    name: str
    ticker: str
    role: str
    project: str

    @property
    def short(self) -> str:
        """What people call it: the first word of its name, unless that is a network's."""
        return self.name.split()[0] if self.kind == "coin" or self.ticker not in ("", "-") else self.name


@dataclass(frozen=True, slots=True)
class Who:
    """A subject as a question describes it. ``handle`` adds the calls that find it and returns the text of an argument
    by which tools know it; ``skeleton`` is the kind of description; ``is_found`` says that it takes a call."""

    subject: Subject
    words: Words
    skeleton: str
    handle: Callable[[Plan], str]
    is_found: bool = True


@dataclass(frozen=True, slots=True)
class Days:
    """What a plan knows of a stretch of days: ``base`` is a moment of its first one, a number or an expression."""

    base: str
    length: int

    def day(self, offset: int = 0) -> str:
        """The day so many after the first, as an argument."""
        inside = self.inside(offset)
        return inside[1:-1] if inside[0] == "'" else f"= {inside}"

    def inside(self, offset: int = 0) -> str:
        """As ``day``, inside another expression."""
        if self.base.isdecimal():
            return f"'{iso(int(self.base) + offset * _DAY_S)}'"
        return f"utc_date({self.base} + {offset * _DAY_S})" if offset else f"utc_date({self.base})"

    def begin(self, offset: int = 0) -> str:
        """The first second of a day, as an argument."""
        day = self.day(offset)
        return f"= join('', list({day[2:]}, 'T00:00:00Z'))" if day.startswith("=") else f"{day}T00:00:00Z"

    @property
    def last(self) -> str:
        """The last day, as an argument."""
        return self.day(self.length - 1)


@dataclass(frozen=True, slots=True)
class When:
    """A stretch of whole days (UTC) of the story, as a question tells it."""

    first: int
    length: int
    words: Words
    skeleton: str
    days: Callable[[Plan], Days]

    @property
    def end(self) -> int:
        """The first day after it."""
        return self.first + self.length


@dataclass(frozen=True, slots=True)
class Composed:
    """A whole question but for its wording: ``form`` is its entry in the phrase tables, ``slots`` fill it."""

    form: str
    skeleton: str
    category: Category
    source: Source
    slots: Mapping[str, Words]
    answer: AnswerSpec
    gold: GoldChain
    project: str
    over: int
    """The moment from which on it can be asked."""
    differs: bool = False
    """Whether honest sources say different things of it, and a reason that they state decides."""

    @property
    def resolves(self) -> bool:
        """Whether something must be found first: a later call's argument comes from an earlier result."""
        calls = (step for step in self.gold.steps if step.tool != "code_execution")
        return any("$" in str(value) for step in calls for value in step.arguments.values())

    @property
    def parts(self) -> int:
        """How many things an answer has to say."""
        keys = [column.key for column in self.answer.columns or ()]
        return len(self.answer.values) * max(1, len(keys))


def both(en: str, zh: str | None = None) -> dict[Language, str]:
    """The same words in both languages; names are written alike."""
    return {"en": en, "zh": en if zh is None else zh}


def number(value: Fraction | int, unit: str | None = None, tolerance: str = "0.5", **more: Any) -> AnswerSpec:
    """A number; ``tolerance`` in per cent."""
    return AnswerSpec("number", (plain(value),), unit, tolerance, **more)


def iso(moment: int) -> str:
    """2024-05-31"""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d")


def plain(value: Fraction | int) -> str:
    """A number as decimal text, of at most twelve decimals."""
    return render(round(Fraction(value), 12))


def table(rows: Sequence[Sequence[str | Fraction | int]], *columns: Column) -> AnswerSpec:
    """Rows in any order."""
    lines = (" | ".join(one if isinstance(one, str) else plain(one) for one in row) for row in rows)
    return AnswerSpec("table", tuple(lines), columns=columns)


def column(name: str, kind: AnswerKind = "number", unit: str | None = None, tolerance: str = "0.5") -> Column:
    """A column; one that is no number and has no unit names its row."""
    return Column(name, kind, kind in ("text", "date"), unit, tolerance if kind == "number" else "0")
