"""The six questions: one of each CAIA category, at six heights, with their gold chains and recipes.

``questions.toml`` says what is asked. The truth comes from the ledger alone; the gold chain gets to the same answer
through the tools; the build fails when they disagree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from caia_replay.core.attack import AttackSurface
from caia_replay.core.expression import render
from caia_replay.core.suite import Recipe
from caia_replay.core.task import Task
from caia_replay.store.plain import build, read_toml
from caia_worldgen.finished import canary
from caia_worldgen.mini.figure import FigureBook, fill
from caia_worldgen.mini.story import CHAIN, Told

_FILE: Final = Path(__file__).with_name("questions.toml")
_TABLES: Final = read_toml(_FILE)["questions"]
RECIPES: Final = {table["shape"]: build(Recipe, table["recipe"], _FILE, table["shape"]) for table in _TABLES}
"""How model-free policies read each question shape."""


@dataclass(frozen=True, slots=True)
class Question:
    """A task, the search its shape is made with, and the sentence an attack would tell."""

    task: Task
    query: str
    claim: str

    def offer(self) -> AttackSurface:
        """What the task offers whoever attacks it."""
        return AttackSurface(self.task.id, self.query, self.claim)


def questions(told: Told, figures: FigureBook) -> tuple[Question, ...]:
    """The six, in suite order."""
    return tuple(_question(table, told, figures) for table in _TABLES)


def _question(table: Mapping[str, Any], told: Told, figures: FigureBook) -> Question:
    said = _filled({name: value for name, value in table.items() if name != "recipe"}, figures)
    block, query, claim = said.pop("block"), said.pop("query"), said.pop("claim")
    if said["answer"]["kind"] == "number":  # figures are written for people, with commas and both decimals
        said["answer"]["values"] = [render(Fraction(text.replace(",", ""))) for text in said["answer"]["values"]]
    identity = f"mini6-{said['shape']}"
    said |= {
        "id": identity,
        "language": "en",
        "anchor": {"chain": CHAIN, "block": block, "timestamp": told.times[block]},
        "canary": canary("mini", told.cast.seed, identity),
    }
    return Question(build(Task, said, _FILE, identity), query, claim)


def _filled(value: Any, figures: FigureBook) -> Any:
    """Plain data with the figures that its texts name put in."""
    if isinstance(value, str):
        return fill(value, figures)
    if isinstance(value, dict):
        return {name: _filled(item, figures) for name, item in value.items()}
    return [_filled(item, figures) for item in value] if isinstance(value, list) else value
