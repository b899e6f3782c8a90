"""What was found, said and decided of questions: one file for each entry, never changed, named by its content.

An entry names the entries that it replaces. What no other replaces stands. Two people who work on two branches write
files of different names, so that branches merge without conflicts; where both replaced one entry, both of theirs stand,
and whoever reads says so. Nothing is lost: what was replaced stays to be read.

An entry is signed by a digest over all that it says. That shows an edit; it does not prove who wrote it, which is left
to version control.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

from caia_replay.canonical import digest, pretty_bytes, strict_json
from caia_replay.errors import BadInput
from caia_replay.intake.question import ID
from caia_replay.store.plain import build
from caia_replay.store.plain_file import read_plain
from caia_replay.store.seal import write_atomic

LEDGER: Final = "ledger"
VERSION: Final = 1
_SHORT: Final = 16
"""Hexadecimal digits of a digest in a file's name."""

Kind = Literal["screen", "decision", "gold", "review", "promotion"]
PERSONAL: Final = frozenset(("review",))
"""Kinds of which each person has an own entry; of the others one entry stands for a question."""


@dataclass(frozen=True)
class Entry:
    """One entry. ``by`` is the name of who wrote it, a judge model's too. ``body`` is JSON of the kind's own form;
    ``replaces`` are digests."""

    version: int
    question: str
    kind: Kind
    by: str
    replaces: tuple[str, ...]
    body: Mapping[str, Any]

    @cached_property
    def digest(self) -> str:
        """The digest over everything it says, which its file carries too."""
        return digest(self.plain())

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "version": self.version,
            "question": self.question,
            "kind": self.kind,
            "by": self.by,
            "replaces": list(self.replaces),
            "body": _thawed(self.body),
        }


class Ledger:
    """All entries of an intake folder, or those of one ``question``, read once and held against their digests; ``add``
    keeps it up to date.

    Raises ``BadInput`` for a file that is not what its name and digest say.
    """

    def __init__(self, folder: Path, question: str = "*") -> None:
        self._place = folder / LEDGER
        self._entries: dict[str, list[Entry]] = {}
        for path in sorted(self._place.glob(f"{question}/*.json")):
            if not path.name.startswith("."):
                entry = _read(path)
                self._entries.setdefault(entry.question, []).append(entry)

    def entries(self, question: str, kind: Kind) -> list[Entry]:
        """Every entry of a kind about a question, those that were replaced too, in the order of their digests."""
        found = (one for one in self._entries.get(question, ()) if one.kind == kind)
        return sorted(found, key=lambda one: one.digest)

    def standing(self, question: str, kind: Kind) -> list[Entry]:
        """The entries that no other replaces, by name and digest. More than one: branches were merged."""
        found = self.entries(question, kind)
        replaced = {name for one in found for name in one.replaces}
        return sorted((one for one in found if one.digest not in replaced), key=lambda one: (one.by, one.digest))

    def add(self, question: str, kind: Kind, by: str, body: Mapping[str, Any]) -> Entry:
        """Write an entry in place of those that stand: the same person's where the kind is personal. What says no more
        than the one that stands is not written again. Raises ``BadInput`` for a name that is none."""
        standing = [one for one in self.standing(question, kind) if kind not in PERSONAL or one.by == by]
        if len(standing) == 1 and standing[0].by == by and _thawed(standing[0].body) == _thawed(body):
            return standing[0]
        replaces = tuple(sorted(one.digest for one in standing))
        entry = Entry(VERSION, question, kind, require_name(by), replaces, body)
        write_atomic(_path(self._place, entry), pretty_bytes({**entry.plain(), "digest": entry.digest}))
        self._entries.setdefault(question, []).append(entry)
        return entry


def require_name(name: str) -> str:
    """A name that stands in entries: printable, 1 to 80 characters. Raises ``BadInput``."""
    if not name.strip() or not name.isprintable() or len(name) > 80 or name != name.strip():
        raise BadInput(f"{name!r:.90} cannot be a name", where="--as", nearest="1 to 80 printable characters")
    return name


def in_order(entries: list[Entry]) -> Iterator[Entry]:
    """Entries of one kind and question, each after those that it replaces."""
    left, told = list(entries), set[str]()
    known = {one.digest for one in entries}
    while left:
        ready = [one for one in left if all(name in told or name not in known for name in one.replaces)] or left[:1]
        for one in ready:
            told.add(one.digest)
            left.remove(one)
            yield one


def _path(place: Path, entry: Entry) -> Path:
    return place / entry.question / f"{entry.kind}-{entry.digest.removeprefix('sha256:')[:_SHORT]}.json"


def _read(path: Path) -> Entry:
    put_back = f"git checkout -- {path}"
    try:
        content = strict_json(read_plain(path))
        signed = content.pop("digest")
    except OSError as fault:
        raise BadInput(f"cannot be read: {fault.strerror}", where=path) from None
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise BadInput(f"is no entry of a ledger: {fault}", where=path, next_command=put_back) from None
    entry = build(Entry, content, path)
    if entry.version != VERSION:
        raise BadInput(f"entry version {entry.version}, wanted {VERSION}", where=path, next_command="a newer version")
    place = path.parent.parent
    if signed != entry.digest or not ID.fullmatch(entry.question) or _path(place, entry) != path:
        raise BadInput("was changed after it was signed", where=path, next_command=put_back)
    return entry


def _thawed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _thawed(item) for key, item in value.items()}
    return [_thawed(item) for item in value] if isinstance(value, (list, tuple)) else value
