"""Lint: worlds and snapshots checked as data, every fault one finding.

A broken seal or an unreadable file ends the check of that folder as ``BadInput`` (exit code 2);
what can be read but is wrong is a finding (exit code 1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from caia_replay.cassette.cassette import Cassette, bodies_of
from caia_replay.cassette.side_file import FOLDER as BODIES
from caia_replay.cassette.side_file import side_files, strays
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import reseal
from caia_replay.core.expression import references, same
from caia_replay.core.suite import Recipe
from caia_replay.core.task import Task
from caia_replay.errors import BadInput, Miss, nearest
from caia_replay.recording.lint_cassette import cassette_faults
from caia_replay.recording.scrub import find_secrets
from caia_replay.store.world_folder import WorldFolder, open_world, seal_world
from caia_replay.tools.catalog import CATALOG
from caia_replay.world.world import FrozenWorld


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: the file it is in, and what is wrong."""

    where: Path
    what: str


def targets(paths: tuple[Path, ...], start: Path) -> list[Path]:
    """The world and snapshot folders that ``paths`` stand for, snapshots first; by default all of ``start``'s.

    A path may be such a folder, a folder that holds some, or any file inside one.
    """
    if not paths:
        paths = (start / "chain_snapshots", start / "cassettes")
    found: dict[Path, None] = {}
    for path in paths:
        inside = [folder for folder in (path, *path.absolute().parents) if _is_target(folder)]
        below = [entry for entry in sorted(path.glob("*")) if _is_target(entry)]
        deeper = [entry for entry in sorted(path.glob("*/*")) if _is_target(entry)]
        chosen = inside[:1] or below or deeper
        if not chosen:
            raise BadInput("no world and no chain snapshot here", where=path, next_command="caia-replay lint")
        found.update(dict.fromkeys(chosen))
    return sorted(found, key=lambda folder: (_is_world(folder), folder))


def seal(folder: Path) -> str:
    """Seal a world or a snapshot as it is now; returns what was done."""
    if _is_world(folder):
        return f"sealed world {folder}: {seal_world(folder).digest}"
    reseal(folder)
    return f"sealed snapshot {folder}"


def lint(folder: Path) -> Iterator[Finding]:
    """Every finding in one world or snapshot. Opening it checks seals, schemas and digests first."""
    if not _is_world(folder):
        Snapshot.open(folder)
        return
    with FrozenWorld(open_world(str(folder))) as world:
        for path in world.folder.cassettes():
            yield from (Finding(path, found) for found in find_secrets(path))
        yield from (Finding(path, what) for path, what in cassette_faults(world.folder.cassettes()))
        yield from _stray_bodies(world.folder)
        if not world.folder.info.id == world.folder.suite.id == folder.resolve().name:
            ids = f"{world.folder.info.id!r} in world.toml, {world.folder.suite.id!r} in suite.toml"
            yield Finding(folder, f"the id is {ids}: results would be taken for another world's")
        questions: dict[str, str] = {}
        for entry in world.folder.suite.entries:
            task = world.folder.task(entry.id)
            where = world.folder.path / "tasks" / task.id / "task.toml"
            yield from (Finding(where, what) for what in _task_faults(world, task))
            if task.question in questions:
                yield Finding(where, f"asks the same question as {questions[task.question]}")
            questions.setdefault(task.question, task.id)
        for folder_on_disk in sorted((world.folder.path / "tasks").iterdir()):
            if folder_on_disk.name not in (entry.id for entry in world.folder.suite.entries):
                yield Finding(folder_on_disk, "task folder is in no suite")
        for path in sorted((world.folder.path / "overlays").glob("*.toml")):
            yield from _overlay_faults(world, path)


def _is_world(folder: Path) -> bool:
    return (folder / "world.toml").is_file() or (folder / "seal.json").is_file()


def _is_target(folder: Path) -> bool:
    if folder.name.startswith("."):
        return False  # what a stopped recording left beside its place
    return _is_world(folder) or (folder / "manifest.json").is_file() or any(folder.glob("*__*.parquet"))


def _stray_bodies(folder: WorldFolder) -> Iterator[Finding]:
    referred: dict[Path, set[str]] = {}
    for path in folder.cassettes():
        named = side_files(bodies_of(Cassette.open(path).interactions))
        referred.setdefault(path.parent, set()).update(named)
    for beside in sorted(path.parent for path in folder.path.rglob(BODIES)):
        for path in strays(beside, referred.get(beside, ())):
            yield Finding(path, "no cassette beside it refers to this body; next: remove it, then lint --seal")


def _task_faults(world: FrozenWorld, task: Task) -> Iterator[str]:
    snapshot = world.snapshots.get(task.anchor.chain)
    if snapshot is None:
        yield f"anchored on chain {task.anchor.chain!r}; nearest: {nearest(task.anchor.chain, world.snapshots)}"
    else:
        try:
            recorded = int(snapshot.header(task.anchor.block)["timestamp"], 16)
            if recorded != task.anchor.timestamp:
                yield f"anchor timestamp is {task.anchor.timestamp}, its block's is {recorded}"
        except Miss as miss:
            yield f"anchor block: {miss}"
    recipes = world.folder.suite.recipes
    recipe = recipes.get(task.shape)
    if recipe is None and recipes and world.folder.info.provenance == "synthetic":
        known = nearest(task.shape, recipes) or "none"
        yield f"shape {task.shape!r} has no recipe; nearest: {known}; next: add [recipes.{task.shape}] to suite.toml"
    elif recipe is not None:
        yield from _recipe_faults(recipe, task)
    for number, step in enumerate(task.gold.steps, start=1):
        if step.tool not in CATALOG:
            yield f"gold step {number} calls unknown tool {step.tool!r}; nearest: {nearest(step.tool, CATALOG)}"
        used = [at for value in step.arguments.values() if isinstance(value, str) for at in references(value)]
        yield from (f"gold step {number} refers to step {at}" for at in used if not 1 <= at < number)
    used = list(references(task.gold.result))
    yield from (f"gold result refers to step {at}" for at in used if not 1 <= at <= len(task.gold.steps))
    if not task.gold.steps:
        yield "gold has no steps: nothing proves the answer"


def _recipe_faults(recipe: Recipe, task: Task) -> Iterator[str]:
    try:
        if not re.search(recipe.question, task.question):
            yield f"recipe of shape {task.shape!r} does not read this question"
        re.compile(recipe.pattern)
    except re.error as fault:
        yield f"recipe of shape {task.shape!r}: {fault}"


def _overlay_faults(world: FrozenWorld, path: Path) -> Iterator[Finding]:
    overlay = world.folder.overlay(path.stem)
    known = {entry.id for entry in world.folder.suite.entries}
    values: dict[str, str] = {}
    for planted in overlay.pages:
        if planted.task not in known:
            yield Finding(path, f"plants for unknown task {planted.task!r}; nearest: {nearest(planted.task, known)}")
        elif any(same(planted.planted, value) for value in world.folder.task(planted.task).answer.values):
            yield Finding(path, f"planted value {planted.planted!r} is the right answer of {planted.task}")
        if planted.planted not in planted.page.text:
            yield Finding(path, f"{planted.page.url} does not hold its planted value {planted.planted!r}")
        if values.setdefault(planted.planted, planted.task) != planted.task:
            yield Finding(path, f"planted value {planted.planted!r} is not unique")
        if any(planted.planted in page.text for page in world.corpus):
            yield Finding(path, f"planted value {planted.planted!r} stands on a recorded page")
