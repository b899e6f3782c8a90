"""The file: vcrpy's cassette format, version 1, as JSON on disk.

vcrpy itself opens a missing or broken cassette as an empty one; here anything off is ``BadInput`` naming the file,
the interaction and the field. Bodies are decoded text, so the three headers that describe an encoding must be gone:
a reader that believed them would decode a second time.

A body that is not text is ``{"file": "bodies/<sha256>.bin"}`` (``side_file``) where vcrpy has a text, and the cassette
then lists its ``side_files``. That part is ours: stock vcrpy stops at such a body instead of serving something else,
and replays everything beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from caia_replay.canonical import digest_bytes, pretty_bytes, strict_json
from caia_replay.cassette.identity import identity
from caia_replay.cassette.side_file import Bodies, is_text, read_side_file, side_files, side_name, write_side_files
from caia_replay.errors import BadInput
from caia_replay.store.plain_file import open_plain, require_few_values
from caia_replay.store.seal import write_atomic

FORMAT_VERSION = 1
MAX_CASSETTE_BYTES = 256 * 2**20
MAX_VALUES = 8_000_000
"""Values in a cassette's JSON, not counting what is inside texts."""
ENCODING_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding"})

Headers = Mapping[str, tuple[str, ...]]

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Interaction:
    """One request and the answer it got. Bodies are decoded bytes; header values come in order, one per line sent."""

    method: str
    uri: str
    request_body: bytes
    request_headers: Headers
    status: int
    reason: str
    headers: Headers
    body: bytes


