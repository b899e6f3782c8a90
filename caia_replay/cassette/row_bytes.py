"""One recorded answer as one run of bytes: what an index keeps, and reads back without parsing JSON.

Counts and lengths are 64-bit little-endian, texts UTF-8 with lone surrogates kept. The layout is private to one
version of this package: an index of another version is never read.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from caia_replay.cassette.cassette import Headers, Interaction
from caia_replay.cassette.rpc_id import RpcIds

_FIELDS = 9
_HEAD = struct.Struct(f"<{_FIELDS}Q")
_COUNT = struct.Struct("<Q")

KEY_AT = _HEAD.size
"""Where the key starts in a row, so that it can be read alone."""


def row_bytes(key: bytes, ids: RpcIds | None, item: Interaction) -> bytes:
    """The row of one interaction, its identity and its JSON-RPC ids."""
    parts = (
        key,
        b"" if ids is None else _joined([b"" if one is None else b"=" + _encoded(one) for one in ids]),
        _encoded(item.method),
        _encoded(item.uri),
        item.request_body,
        _headers(item.request_headers),
        b"%d %s" % (item.status, _encoded(item.reason)),
        _headers(item.headers),
        item.body,
    )
    return _HEAD.pack(*map(len, parts)) + b"".join(parts)


def read_row(row: bytes) -> tuple[bytes, RpcIds | None, Interaction]:
    """What ``row_bytes`` was given. Raises ``ValueError`` for bytes that it did not write."""
    try:
        sizes = _HEAD.unpack_from(row)
        if sum(sizes) + KEY_AT != len(row):
            raise ValueError("not a row")
        key, ids, method, uri, request_body, request_headers, status, headers, body = _cut(row, KEY_AT, sizes)
        code, _, reason = status.partition(b" ")
        item = Interaction(
            method=_decoded(method),
            uri=_decoded(uri),
            request_body=request_body,
            request_headers=_read_headers(request_headers),
            status=int(code),
            reason=_decoded(reason),
            headers=_read_headers(headers),
            body=body,
        )
        return key, _read_ids(ids), item
    except (struct.error, IndexError) as error:
        raise ValueError("not a row") from error


def _read_ids(data: bytes) -> RpcIds | None:
    return tuple(_decoded(one[1:]) if one else None for one in _split(data)) if data else None


def _headers(headers: Headers) -> bytes:
    pairs = [_joined([_encoded(name), *map(_encoded, lines)]) for name, lines in headers.items()]
    return _joined(pairs) if pairs else b""


def _read_headers(data: bytes) -> Headers:
    found = {}
    for pair in _split(data) if data else ():
        name, *lines = map(_decoded, _split(pair))
        found[name] = tuple(lines)
    return found


def _joined(parts: Sequence[bytes]) -> bytes:
    return b"".join([_COUNT.pack(len(parts)), *(_COUNT.pack(len(part)) for part in parts), *parts])


def _split(data: bytes) -> list[bytes]:
    (count,) = _COUNT.unpack_from(data)
    if count > len(data) // _COUNT.size:
        raise ValueError("not a row")
    return _cut(data, (1 + count) * _COUNT.size, struct.unpack_from(f"<{count}Q", data, _COUNT.size))


def _cut(data: bytes, at: int, sizes: Sequence[int]) -> list[bytes]:
    parts = []
    for size in sizes:
        parts.append(data[at : at + size])
        at += size
    if at != len(data):
        raise ValueError("not a row")
    return parts


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
