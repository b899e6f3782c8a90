"""Held-out paraphrases: a task's question as three other users would ask it, from tests/data/paraphrase.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from caia_replay.core.suite import Recipe
from caia_replay.core.task import Task

FILE = Path(__file__).with_name("data") / "paraphrase.toml"
_SLOT = re.compile(r"\{(\w+)\}")


def paraphrases(task: Task, recipe: Recipe) -> tuple[str, str, str]:
    """The task's question in other words, in its language: to type into a search box, to chat with, and formal.

    ``recipe`` is that of the task's shape; its named groups fill the templates. Raises ``LookupError`` for a shape
    without templates in the task's language, and ``ValueError`` where the question does not fill every slot.
    """
    written = _written(task.shape)
    language = "zh" if task.language == "zh" else "en"
    cases = [case for case in written.get("case", ()) if re.search(case["when"], task.question)]
    templates = next((one[language] for one in (*cases, written) if language in one), None)
    if templates is None:
        raise LookupError(f"{FILE.name} has no paraphrase of {task.shape} in {language}")
    slots = _slots(task, recipe, written)
    search, chat, formal = (_SLOT.sub(lambda slot: _text(slots, slot[1], task), one) for one in templates)
    return search, chat, formal


def groups(task: Task, recipe: Recipe) -> dict[str, str]:
    """The named groups of the first of the recipe's patterns that is found in the question. Raises ``ValueError``."""
    for pattern in (recipe.question, *(recipe.also or ())):
        if found := re.search(pattern, task.question):
            return {name: text for name, text in found.groupdict().items() if text}
    raise ValueError(f"{task.id}: no pattern of its recipe is found in {task.question!r}")


def reworded(shape: str) -> frozenset[str]:
    """The groups of a shape that templates say in words of their own."""
    return frozenset(_written(shape).get("reworded", ()))


def _slots(task: Task, recipe: Recipe, written: Mapping[str, Any]) -> dict[str, str]:
    """What can fill a slot: the recipe's groups, before the shape's own slots, before those of all shapes."""
    more = {**_read()["more"], **written.get("more", {})}
    found = {name: re.search(pattern, task.question) for name, pattern in more.items()}
    return {name: match[match.lastindex or 0] for name, match in found.items() if match} | groups(task, recipe)


def _text(slots: Mapping[str, str], name: str, task: Task) -> str:
    if name not in slots:
        raise ValueError(f"{task.id}: nothing in {task.question!r} fills {{{name}}}")
    return slots[name]


def _written(shape: str) -> dict[str, Any]:
    shapes: dict[str, dict[str, Any]] = _read()["shape"]
    if shape not in shapes:
        raise LookupError(f"{FILE.name} has no [shape.{shape}]")
    return shapes[shape]


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))
