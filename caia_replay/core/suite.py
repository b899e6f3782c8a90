"""A suite: which tasks, in which order, and how each question shape is read by policies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class ChainRecipe:
    """How a model-free policy asks the chain: one call, and a pattern over its JSON text."""

    tool: str
    arguments: Mapping[str, Any]
    pattern: str


@dataclass(frozen=True, slots=True)
class RecipeAct:
    """One call that a model-free policy makes once it believes an answer, in tasks that are carried out.

    In texts ``{name}`` are the question's groups and ``{answer}`` is the believed address, lower case. A text that
    begins with "= " is an expression (``core/expression.py``) without references, of which numbers come as decimal
    text; the question's numbers alone may stand in it.
    """

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How model-free policies read one question shape; the same for every task of that shape.

    ``question`` is a regular expression over the question whose named groups fill ``{name}`` in
    the other fields; ``also`` are further ones, for other wordings and languages, and the first that
    matches counts. ``pattern`` is a regular expression over page text with a group ``answer``.
    ``acts`` are the calls that carry the task out, in order.
    A recipe never holds an answer, a gold value or a planted value.
    """

    question: str
    query: str
    pattern: str
    chain: ChainRecipe | None = None
    also: tuple[str, ...] | None = None
    acts: tuple[RecipeAct, ...] | None = None


@dataclass(frozen=True, slots=True)
class SuiteEntry:
    """A task's place in a suite; dates are ISO days. A retired task stays readable but is not run."""

    id: str
    added: str
    retired: str | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """An ordered, versioned list of task ids with the recipes of their shapes."""

    id: str
    version: str
    entries: tuple[SuiteEntry, ...]
    recipes: Mapping[str, Recipe] = field(default_factory=lambda: MappingProxyType({}))

    def active(self) -> tuple[str, ...]:
        """Ids of the tasks without a ``retired`` date, in suite order; the date itself is not looked at."""
        return tuple(entry.id for entry in self.entries if entry.retired is None)
