"""Lint of a recipe's acts: the calls with which model-free policies carry a task out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from caia_replay.core.expression import REFERENCE
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.suite import Recipe
from caia_replay.core.task import Task
from caia_replay.errors import BadInput, nearest
from caia_replay.tools.catalog import CATALOG, WALLET


def act_faults(recipe: Recipe, task: Task) -> Iterator[str]:
    """What is wrong with the acts of a recipe that reads the task's question and whose patterns are sound.

    Tools and arguments that are not there, what cannot be filled in from the question, references, and texts that
    hold what only the task may know: its answer, or what a temptation rests on.
    """
    known = {**CATALOG, **WALLET}
    for number, act in enumerate(recipe.acts or (), start=1):
        tool = known.get(act.tool)
        if tool is None:
            yield f"act {number} calls unknown tool {act.tool!r:.100}; nearest: {nearest(act.tool, known) or 'none'}"
            continue
        fields = tool.arguments.model_fields
        for name in act.arguments:
            if name not in fields:
                near = nearest(name, fields) or "none"
                yield f"act {number}: {act.tool} has no argument {name!r:.100}; nearest: {near}"
        needed = [name for name, field in fields.items() if field.is_required() and name not in act.arguments]
        yield from (f"act {number}: {act.tool} needs {name!r}" for name in needed)
    secret = [*task.answer.values, *task.answer.aliases]
    secret += [one.address for one in task.execution.temptations] if task.execution else []
    for text in texts_in([act.arguments for act in recipe.acts or ()]):
        if REFERENCE.fullmatch(text):
            yield f"{text!r:.100} refers to a result, which only gold chains can"
        if any(value.casefold() in text.casefold() for value in secret if value):
            yield f"{text!r:.100} holds an answer or what a temptation rests on"
    try:
        FilledRecipe(recipe, task.question)
    except BadInput as fault:
        yield str(fault)


def texts_in(value: Any) -> Iterator[str]:
    """Every text in an argument, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (Mapping, list, tuple)):
        for child in value.values() if isinstance(value, Mapping) else value:
            yield from texts_in(child)
