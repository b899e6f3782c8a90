"""Lint of a world's index: it must say what the cassettes say, and must not be another world's.

Replay believes an index as far as this user's key proves it and builds a new one otherwise, without a word
(docs/decisions/0005). Lint is where somebody looks: it refuses an index that this user made of something else and that
lies in this world's place, and compares every answer of the one in use with the parsed cassettes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from caia_replay.cassette.answer import Answers
from caia_replay.cassette.cassette import Cassette
from caia_replay.cassette.identity import describe
from caia_replay.cassette.index import CassetteIndex, Source
from caia_replay.cassette.index_file import Damaged, is_of_key, open_index_file
from caia_replay.cassette.recordings import AnswerStore, MemoryStore
from caia_replay.errors import BadInput
from caia_replay.store.private_folder import index_key, private_folder
from caia_replay.store.world_folder import WorldFolder, cache_of
from caia_replay.validation.cassette import shown

HTTP = "http"
"""The folder of a world's indexes below ``.cache/``."""

_REMOVE = "rm -r .cache beside cassettes/"


def refuse_foreign_index(folder: WorldFolder) -> None:
    """Raise ``BadInput`` for a file in the place of this world's index that this user's key made for another place.

    To be asked before the world is opened: opening builds such an index anew. No other file is looked into: a name
    that the key did not give could be a stranger's, and Arrow would read it.
    """
    key, place = index_key(private_folder()), cache_of(folder.path) / HTTP
    if key is None or place.is_symlink() or not place.is_dir() or not any(place.iterdir()):
        return
    with TemporaryDirectory() as empty:
        fresh = _index(folder, Path(empty))
    if fresh.path is None:
        return
    path = place / fresh.path.name
    if is_of_key(path, key) and not _is_sealed(path, key):
        what = "an index that was made of other cassettes, or changed since"
        raise BadInput(what, where=path, next_command=f"rm {path}")


def index_faults(folder: WorldFolder, cassettes: Mapping[Path, Cassette]) -> Iterator[str]:
    """Every difference between the answers of the world's index and those of its cassettes, a line each."""
    index = _index(folder, cache_of(folder.path) / HTTP)
    shared = MemoryStore(list(cassettes.values()))
    yield from _differences(index.store(), shared)
    if list(index.store().questions()) != list(shared.questions()):
        yield f"the index has other questions than the cassettes; next: {_REMOVE}"
    for path, cassette in cassettes.items():
        own = MemoryStore([cassette])
        yield from _differences(index.store(path), own)


def _index(folder: WorldFolder, place: Path) -> CassetteIndex:
    """The world's index as ``FrozenWorld`` opens it, kept in ``place``."""
    return CassetteIndex([Source.of(path) for path in folder.cassettes()], place, folder.path.resolve().name)


def _differences(found: AnswerStore, wanted: AnswerStore) -> Iterator[str]:
    for key in wanted.questions():
        if _told(found.answers(key)) != _told(wanted.answers(key)):
            yield f"the index answers otherwise than the cassettes: {shown(describe(key)):.300}; next: {_REMOVE}"


def _told(answers: Answers | None) -> list[tuple[object, ...]]:
    """All that is served of the answers to a question, in order, and all that was recorded of them."""
    every = answers.every if answers else ()
    return [(one.status, one.reason, one.lines, one.body, one.ids, one.key, one.interaction) for one in every]


def _is_sealed(path: Path, key: bytes) -> bool:
    try:
        open_index_file(path, key)
    except Damaged:
        return False
    return True
