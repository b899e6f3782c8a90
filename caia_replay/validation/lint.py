"""Lint: worlds and snapshots checked as data, every fault one finding.

A broken seal, an unreadable file or another world's index ends the check of that folder as ``BadInput`` (exit code 2);
what can be read but is wrong is a finding (exit code 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from caia_replay.cassette.cassette import Cassette, bodies_of
from caia_replay.cassette.side_file import FOLDER as BODIES
from caia_replay.cassette.side_file import side_files, strays
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import reseal
from caia_replay.core.expression import references
from caia_replay.core.gold import NO_CHAIN_TAGS, gold_tag
from caia_replay.core.task import NO_BLOCK, Task
from caia_replay.errors import BadInput, Miss, nearest, one_line
from caia_replay.recording.import_vcr import SUFFIXES, as_recorded, cassette_names
from caia_replay.recording.scrub import find_secrets
from caia_replay.scoring.spec import check_spec
from caia_replay.store.plain_file import folders_below, read_plain
from caia_replay.store.private_cache import kept_folder
from caia_replay.store.seal import MANIFEST, SEAL, write_atomic
from caia_replay.store.target_file import TARGETS, read_targets
from caia_replay.store.world_folder import TASK_CASSETTES, WorldFolder, open_world, seal_world
from caia_replay.tools.catalog import WALLET, catalog_of
from caia_replay.validation.cassette import cassette_faults, shown
from caia_replay.validation.conditions import suite_faults, task_faults
from caia_replay.validation.gold import unplayed_faults
from caia_replay.validation.index import index_faults, refuse_foreign_index
from caia_replay.validation.page import overlay_faults, recorded_pages, target_faults
from caia_replay.validation.stale import stale_faults
from caia_replay.world.corpus import read_corpus
from caia_replay.world.world import FrozenWorld


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: the file it is in, and what is wrong.

    ``of_recording``: it is about recordings as they came, or about what is still to be recorded. A world may be sealed
    with it: a recording is not for its owner to change, and ``record`` takes no world whose seal is broken.
    """

    where: Path
    what: str
    of_recording: bool = False


def targets(paths: tuple[Path, ...], start: Path) -> list[Path]:
    """The world and snapshot folders that ``paths`` stand for, snapshots first; by default all of ``start``'s.

    A path may be such a folder, a folder that holds some, any file inside one, or a cassette, or folder of cassettes,
    that lies in none.
    """
    if not paths:
        both = (start / "chain_snapshots", start / "cassettes")
        paths = tuple(path for path in both if path.exists()) or both  # a world may stand on no chain
    found: dict[Path, None] = {}
    for path in paths:
        inside = [folder for folder in (path, *path.absolute().parents) if _is_target(folder)]
        below = [entry for entry in sorted(path.glob("*")) if _is_target(entry)]
        deeper = [entry for entry in sorted(path.glob("*/*")) if _is_target(entry)]
        alone = [path] if (path.is_file() and path.suffix.lower() in SUFFIXES) or _holds_cassettes(path) else []
        chosen = inside[:1] or below or deeper or alone
        if not chosen:
            raise BadInput(
                "no world and no chain snapshot here, nor is it a cassette",
                where=path,
                next_command="caia-replay lint FOLDER",
            )
        found.update(dict.fromkeys(chosen))
    return sorted(found, key=lambda folder: (_is_world(folder), folder))


def seal(folder: Path) -> str:
    """Seal a world or a snapshot as it is now; returns what was done."""
    if not _is_target(folder):
        raise BadInput(
            "a cassette outside a world has no seal", where=folder, next_command=f"caia-replay lint {folder}"
        )
    if _is_world(folder):
        _require_plain_names(folder)
        tasks = (path for name in TASK_CASSETTES for path in sorted(folder.glob(f"tasks/*/{name}")))
        for path in (*sorted(folder.glob("http/*.json")), *tasks):
            Cassette.open(path)  # what cannot be read is not worth a seal
        return f"sealed world {folder}: {seal_world(folder).digest}"
    reseal(folder)
    return f"sealed snapshot {folder}"