@dataclass(frozen=True, slots=True)
class Cassette:
    """An opened cassette: ``name`` for messages, ``digest`` of the file's bytes, interactions in the file's order."""

    name: str
    digest: str
    interactions: tuple[Interaction, ...]

    @classmethod
    def open(cls, path: Path) -> Cassette:
        """Read and check a cassette file.

        Raises ``BadInput`` when it is missing, no plain file, larger than ``MAX_CASSETTE_BYTES``, not UTF-8, not strict
        JSON, not format version 1, when any field has another shape than the format's, or when a side file is not what
        its name says.
        """
        return cls.parse(read_cassette(path), str(path), partial(read_side_file, path.parent))

    @classmethod
    def parse(cls, data: bytes, name: str, bodies: Bodies | None = None) -> Cassette:
        """The same checks over bytes in memory; ``name`` stands for the file in messages, ``bodies`` reads side files.

        Without ``bodies``, a cassette that needs side files is refused.
        """
        try:
            require_few_values(data, MAX_VALUES)
            value = strict_json(data.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise _Fault(f"not a JSON cassette: {error}" if data.strip() else "the cassette is empty").as_bad_input(
                name
            ) from None
        try:
            top = _members(value, "the cassette", {"version", "interactions"}, {"side_files"})
            if type(top["version"]) is not int or top["version"] != FORMAT_VERSION:
                raise _Fault(f"version is {top['version']!r:.40}, not {FORMAT_VERSION}")
            if not isinstance(top["interactions"], list):
                raise _Fault("interactions is not a list")
            read = _SideBodies(bodies)
            found = tuple(_interaction(item, f"interaction {i}", read) for i, item in enumerate(top["interactions"]))
            if top.get("side_files", []) != sorted(read.names) or ("side_files" in top and not read.names):
                raise _Fault("side_files does not list the side files of the interactions, sorted")
        except _Fault as fault:
            raise fault.as_bad_input(name) from None
        return cls(name, digest_bytes(data), found)


def read_cassette(path: Path) -> bytes:
    """A cassette file's bytes, unparsed. Raises ``BadInput`` when it is missing, no plain file, or too large.

    A pipe or a device in its place is not waited for.
    """
    try:
        with open_plain(path) as file:
            data = file.read(MAX_CASSETTE_BYTES + 1)
    except OSError as error:
        what = f"cannot read the cassette: {error.strerror}"
        raise BadInput(what, where=path, next_command="caia-replay record --task ID") from None
    if len(data) > MAX_CASSETTE_BYTES:
        what = f"the cassette has more than {MAX_CASSETTE_BYTES} bytes"
        raise BadInput(what, where=path, next_command="split it: a world's http/ may hold many")
    return data


def cassette_bytes(interactions: Iterable[Interaction]) -> bytes:
    """The file's bytes: a pure function of the interactions, sorted by identity, then in the order given.

    Bodies that are not text are named, not held: ``side_files`` of ``bodies_of`` holds them. Raises ``BadInput`` for an
    encoding header that was kept, and for anything else that ``Cassette.parse`` would refuse.
    """
    interactions = list(interactions)
    keyed = [(identity(item.method, item.uri, item.request_body), item) for item in interactions]
    keyed.sort(key=lambda pair: pair[0])
    beside = side_files(bodies_of(interactions))
    value: dict[str, Any] = {"version": FORMAT_VERSION, "interactions": [_written(item) for _, item in keyed]}
    if beside:
        value["side_files"] = list(beside)
    data = pretty_bytes(value)
    if len(data) > MAX_CASSETTE_BYTES:
        raise BadInput(
            f"the cassette would have {len(data)} bytes, more than {MAX_CASSETTE_BYTES}", where="the recording"
        )
    Cassette.parse(data, "a cassette to be written", beside.__getitem__)
    return data


def bodies_of(interactions: Iterable[Interaction]) -> Iterator[bytes]:
    """Every request and reply body."""
    for item in interactions:
        yield item.request_body
        yield item.body


def write_cassette(path: Path, interactions: Iterable[Interaction]) -> None:
    """Write ``cassette_bytes`` to ``path`` atomically, after its side files, making its folder.

    Raises ``BadInput`` like ``cassette_bytes`` and ``write_side_files``, or OSError.
    """
    interactions = list(interactions)
    data = cassette_bytes(interactions)
    write_side_files(path.parent, bodies_of(interactions))
    write_atomic(path, data)


class _Fault(Exception):
    """What is wrong inside a cassette, before the file's name is known."""

    def as_bad_input(self, name: str) -> BadInput:
        return BadInput(str(self), where=name, next_command=f"caia-replay lint {name}")


def _written(item: Interaction) -> dict[str, Any]:
    return {
        "request": {
            "method": item.method,
            "uri": item.uri,
            "body": _named(item.request_body) or item.request_body.decode("utf-8"),
            "headers": {name: list(values) for name, values in item.request_headers.items()},
        },
        "response": {
            "status": {"code": item.status, "message": item.reason},
            "headers": {name: list(values) for name, values in item.headers.items()},
            "body": _named(item.body) or {"string": item.body.decode("utf-8")},
        },
    }


def _named(body: bytes) -> dict[str, str] | None:
    return None if is_text(body) else {"file": side_name(body)}


class _SideBodies:
    """Reads a cassette's side files, each once, and notes their names."""

    def __init__(self, bodies: Bodies | None) -> None:
        self._read = None if bodies is None else cache(bodies)
        self.names: set[str] = set()

    def __call__(self, reference: Any, where: str) -> bytes:
        name = _string(_members(reference, where, {"file"})["file"], f"{where}: file")
        if self._read is None:
            raise _Fault(f"{where} is in the side file {name!r:.90}, and there is no folder to read it from")
        try:
            body = self._read(name)
        except BadInput as error:
            raise _Fault(f"{where}: {error.where}: {error.what}") from None
        self.names.add(name)
        return body


def _interaction(value: Any, where: str, side: _SideBodies) -> Interaction:
    both = _members(value, where, {"request", "response"})
    request = _members(both["request"], f"{where}: request", {"method", "uri", "body", "headers"})
    response = _members(both["response"], f"{where}: response", {"status", "headers", "body"})
    status = _members(response["status"], f"{where}: status", {"code", "message"})
    body = _reply_body(response["body"], f"{where}: reply body", side)
    method, uri = _string(request["method"], f"{where}: method"), _string(request["uri"], f"{where}: uri")
    request_body = _request_body(request["body"], f"{where}: request body", side)
    if not uri.isprintable():
        raise _Fault(f"{where}: its URL holds control characters")
    try:
        identity(method, uri, request_body)
        urlsplit(uri)
    except BadInput as error:
        raise _Fault(f"{where}: {error.what}") from None
    except ValueError:  # clients and lint take it apart by this function, whose message shows all of it
        raise _Fault(f"{where}: its URL cannot be taken apart") from None
    code = status["code"]
    if type(code) is not int or not 100 <= code <= 599:
        raise _Fault(f"{where}: status code is {code!r:.40}, not an integer from 100 to 599")
    reason = "" if status["message"] is None else _string(status["message"], f"{where}: status message")
    if not (reason.isascii() and (reason.isprintable())):
        raise _Fault(f"{where}: status message is not printable ASCII")
    headers = _headers(response["headers"], f"{where}: reply headers")
    kept = sorted(name for name in headers if name.lower() in ENCODING_HEADERS)
    if kept:
        raise _Fault(f"{where}: reply header {kept[0]} describes an encoding, but bodies are stored decoded")
    return Interaction(
        method=method,
        uri=uri,
        request_body=request_body,
        request_headers=_headers(request["headers"], f"{where}: request headers"),
        status=code,
        reason=reason,
        headers=headers,
        body=body,
    )


def _request_body(value: Any, where: str, side: _SideBodies) -> bytes:
    if isinstance(value, dict):
        return side(value, where)
    return b"" if value is None else _encoded(value, where)


def _reply_body(value: Any, where: str, side: _SideBodies) -> bytes:
    if isinstance(value, dict) and "file" in value:
        return side(value, where)
    return _encoded(_members(value, where, {"string"})["string"], where)


def _members(value: Any, where: str, names: set[str], optional: frozenset[str] | set[str] = _NONE) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Fault(f"{where} is not an object")
    if value.keys() - optional != names:
        odd = sorted((value.keys() - optional) ^ names)[0]
        raise _Fault(f"{where} {'has an unknown' if odd in value else 'lacks the'} field {odd!r:.60}")
    return value


def _string(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise _Fault(f"{where} is not text")
    return value


def _encoded(value: Any, where: str) -> bytes:
    try:
        return _string(value, where).encode("utf-8")
    except UnicodeEncodeError:
        raise _Fault(f"{where} holds half of a surrogate pair") from None


def _headers(value: Any, where: str) -> Headers:
    if not isinstance(value, dict):
        raise _Fault(f"{where} are not an object")
    found: dict[str, tuple[str, ...]] = {}
    for name, lines in value.items():
        if not (name and name.isascii() and name.isprintable() and not set(name) & _NOT_IN_NAMES):
            raise _Fault(f"{where}: {name!r:.60} is not a header name")
        if not isinstance(lines, list) or not lines:
            raise _Fault(f"{where}: {name} is not a list of texts")
        for line in lines:
            if not isinstance(line, str) or not line.replace("\t", " ").isprintable():
                raise _Fault(f"{where}: {name} holds something that is not a line of text")
        found[name] = tuple(lines)
    return found


_NOT_IN_NAMES = frozenset(' ()<>@,;:\\"/[]?={}')
