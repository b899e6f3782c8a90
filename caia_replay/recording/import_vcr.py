"""Existing vcrpy cassettes made into ours: decoded, scrubbed, proven to replay, refused by name where that fails."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from caia_replay.cassette.cassette import Cassette, Interaction, write_cassette
from caia_replay.cassette.identity import describe, identity
from caia_replay.errors import BadInput, CheckFailed, one_line
from caia_replay.recording.content_coding import decoded
from caia_replay.recording.record import proven_cassette
from caia_replay.recording.scrub import scrub, secrets_of
from caia_replay.recording.vcr_file import read_vcr

SUFFIXES = frozenset({".yaml", ".yml", ".json"})
# All bodies of one cassette together: many small bombs are as large as a large one.
MAX_DECODED_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one cassette: ``refusal`` says why it was not taken, and is empty when it was.

    ``name`` is relative to the imported folder; ``notes`` tell what was changed or is worth knowing, one line each.
    """

    name: str
    interactions: int = 0
    notes: tuple[str, ...] = ()
    refusal: str = ""


def import_vcr(path: Path, out: Path | None) -> Iterator[Outcome]:
    """Import the cassette, or every cassette below the folder, at ``path``, in the order of names.

    With ``out``, each is written there under its relative name, ending ``.json``; nothing that exists is written over.
    Raises ``BadInput`` when ``path`` does not exist, holds no cassette or is itself one that cannot be taken, or when
    ``out`` is no folder. Of a folder, what cannot be taken is an ``Outcome``, and the others are imported.
    """
    if not path.exists():
        raise BadInput("no such file or folder", where=path, next_command="caia-replay import vcr PATH")
    if out is not None and os.path.lexists(out) and not out.is_dir():
        raise BadInput("is not a folder", where=out, next_command="caia-replay import vcr PATH --out DIR")
    found = [(name, path / name) for name in cassette_names(path)] if path.is_dir() else [(path.name, path)]
    if not found:
        endings = ", ".join(sorted(SUFFIXES))
        raise BadInput(f"holds no cassette ({endings})", where=path, next_command="caia-replay import vcr PATH")
    taken: dict[str, str] = {}
    for name, file in found:
        written = _written_name(name)
        try:
            if path.is_dir() and file.is_symlink():
                raise BadInput("is a link, and links are not followed")
            if written in taken:
                raise BadInput(f"would be written as {written}, as {taken[written]} is")
            if out is not None and os.path.lexists(out / written):
                raise BadInput(f"{out / written} exists, and nothing is written over")
            outcome, items = _imported(name, file)
            if out is not None:
                write_cassette(out / written, items)
            taken[written] = name
        except (BadInput, CheckFailed) as error:
            if isinstance(error, BadInput) and not path.is_dir():
                raise BadInput(f"refused: {error.what}", where=path) from None
            outcome = Outcome(name, refusal=one_line(error.what if isinstance(error, BadInput) else str(error)))
        yield outcome


def as_recorded(path: Path) -> Cassette:
    """Somebody's cassette to be looked at, not kept: ours, or vcrpy's, whose bodies are decoded as far as they can be.

    Raises ``BadInput`` for what is neither.
    """
    if path.suffix == ".json":
        try:
            return Cassette.open(path)
        except BadInput as ours:
            try:
                items = read_vcr(path)
            except BadInput:
                raise ours from None
    else:
        items = read_vcr(path)
    clear = []
    for item in items:
        try:
            body = decoded(item.body, item.headers.get("content-encoding", ()), MAX_DECODED_BYTES)
        except BadInput:
            body = item.body
        clear.append(replace(item, body=body))
    return Cassette(str(path), "", tuple(clear))


def cassette_names(folder: Path) -> list[str]:
    """What may be a cassette below a folder, by relative name, sorted; links to folders are named, not followed."""
    names: list[str] = []
    for root, folders, files in os.walk(folder):
        linked = [name for name in folders if Path(root, name).is_symlink()]
        cassettes = [name for name in files if Path(name).suffix.lower() in SUFFIXES]
        names += (Path(root, name).relative_to(folder).as_posix() for name in (*linked, *cassettes))
    return sorted(names)


def _written_name(name: str) -> str:
    path = PurePosixPath(name)
    return str(path.with_suffix(".json") if path.suffix.lower() in SUFFIXES else path.with_name(f"{path.name}.json"))


def _imported(name: str, file: Path) -> tuple[Outcome, tuple[Interaction, ...]]:
    """The cassette as it is to be written, with what there is to say of it."""
    recorded = read_vcr(file)
    cassette, notes = written_of(recorded, name)
    return Outcome(name, len(recorded), tuple(notes)), cassette.interactions


def written_of(recorded: Sequence[Interaction], name: str) -> tuple[Cassette, list[str]]:
    """What somebody else recorded as a cassette of ours: decoded, scrubbed and proven to replay; and what to say of it.

    ``recorded`` bodies may still be encoded. Raises ``BadInput`` and ``CheckFailed`` for what cannot be taken.
    """
    plain, kept, notes = [], [], []
    room_bytes = MAX_DECODED_BYTES
    for number, item in enumerate(recorded):
        where = f"interaction {number}"
        clear = replace(item, body=_body(item, room_bytes, where), reason=_reason(item))
        room_bytes -= len(clear.body)
        clean = _scrubbed(clear, where)
        if "content-encoding" in item.headers and item.body and clear.body == item.body:
            notes.append(f"{where}: its body was decoded already, though a header says otherwise")
        plain.append(clear)
        kept.append(clean)
    secrets = frozenset[str]().union(*(secrets_of(item) for item in recorded))
    cassette = proven_cassette(kept, plain, secrets, name)
    return cassette, [*notes, *_sequences(cassette)]


def _body(item: Interaction, room_bytes: int, where: str) -> bytes:
    try:
        return decoded(item.body, item.headers.get("content-encoding", ()), room_bytes)
    except BadInput as error:
        raise BadInput(f"{where}: its body {error.what}") from None


def _reason(item: Interaction) -> str:
    # Clients fill in the usual phrase where there is none; a phrase that is not printable ASCII cannot be sent again.
    reason = item.reason
    return reason if isinstance(reason, str) and reason.isascii() and reason.isprintable() else ""


def _scrubbed(item: Interaction, where: str) -> Interaction:
    try:
        key = identity(item.method, item.uri, item.request_body)
        clean = scrub(item)
    except ValueError:
        raise BadInput(f"{where}: its URL cannot be taken apart") from None
    except BadInput as error:  # which shows the URL, where credentials live
        raise BadInput(f"{where}: {error.what.replace(repr(item.uri), '(not shown)')}") from None
    if identity(clean.method, clean.uri, clean.request_body) != key:
        raise BadInput(f"{where}: without its credentials it would be another question")
    return clean


def _sequences(cassette: Cassette) -> Iterator[str]:
    grouped: dict[bytes, list[Interaction]] = {}
    for item in cassette.interactions:
        grouped.setdefault(identity(item.method, item.uri, item.request_body), []).append(item)
    for key, items in grouped.items():
        different = {(item.status, item.body) for item in items}
        if len(different) > 1:
            text = f"{len(items)} answers, {len(different)} different, to one question become a sequence"
            yield one_line(f"{text}: {describe(key)[:300]}")