def seal_and_lint(folder: Path) -> tuple[str, list[Finding]]:
    """Seal a folder and check it under that seal; returns what was done, and every finding.

    With a finding that is not ``of_recording``, and when the check cannot be ended, a world's seal is put back as it
    was, or taken away where there was none. A snapshot is written anew whole or not at all, and has no findings.
    """
    if folder.is_file() or not _is_world(folder):
        return seal(folder), list(lint(folder))
    path = folder / SEAL
    before = read_plain(path) if path.exists() else None
    done, sound = seal(folder), False
    try:
        found = list(lint(folder))
        sound = all(finding.of_recording for finding in found)
    finally:
        if not sound and before is not None:
            write_atomic(path, before)
        elif not sound:
            path.unlink(missing_ok=True)
    as_it_was = "its seal is as it was" if before is not None else "it has no seal"
    return done if sound else f"not sealed: {folder}: {as_it_was}", found


def lint(folder: Path) -> Iterator[Finding]:
    """Every finding in one world, snapshot, cassette, or folder of cassettes. Opening it checks seals, schemas and
    digests first; what is no cassette in a folder of them is a finding."""
    if folder.is_file() or not _is_target(folder):
        yield from _loose_faults(folder)
        return
    if not _is_world(folder):
        Snapshot.open(folder)
        return
    _require_plain_names(folder)
    opened = open_world(str(folder))
    refuse_foreign_index(opened)
    with FrozenWorld(opened) as world:
        for finding in _world_faults(world):
            yield replace(finding, what=one_line(finding.what))


def _loose_faults(path: Path) -> Iterator[Finding]:
    """Findings in a cassette that lies in no world, or in all of those below a folder, whoever recorded them."""
    found: dict[Path, Cassette] = {}
    for file in [path] if path.is_file() else [path / name for name in cassette_names(path)]:
        try:
            if path.is_dir() and file.is_symlink():
                raise BadInput("is a link, and links are not followed", where=file)
            found[file] = as_recorded(file)
        except BadInput as fault:
            if path.is_file():
                raise
            yield Finding(file, one_line(f"is no cassette: {fault.what}"))
    for file, cassette in found.items():
        yield from (Finding(file, one_line(shown(one))) for one in find_secrets(cassette))
    yield from (Finding(file, one_line(what), True) for file, what in cassette_faults(found))


def _world_faults(world: FrozenWorld) -> Iterator[Finding]:
    folder = world.folder
    cassettes = {path: Cassette.open(path) for path in folder.cassettes()}
    # Those of the base are sealed, and linted as a world of its own.
    own_cassettes = {path: one for path, one in cassettes.items() if path.is_relative_to(folder.path)}
    for path, cassette in own_cassettes.items():
        yield from (Finding(path, shown(found)) for found in find_secrets(cassette))  # an address may name its user
    yield from (Finding(path, what, True) for path, what in cassette_faults(own_cassettes))
    yield from (Finding(folder.path, what) for what in index_faults(folder, cassettes))
    if world.web.corpus != read_corpus(world.recordings(None)):
        yield Finding(folder.path, f"the pages kept of it are not those it holds; next: rm -r {kept_folder()}")
    yield from _stray_bodies(folder, own_cassettes)
    if not folder.info.id == folder.suite.id == folder.path.resolve().name:
        ids = f"{folder.info.id!r} in world.toml, {folder.suite.id!r} in suite.toml"
        yield Finding(folder.path, f"the id is {ids}: results would be taken for another world's")
    yield from (Finding(folder.path / "suite.toml", what) for what in suite_faults(folder.suite))
    pages = recorded_pages(world)
    yield from (Finding(folder.path, what, True) for what in pages.faults)
    questions: dict[str, str] = {}
    for entry in folder.suite.entries:
        task = folder.task(entry.id)
        where = folder.path / "tasks" / task.id
        yield from (Finding(where / "task.toml", what, True) for what in _unrecorded(world, task))
        yield from (Finding(where / "task.toml", what) for what in _sealed_task_faults(world, task))
        yield from (Finding(where / "task.toml", f"answer: {what}") for what in check_spec(task.answer))
        if task.question in questions:
            yield Finding(where / "task.toml", f"asks the same question as {questions[task.question]}")
        questions.setdefault(task.question, task.id)
        gold, moment = (where / name for name in TASK_CASSETTES)
        for own in (path for path in (gold, moment) if path in cassettes):
            is_live = folder.info.provenance == "live"
            stale = stale_faults(cassettes[own].interactions, task.anchor, is_live)
            yield from (Finding(own, what, True) for what in stale)
            if own == gold and not pages.faults:
                unplayed = unplayed_faults(world, task, own, cassettes[own], pages.longest_body)
                yield from (Finding(own, what, True) for what in unplayed)
    listed = {entry.id for entry in folder.suite.entries}
    for folder_on_disk in sorted((folder.path / "tasks").glob("*")):
        if folder_on_disk.name not in listed:
            yield Finding(folder_on_disk, "task folder is in no suite")
    for path in sorted((folder.path / "overlays").glob("*.toml")):
        yield from (Finding(path, what) for what in overlay_faults(folder, folder.overlay(path.stem), pages))
    yield from (Finding(folder.path / TARGETS, what) for what in target_faults(folder, read_targets(folder.path)))


