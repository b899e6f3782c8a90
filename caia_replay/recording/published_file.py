"""The form a recorded suite is handed around in: which requests were made, and the digests of what was answered.

    published.json              the world's seal, what became of each sealed file, the manifests of its chains
    http/*.json, tasks/*/*.json each cassette without bodies: request, status, reply headers, digest and length
    world.toml, tasks/*/...     files of the publisher's own, copied; a withheld task's with digests for its words
    chain_snapshots/<chain>/    only where they were published too

Such a folder comes from a stranger. Reading it follows no link, opens no other name than the form's, and takes nothing
that a recording of ours could not hold; ``request_allowlist`` says which of its requests may be made.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from caia_replay.canonical import digest_bytes, pretty_bytes, strict_json
from caia_replay.cassette.answer import key_of
from caia_replay.cassette.cassette import FORMAT_VERSION, MAX_VALUES, Cassette, Interaction
from caia_replay.cassette.side_file import MAX_BODY_BYTES, is_text
from caia_replay.errors import BadInput, nearest
from caia_replay.recording.scrub import scrub
from caia_replay.store.plain import build, thawed
from caia_replay.store.plain_file import read_plain, require_few_values

FORM: Final = "published.json"
CHAINS: Final = "chain_snapshots"
VERSION: Final = 1
MOST_FILES: Final = 20_000
MOST_INTERACTIONS: Final = 250_000
MAX_COPIED_BYTES: Final = 16 * 2**20

FileKind = Literal["cassette", "copied", "withheld", "body", "left-out"]
"""What became of a sealed file: listed by identity and digest, copied, copied with digests for its words, rebuilt with
the cassette it stands beside, or not published at all."""

_NAME: Final = r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}"
_PLACES: Final[Mapping[FileKind, re.Pattern[str]]] = MappingProxyType({
    "cassette": re.compile(rf"http/{_NAME}\.json|tasks/{_NAME}/(?:http|moment)\.json"),
    "copied": re.compile(
        rf"world\.toml|suite\.toml|targets\.toml|import\.json|http/playback\.toml|overlays/{_NAME}\.toml"
        rf"|tasks/{_NAME}/(?:task\.toml|pool\.json)"
    ),
    "withheld": re.compile(rf"tasks/{_NAME}/task\.toml"),
    "body": re.compile(rf"(?:http|tasks/{_NAME})/bodies/[0-9a-f]{{64}}\.bin"),
    "left-out": re.compile(r"[^\x00-\x1f\x7f]{1,400}"),
})  # fmt: skip
_PUBLISHED: Final[tuple[FileKind, ...]] = ("cassette", "copied", "body")
_CHAIN: Final = re.compile(_NAME)
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class SealedFile:
    """One file of the world as it was sealed: the digest of its bytes, and what became of it."""

    digest: str
    kind: FileKind


@dataclass(frozen=True, slots=True)
class Contents:
    """published.json. ``chains`` are the manifests' digests; ``chain_files`` the published snapshots' own."""

    version: int
    world: str
    seal: str
    files: Mapping[str, SealedFile]
    chains: Mapping[str, str]
    chain_files: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class PublishedAnswer:
    """One answer without its body: ``item`` has an empty one, ``sha256`` and ``size_bytes`` are the body's."""

    item: Interaction
    sha256: str
    size_bytes: int

    @classmethod
    def of(cls, item: Interaction) -> PublishedAnswer:
        """What may be told of a recorded exchange."""
        return cls(replace(item, body=b""), digest_bytes(item.body), len(item.body))


@dataclass(frozen=True, slots=True)
class PublishedCassette:
    """A cassette's answers in the file's order; ``withheld`` counts those whose request repeats a question."""

    answers: tuple[PublishedAnswer, ...]
    withheld: int = 0


@dataclass(frozen=True, slots=True)
class Published:
    """A folder that was read: what it says, and its cassettes by the path they had in the world."""

    folder: Path
    contents: Contents
    cassettes: Mapping[str, PublishedCassette]

    def copied(self, name: str) -> bytes:
        """The bytes of a copied or withheld file. Raises ``BadInput`` when they are not the ones that were sealed."""
        data = _bytes(self.folder, name, MAX_COPIED_BYTES)
        sealed = self.contents.files[name]
        if sealed.kind == "copied" and digest_bytes(data) != sealed.digest:
            raise BadInput("was changed since it was published", where=self.folder / name, next_command=_AGAIN)
        return data


