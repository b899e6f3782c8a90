"""A recorded suite as a folder that may be handed around: what was asked and the digests of the answers, no answer.

Vendors' terms keep their replies from being redistributed, and CAIA's questions have no licence. So a published folder
holds no byte of a reply's body, no credential, and of a withheld task neither question nor answer. ``rehydrate`` makes
the world again from the origin.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2

from caia_replay.canonical import digest_bytes
from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.core.task import Task
from caia_replay.errors import BadInput, CaiaReplayError
from caia_replay.recording.published_file import (
    CHAINS,
    FORM,
    MAX_COPIED_BYTES,
    VERSION,
    Contents,
    FileKind,
    Published,
    PublishedAnswer,
    PublishedCassette,
    SealedFile,
    cassette_form,
    contents_bytes,
    kind_of,
    read_published,
)
from caia_replay.recording.redactions import OWNER_TAG, Phrases, is_withheld, withhold
from caia_replay.recording.scrub import refuse_leaks, scrub, secrets_of
from caia_replay.recording.secret_scanner import key_like
from caia_replay.recording.wire import place
from caia_replay.store.plain import thawed, toml_text
from caia_replay.store.plain_file import open_plain, read_plain
from caia_replay.store.seal import MANIFEST, UNFINISHED, check_seal, digest_file, digest_files, write_atomic
from caia_replay.store.target_file import TARGETS
from caia_replay.store.world_folder import WorldFolder, load_task


@dataclass(frozen=True, slots=True)
class Publication:
    """What was published: ``withheld_tasks`` have digests for their words, ``withheld_requests`` repeat a question and
    are not told, ``left_out`` are sealed files of no published kind or that repeat a question."""

    path: Path
    seal: str
    cassettes: int
    answers: int
    withheld_requests: int
    withheld_tasks: tuple[str, ...]
    left_out: tuple[str, ...]
    chains: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        """For a terminal."""
        texts = [f"published {self.path}: {self.answers} answers of {self.cassettes} cassettes, without their bodies"]
        texts += [f"chain snapshots copied: {', '.join(self.chains)}"] if self.chains else []
        texts += [f"{len(self.withheld_tasks)} tasks without their words"] if self.withheld_tasks else []
        if self.withheld_requests:
            texts.append(f"{self.withheld_requests} requests repeat a withheld question and are not told")
        return [*texts, *(f"left out: {name}" for name in self.left_out), f"the world's seal: {self.seal}"]


def publish(
    world: WorldFolder,
    out: Path,
    *,
    keep_questions: bool = False,
    chains: bool = False,
    secrets: Collection[str] = frozenset(),
    harmless: Collection[str] = frozenset(),
) -> Publication:
    """Write what may be told of ``world`` to the folder ``out``, whole or not at all.

    A task tagged ``caia`` is always withheld; any other is unless ``keep_questions`` says that its words are the
    publisher's to give. ``chains`` copies the chain snapshots, which are facts, beside it. ``secrets`` are values that
    must not be in what is written; ``harmless`` are values that look like keys in an address and are none.

    Raises ``BadInput``, and writes nothing, when ``out`` exists, when the world is not sealed as it is, when a
    recording holds a credential, and when a task's tool-chain or a file that is no task repeats a withheld question.
    """
    check_seal(world.path, world.snapshots)
    if os.path.lexists(out):
        raise BadInput("exists, and nothing is written over", where=out, next_command="publish to another folder")
    if any(folder == world.path.resolve() for folder in out.resolve().parents):
        raise BadInput("lies inside the world that is to be published", where=out)
    hidden = {task.id: task for task in _tasks(world) if OWNER_TAG in task.tags or not keep_questions}
    phrases = Phrases(task.question for task in hidden.values() if not is_withheld(task))
    stage = out.absolute().with_name(f".{out.name}.{os.getpid()}{UNFINISHED}")
    try:
        writer = _Writer(world, stage, phrases, hidden, frozenset(harmless))
        writer.write_files()
        copied = writer.copy_chains() if chains else {}
        contents = Contents(VERSION, world.info.id, world.seal.digest, writer.files, dict(world.seal.chains), copied)
        write_atomic(stage / FORM, contents_bytes(contents))
        for path in sorted(stage.rglob("*")) if secrets else ():
            if path.is_file():
                refuse_leaks(path.read_bytes(), secrets, path.relative_to(stage))
        found = read_published(stage)  # what is handed around can be read
        stage.rename(out)
    except OSError as fault:
        raise BadInput(f"cannot be written: {fault.strerror}", where=fault.filename or out) from fault
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return Publication(
        out,
        world.seal.digest,
        len(found.cassettes),
        sum(len(cassette.answers) for cassette in found.cassettes.values()),
        sum(cassette.withheld for cassette in found.cassettes.values()),
        tuple(hidden),
        tuple(name for name, file in writer.files.items() if file.kind == "left-out"),
        tuple(copied),
    )


def _tasks(world: WorldFolder) -> Iterator[Task]:
    """Every task of the world, those too that its suite does not name."""
    for name in world.seal.files:
        folder, _, file = name.rpartition("/")
        if folder.startswith("tasks/") and file == "task.toml":
            yield load_task(world.path / folder)


class _Writer:
    """Fills the staging folder, and notes in ``files`` what became of each sealed file."""

    def __init__(
        self, world: WorldFolder, stage: Path, phrases: Phrases, hidden: dict[str, Task], harmless: frozenset[str]
    ) -> None:
        self._world = world
        self._stage = stage
        self._phrases = phrases
        self._hidden = hidden
        self._harmless = harmless
        self.files: dict[str, SealedFile] = {}

    def write_files(self) -> None:
        """Every sealed file in the order of names, each once."""
        known = self._world.seal.files
        for name, sealed in known.items():
            kind = self._written(name, kind_of(name))
            self.files[name] = SealedFile(sealed, kind)

    def copy_chains(self) -> dict[str, dict[str, str]]:
        """The world's chain snapshots below chain_snapshots/: their files' digests by name."""
        found: dict[str, dict[str, str]] = {}
        for chain in self._world.seal.chains:
            origin = self._world.snapshots / chain
            found[chain] = digest_files(origin)
            shutil.copytree(origin, self._stage / CHAINS / chain)
        return found

    def _written(self, name: str, kind: FileKind) -> FileKind:
        path = self._world.path / name
        task_id = name.split("/")[1] if name.startswith("tasks/") else ""
        if name == f"tasks/{task_id}/task.toml" and task_id in self._hidden:
            text = toml_text(thawed(withhold(self._hidden[task_id])))
            if self._phrases.are_in(text):
                raise BadInput(
                    "repeats a question that may not be published, in its tool-chain or notes",
                    where=path,
                    next_command="say it in other words, and seal again",
                )
            write_atomic(self._stage / name, text.encode())
            return "withheld"
        if kind == "cassette":
            write_atomic(self._stage / name, cassette_form(self._cassette(path)))
        elif kind == "copied":
            data = read_plain(path, MAX_COPIED_BYTES)
            # A lie is told about a question, in words near its own: with the questions go the campaigns.
            is_of_lies = name == TARGETS or name.startswith("overlays/")
            if (self._hidden and is_of_lies) or self._phrases.are_in(data.decode("utf-8", "replace")):
                if name in ("world.toml", "suite.toml"):
                    raise BadInput("repeats a question that may not be published", where=path)
                return "left-out"
            if digest_bytes(data) != self._world.seal.files[name]:
                raise BadInput("changed while it was published", where=path, next_command="publish again")
            write_atomic(self._stage / name, data)
        return kind

    def _cassette(self, path: Path) -> PublishedCassette:
        answers, withheld = [], 0
        for item in Cassette.open(path).interactions:
            if self._phrases.are_in(item.uri) or self._phrases.are_in(item.request_body.decode("utf-8", "replace")):
                withheld += 1
                continue
            self._require_clean(item, path)
            answers.append(PublishedAnswer.of(item))
        return PublishedCassette(tuple(answers), withheld)

    def _require_clean(self, item: Interaction, path: Path) -> None:
        """Raise ``BadInput`` for an exchange whose request or reply headers hold what may be a credential."""
        try:
            where = f"{item.method} {place(item.uri)}"
            keys = [found for found in key_like(item.uri) if found not in self._harmless]
            clean = scrub(item) == item and not secrets_of(item) and not keys
        except (ValueError, httpx2.InvalidURL, CaiaReplayError):
            where, clean = "an address that cannot be taken apart", False
        if not clean:
            raise BadInput(
                f"{where} holds what may be a credential; nothing is published",
                where=path,
                next_command=f"caia-replay lint {path}, or pass a value that is none as harmless",
            )


def install_chain(found: Published, chain: str, target: Path) -> bool:
    """Copy the published files of ``chain`` to the folder ``target``; False when that is there already, and stays.

    Raises ``BadInput``, and leaves nothing, when a file is a link, is no plain file, or is not the one that was sealed.
    """
    if os.path.lexists(target):
        return False
    files = found.contents.chain_files[chain]
    if files.get(MANIFEST) != found.contents.chains[chain]:
        raise BadInput(f"the files of chain {chain} are not of the manifest that was sealed", where=found.folder / FORM)
    stage = target.with_name(f".{target.name}.{os.getpid()}{UNFINISHED}")
    try:
        stage.mkdir(parents=True)
        for name, digest in sorted(files.items()):
            _copy(found.folder, f"{CHAINS}/{chain}/{name}", stage / name)
            if digest_file(stage / name) != digest:
                raise BadInput("was changed since it was published", where=found.folder / CHAINS / chain / name)
        stage.rename(target)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return True


def _copy(folder: Path, name: str, target: Path) -> None:
    path = folder / name
    if any(step.is_symlink() for step in (path, path.parent, path.parent.parent)):
        raise BadInput("is a link, or lies behind one", where=path)
    try:
        source = open_plain(path)
    except OSError as fault:
        raise BadInput(f"cannot be read: {fault.strerror}", where=path) from None
    with source, target.open("xb") as copy:
        shutil.copyfileobj(source, copy)