def _require_plain_names(folder: Path) -> None:
    """Raise ``BadInput`` for a name that would write on a terminal more than itself when a finding shows it."""
    top = folder.absolute()
    for at, folders, names in ((top.parent, [top.name], ()), *folders_below(folder)):
        for name in sorted((*folders, *names)):
            if not name.isprintable():
                raise BadInput(f"a name with control characters: {name!r:.100}", where=at)


def _is_world(folder: Path) -> bool:
    return (folder / "world.toml").is_file() or (folder / "seal.json").is_file()


def _is_target(folder: Path) -> bool:
    if folder.name.startswith("."):
        return False  # what a stopped recording left beside its place
    return _is_world(folder) or (folder / "manifest.json").is_file() or any(folder.glob("*__*.parquet"))


def _holds_cassettes(folder: Path) -> bool:
    """Whether a folder that is no world may hold cassettes; one with worlds somewhere below is to be named closer."""
    if not folder.is_dir() or folder.is_symlink():
        return False
    names = {Path(name).name for name in cassette_names(folder)}
    return bool(names) and names.isdisjoint((SEAL, MANIFEST))


def _stray_bodies(folder: WorldFolder, cassettes: Mapping[Path, Cassette]) -> Iterator[Finding]:
    referred: dict[Path, set[str]] = {}
    for path, cassette in cassettes.items():
        named = side_files(bodies_of(cassette.interactions))
        referred.setdefault(path.parent, set()).update(named)
    for beside in sorted(path.parent for path in folder.path.rglob(BODIES)):
        for path in strays(beside, referred.get(beside, ())):
            yield Finding(path, "no cassette beside it refers to this body; next: remove it, then lint --seal")


def _unrecorded(world: FrozenWorld, task: Task) -> Iterator[str]:
    snapshot = world.snapshots.get(task.anchor.chain)
    if snapshot is not None and task.anchor.block != NO_BLOCK:
        try:
            snapshot.header(task.anchor.block)
        except Miss as miss:
            yield f"anchor block: {miss}"


def _sealed_task_faults(world: FrozenWorld, task: Task) -> Iterator[str]:
    snapshot = world.snapshots.get(task.anchor.chain)
    is_waiting = task.anchor.timestamp < 0 and world.folder.info.provenance == "live"
    if snapshot is None and task.anchor.block != NO_BLOCK and not is_waiting:
        yield f"anchored on chain {task.anchor.chain!r}; nearest: {nearest(task.anchor.chain, world.snapshots)}"
    yield from task_faults(world, task)
    known = catalog_of(world.folder)
    tools = known if task.execution is None else {**known, **WALLET}
    for number, step in enumerate(task.gold.steps, start=1):
        if step.tool not in tools:
            yield f"gold step {number} calls unknown tool {step.tool!r}; nearest: {nearest(step.tool, tools)}"
        used = [at for value in step.arguments.values() if isinstance(value, str) for at in references(value)]
        yield from (f"gold step {number} refers to step {at}" for at in used if not 1 <= at < number)
    used = list(references(task.gold.result))
    yield from (f"gold result refers to step {at}" for at in used if not 1 <= at <= len(task.gold.steps))
    is_live = world.folder.info.provenance == "live"
    if not task.gold.steps and not (is_live and NO_CHAIN_TAGS.intersection(task.tags)):
        yield "gold has no steps: nothing proves the answer"
    excuses = [tag for tag in task.tags if tag.startswith("gold:") and tag != gold_tag("chain")]
    if not is_live:
        yield from (f"tag {tag!r:.80} is for tasks of live worlds: here every task has a chain" for tag in excuses)