_AGAIN: Final = "get the published folder again"


def kind_of(name: str) -> FileKind:
    """What becomes of the sealed file ``name`` of a world, unless its task is withheld."""
    return next((kind for kind in _PUBLISHED if _PLACES[kind].fullmatch(name)), "left-out")


def contents_bytes(contents: Contents) -> bytes:
    """published.json's bytes."""
    return pretty_bytes(thawed(contents))


def cassette_form(cassette: PublishedCassette) -> bytes:
    """A published cassette's bytes: equal cassettes give equal bytes."""
    return pretty_bytes({
        "version": VERSION, "withheld": cassette.withheld, "interactions": [_written(each) for each in cassette.answers]
    })  # fmt: skip


def read_published(folder: Path) -> Published:
    """Read and check a published folder.

    Raises ``BadInput``, naming file and field, for a file that is missing, a link, too large or of another form, for a
    path that a world does not have, for an exchange that a scrubbed recording could not hold, and for more than
    ``MOST_FILES`` files or ``MOST_INTERACTIONS`` answers.
    """
    path = folder / FORM
    contents = build(Contents, _json(_bytes(folder, FORM, MAX_COPIED_BYTES), path), path)
    if contents.version != VERSION:
        raise BadInput(f"version is {contents.version}, not {VERSION}", where=path, nearest=str(VERSION))
    if len(contents.files) > MOST_FILES:
        raise BadInput(f"lists {len(contents.files)} files, more than {MOST_FILES}", where=path)
    if not _CHAIN.fullmatch(contents.world):
        raise BadInput(f"{contents.world!r:.90} cannot name a world", where=path)
    _require_digests(path, [contents.seal, *(file.digest for file in contents.files.values())])
    for name, file in contents.files.items():
        if not _PLACES[file.kind].fullmatch(name):
            raise BadInput(f"{name!r:.120} is no place of a {file.kind} file in a world", where=path)
    _require_chains(path, contents)
    cassettes: dict[str, PublishedCassette] = {}
    count = 0
    for name in sorted(name for name, file in contents.files.items() if file.kind == "cassette"):
        cassettes[name] = _cassette(_bytes(folder, name, MAX_BODY_BYTES), folder / name, MOST_INTERACTIONS - count)
        count += len(cassettes[name].answers)
    return Published(folder, contents, cassettes)


def _require_chains(path: Path, contents: Contents) -> None:
    _require_digests(path, contents.chains.values())
    for chain, files in contents.chain_files.items():
        if chain not in contents.chains:
            raise BadInput(f"files of {chain!r:.90}, which is no chain of the world", where=path)
        _require_digests(path, files.values())
        if len(files) > MOST_FILES:
            raise BadInput(f"lists {len(files)} files of one chain, more than {MOST_FILES}", where=path)
        wrong = [name for name in files if not _CHAIN.fullmatch(name)]
        if wrong:
            raise BadInput(f"{wrong[0]!r:.120} is no file of a chain snapshot", where=path)
    wrong = [chain for chain in contents.chains if not _CHAIN.fullmatch(chain)]
    if wrong:
        raise BadInput(f"{wrong[0]!r:.90} is no name of a chain", where=path)


def _require_digests(path: Path, digests: Iterable[str]) -> None:
    wrong = [found for found in digests if not _DIGEST.fullmatch(found)]
    if wrong:
        raise BadInput(f"{wrong[0]!r:.90} is no digest", where=path, nearest="sha256: and 64 hex digits")


def _bytes(folder: Path, name: str, limit_bytes: int) -> bytes:
    """A file of the folder; neither it nor a folder on the way may be a link out of it."""
    path = folder / name
    try:
        for step in (path, *path.parents):
            if step == folder:
                break
            if step.is_symlink():
                raise BadInput("is a link, and a published folder has none", where=step)
        return read_plain(path, limit_bytes)
    except OSError as fault:
        raise BadInput(f"cannot be read: {fault.strerror}", where=path, next_command=_AGAIN) from None


