"""What lint and ``task check`` ask of a task: its question, stake, execution, moment and recipe, and its patterns.

A replay and ``verify`` refuse a task by the same functions of ``scoring``: ``stake_fault``, ``check_execution``. What
they ask of a suite's list, ``verify`` and lint ask by ``suite_faults``.
Regular expressions of recipes and gold chains are weighed (``core.pattern``) before any of them is matched: one that
takes a year is a way to stop whoever opens the world.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from caia_replay.core.expression import REFERENCE
from caia_replay.core.gold import GoldChain
from caia_replay.core.pattern import tame
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.suite import Recipe, Suite
from caia_replay.core.task import NO_BLOCK, Task
from caia_replay.errors import BadInput, Miss, nearest
from caia_replay.scoring.loss import stake_fault
from caia_replay.scoring.spec import check_execution
from caia_replay.tools.catalog import CATALOG, WALLET, CatalogTool, catalog_of
from caia_replay.world.world import FrozenWorld

PAGE_CHARACTERS = 20_000
"""How long a text the patterns over pages and tool results are weighed for."""

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def suite_faults(suite: Suite) -> Iterator[str]:
    """What is wrong with a suite's list of tasks: a replay refuses one that it would play twice."""
    counts = Counter(entry.id for entry in suite.entries)
    yield from (f"lists task {name!r:.90} {count} times" for name, count in counts.items() if count > 1)


def task_faults(world: FrozenWorld, task: Task) -> Iterator[str]:
    """What is wrong with a task, whoever looks at it: its question, stake, execution, moment, recipe and patterns."""
    if not task.question.strip():
        yield "the question is empty"
    if fault := stake_fault(task):
        yield fault
    if task.execution is not None:
        yield from (f"execution: {what}" for what in check_execution(task.execution))
        for chain in task.execution.chains:
            if chain not in world.snapshots:
                yield f"execution: no chain {chain!r:.60}; nearest: {nearest(chain, world.snapshots)}"
    yield from _moment_faults(world, task)
    yield from _shape_faults(world, task)
    yield from gold_pattern_faults(task.gold)


def _moment_faults(world: FrozenWorld, task: Task) -> Iterator[str]:
    """Why the task's moment is not that of its block; nothing where the block is not recorded, or there is none."""
    anchor, snapshot = task.anchor, world.snapshots.get(task.anchor.chain)
    if anchor.timestamp < 0:
        if world.folder.info.provenance != "live":
            yield f"anchor timestamp is {anchor.timestamp}: nobody has looked up when it is asked"
        return
    if anchor.block == NO_BLOCK or snapshot is None:
        return
    moments = []
    for block in (anchor.block, anchor.block + 1):
        try:
            moments.append(int(snapshot.header(block)["timestamp"], 16))
        except Miss:
            moments.append(-1)
    here, later = moments
    if here > anchor.timestamp:
        yield f"anchor timestamp is {anchor.timestamp}, its block's is {here}"
    elif 0 <= here < anchor.timestamp and 0 <= later <= anchor.timestamp:
        yield f"anchor timestamp is {anchor.timestamp}, and the block after its own is of {later}"


def _shape_faults(world: FrozenWorld, task: Task) -> Iterator[str]:
    """What is wrong with the recipe by which policies read the task's question."""
    recipes = world.folder.suite.recipes
    if task.shape in recipes:
        yield from recipe_faults(recipes[task.shape], task, catalog_of(world.folder))
    elif recipes and world.folder.info.provenance == "synthetic":
        known = nearest(task.shape, recipes) or ", ".join(recipes)
        shape = f"{task.shape:.80}"
        yield f"shape {shape!r} has no recipe; nearest: {known}; next: add [recipes.{shape}] to suite.toml"


def shape_of(recipes: Mapping[str, Recipe], task: Task) -> str | None:
    """The one shape whose recipe reads a task's question; None where there is none, or several are."""
    reading = [name for name, recipe in recipes.items() if not [*recipe_faults(recipe, task)]]
    return reading[0] if len(reading) == 1 else None


def recipe_faults(recipe: Recipe, task: Task, tools: Mapping[str, CatalogTool] = CATALOG) -> Iterator[str]:
    """What is wrong with a recipe's patterns, whether it reads the task's question, and then with its acts."""
    patterns = {"pattern": recipe.pattern} | ({"chain.pattern": recipe.chain.pattern} if recipe.chain else {})
    wild_ones = {field: fault for field, pattern in patterns.items() if (fault := _wild(pattern, PAGE_CHARACTERS))}
    yield from (f"recipe of shape {task.shape!r}, {field}: {fault}" for field, fault in wild_ones.items())
    forms = (recipe.question, *(recipe.also or ()))
    wild = [fault for form in forms if (fault := _wild(form, len(task.question)))]
    yield from (f"recipe of shape {task.shape!r}, question: {fault}" for fault in wild)
    if wild:
        return
    if not any(re.search(form, task.question) for form in forms):
        yield f"recipe of shape {task.shape!r} does not read this question"
    elif recipe.acts and not wild_ones:
        yield from (f"recipe of shape {task.shape!r}, acts: {fault}" for fault in act_faults(recipe, task, tools))


def act_faults(recipe: Recipe, task: Task, tools: Mapping[str, CatalogTool] = CATALOG) -> Iterator[str]:
    """What is wrong with the acts of a recipe that reads the task's question and whose patterns are sound.

    Tools and arguments that are not there, what cannot be filled in from the question, references, and texts that
    hold what only the task may know: its answer, or what a temptation rests on.
    """
    known = {**tools, **WALLET}
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


def gold_pattern_faults(chain: GoldChain, characters: int = PAGE_CHARACTERS) -> Iterator[str]:
    """What is wrong with the patterns of ``match`` in a gold chain, over texts of at most ``characters``."""
    for expression in _expressions(chain):
        for pattern in _patterns(expression):
            if pattern is None:
                yield "gold matches a pattern that is not written in the task: write it in quotes"
            elif fault := _wild(pattern, characters):
                yield f"gold matches {pattern!r:.100}: {fault}"


def _wild(pattern: str, characters: int) -> str:
    try:
        tame(pattern, characters)
    except ValueError as fault:
        return str(fault)
    return ""


def _expressions(chain: GoldChain) -> Iterator[str]:
    yield chain.result
    for step in chain.steps:
        yield from (text[2:] for text in texts_in(step.arguments) if text.startswith("= "))


def _patterns(expression: str) -> Iterator[str | None]:
    """The second argument of every ``match``; None where it is computed. What does not parse is told when it is run."""
    quoted: dict[str, str] = {}

    def stand_in(found: re.Match[str]) -> str:
        name = f"r{len(quoted)}_"
        quoted[name] = found[0]
        return name

    source = re.sub(f"{_QUOTED.pattern}|{REFERENCE.pattern}", stand_in, expression[:1_000])
    try:
        tree = ast.parse(source.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="match"), args=[_, ast.Name(id=name)]) if name in quoted:
                yield None if quoted[name].startswith("$") else quoted[name][1:-1]
            case ast.Call(func=ast.Name(id="match"), args=[_, _]):
                yield None


def texts_in(value: Any) -> Iterator[str]:
    """Every text in an argument, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (Mapping, list, tuple)):
        for child in value.values() if isinstance(value, Mapping) else value:
            yield from texts_in(child)
