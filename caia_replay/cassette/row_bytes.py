"""One recorded answer as one run of bytes: what an index keeps, and reads back without parsing JSON.

What a reply is made of stands first, so that serving an answer costs nothing for the rest. Counts and lengths are
64-bit little-endian, texts UTF-8 with lone surrogates kept. The layout is private to one version of this package: an
index of another version is never read.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import partial
from typing import get_args

from caia_replay.cassette.answer import Answer, HeaderLines, key_of, lines_of
from caia_replay.cassette.cassette import Headers, Interaction
from caia_replay.cassette.rpc_id import RpcIds
from caia_replay.cassette.secret import KeyClass

_HEAD = struct.Struct("<9Q")
_COUNT = struct.Struct("<Q")
_CLASSES: dict[bytes, KeyClass] = {name.encode(): name for name in get_args(KeyClass)}

KEY_AT = _HEAD.size
"""Where the key starts in a row, so that it can be read alone."""


def row_bytes(key: bytes, ids: RpcIds | None, item: Interaction) -> bytes:
    """The row of one interaction, its identity and its JSON-RPC ids."""
    parts = (
        key,
        b"" if ids is None else _joined([b"" if one is None else b"=" + _encoded(one) for one in ids]),
        b"%d %s %s" % (item.status, key_of(item).encode(), _encoded(item.reason)),
        _joined([piece for line in lines_of(item) for piece in line]),
        item.body,
        _encoded(item.method),
        _encoded(item.uri),
        item.request_body,
        _grouped(item.request_headers),
    )
    return _HEAD.pack(*map(len, parts)) + b"".join(parts)


def read_row(row: bytes, key: bytes) -> Answer:
    """The answer in a row whose identity is ``key``. Raises ``ValueError`` for bytes that ``row_bytes`` did not write.

    The fields that no reply needs are read when the answer's ``interaction`` is asked for.
    """
    try:
        sizes = _HEAD.unpack_from(row)
        ids_at = KEY_AT + sizes[0]
        status_at = ids_at + sizes[1]
        lines_at = status_at + sizes[2]
        body_at = lines_at + sizes[3]
        if sum(sizes) + KEY_AT != len(row) or row[KEY_AT:ids_at] != key:
            raise ValueError("not a row of this question")
        code, known, reason = row[status_at:lines_at].split(b" ", 2)
        return Answer(
            int(code),
            _decoded(reason),
            _read_lines(row[lines_at:body_at]),
            row[body_at : body_at + sizes[4]],
            _read_ids(row[ids_at:status_at]) if sizes[1] else None,
            _CLASSES[known],
            partial(_interaction, row),
        )
    except (struct.error, IndexError, KeyError) as error:
        raise ValueError("not a row") from error


def _interaction(row: bytes) -> Interaction:
    try:
        _, _, status, lines, body, method, uri, request_body, request_headers = _cut(
            row, KEY_AT, _HEAD.unpack_from(row)
        )
        code, _, reason = status.split(b" ", 2)
        headers: dict[str, tuple[str, ...]] = {}
        for name, line in _read_lines(lines):
            headers[_decoded(name)] = (*headers.get(_decoded(name), ()), _decoded(line))
        return Interaction(
            method=_decoded(method),
            uri=_decoded(uri),
            request_body=request_body,
            request_headers=_read_grouped(request_headers),
            status=int(code),
            reason=_decoded(reason),
            headers=headers,
            body=body,
        )
    except (struct.error, IndexError) as error:
        raise ValueError("not a row") from error


def _read_ids(data: bytes) -> RpcIds:
    return tuple(_decoded(one[1:]) if one else None for one in _split(data))


def _read_lines(data: bytes) -> HeaderLines:
    pieces = _split(data)
    return tuple(zip(pieces[::2], pieces[1::2]))


def _grouped(headers: Headers) -> bytes:
    return _joined([_joined([_encoded(name), *map(_encoded, lines)]) for name, lines in headers.items()])


def _read_grouped(data: bytes) -> Headers:
    found = {}
    for pair in _split(data):
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