def _json(data: bytes, path: Path) -> Any:
    try:
        require_few_values(data, MAX_VALUES)
        return strict_json(data.decode("utf-8"))
    except (ValueError, RecursionError) as fault:
        raise BadInput(f"is no JSON: {fault!s:.200}", where=path, next_command=_AGAIN) from None


def _written(answer: PublishedAnswer) -> dict[str, Any]:
    item = answer.item
    body: Any = item.request_body
    body = body.decode("utf-8") if is_text(body) else {"base64": base64.b64encode(body).decode("ascii")}
    return {
        "request": {
            "method": item.method,
            "uri": item.uri,
            "body": body,
            "headers": {name: list(lines) for name, lines in item.request_headers.items()},
            "key": key_of(item),
        },
        "reply": {
            "status": {"code": item.status, "message": item.reason},
            "headers": {name: list(lines) for name, lines in item.headers.items()},
            "sha256": answer.sha256,
            "bytes": answer.size_bytes,
        },
    }


def _cassette(data: bytes, path: Path, room: int) -> PublishedCassette:
    value = _members(_json(data, path), "the file", path, {"version", "withheld", "interactions"})
    found, withheld = value["interactions"], value["withheld"]
    if value["version"] != VERSION or not isinstance(found, list) or not _is_count(withheld, MOST_INTERACTIONS):
        raise BadInput(f"is no published cassette of version {VERSION}", where=path)
    if len(found) > room:
        raise BadInput(f"holds more answers than {MOST_INTERACTIONS} in all", where=path)
    plain: list[dict[str, Any]] = []
    beside: list[tuple[bytes | None, str, int, Any]] = []
    for at, each in enumerate(found):
        where = f"interaction {at}"
        both = _members(each, where, path, {"request", "reply"})
        request = dict(
            _members(both["request"], f"{where}: request", path, {"method", "uri", "body", "headers", "key"})
        )
        reply = dict(_members(both["reply"], f"{where}: reply", path, {"status", "headers", "sha256", "bytes"}))
        sha256, size = reply.pop("sha256"), reply.pop("bytes")
        if not isinstance(sha256, str) or not _DIGEST.fullmatch(sha256) or not _is_count(size, MAX_BODY_BYTES):
            raise BadInput(f"{where}: reply: no digest and length of a body", where=path)
        binary = _binary(request, where, path)
        beside.append((binary, sha256, size, request.pop("key")))
        plain.append({"request": request, "response": reply | {"body": {"string": ""}}})
    # A cassette's own reader checks every field that a cassette has too.
    cassette = Cassette.parse(pretty_bytes({"version": FORMAT_VERSION, "interactions": plain}), str(path))
    answers = []
    for at, (item, (binary, sha256, size, key)) in enumerate(zip(cassette.interactions, beside, strict=True)):
        item = item if binary is None else replace(item, request_body=binary)
        if scrub(item) != item:
            raise BadInput(f"interaction {at} holds what a scrubbed recording does not", where=path)
        if key != key_of(item):
            raise BadInput(f"interaction {at}: request: key is {key!r:.40}, its headers say {key_of(item)}", where=path)
        answers.append(PublishedAnswer(item, sha256, size))
    return PublishedCassette(tuple(answers), withheld)


def _binary(request: dict[str, Any], where: str, path: Path) -> bytes | None:
    """A request body that is no text, taken out of ``request``; None where it is text."""
    if not isinstance(request["body"], dict):
        return None
    value = _members(request["body"], f"{where}: request: body", path, {"base64"})["base64"]
    request["body"] = ""
    try:
        body = base64.b64decode(value, validate=True)
    except (TypeError, ValueError, binascii.Error):
        raise BadInput(f"{where}: request: body is no base64", where=path) from None
    if is_text(body):
        raise BadInput(f"{where}: request: body is text, and text is not told in base64", where=path)
    return body


def _members(value: Any, what: str, path: Path, names: set[str]) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadInput(f"{what} is not an object", where=path)
    odd = sorted(value.keys() ^ names)
    if odd:
        text = f"{what} {'has an unknown' if odd[0] in value else 'lacks the'} field {odd[0]!r:.60}"
        raise BadInput(text, where=path, nearest=nearest(odd[0], names))
    return value


def _is_count(value: Any, most: int) -> bool:
    return type(value) is int and 0 <= value <= most
