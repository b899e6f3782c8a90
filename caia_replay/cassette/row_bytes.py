"""One recorded answer as one run of bytes: what an index keeps, and reads back without parsing its cassette.

    four lengths (64 bit, little-endian), key, head, reply body, request body

The head is everything but the bodies, as JSON in ASCII, so that lone surrogates are kept. The layout is private to one
version of this package: an index of another version is never read.
"""

from __future__ import annotations

import json
import struct
from functools import partial
from typing import Any, get_args

from caia_replay.cassette.answer import Answer, key_of, lines_of
from caia_replay.cassette.cassette import Headers, Interaction
from caia_replay.cassette.rpc_id import RpcIds
from caia_replay.cassette.secret import KeyClass

_SIZES = struct.Struct("<4Q")
_CLASSES = frozenset(get_args(KeyClass))

KEY_AT = _SIZES.size
"""Where the key starts in a row, so that it can be read alone."""


def row_bytes(key: bytes, ids: RpcIds | None, item: Interaction) -> bytes:
    """The row of one interaction, its identity and its JSON-RPC ids."""
    head = [ids, item.status, item.reason, key_of(item), dict(item.headers)]
    head += [item.method, item.uri, dict(item.request_headers)]
    parts = (key, json.dumps(head, separators=(",", ":")).encode("ascii"), item.body, item.request_body)
    return _SIZES.pack(*map(len, parts)) + b"".join(parts)


def read_row(row: bytes, key: bytes) -> Answer:
    """The answer in a row whose identity is ``key``. Raises ``ValueError`` for bytes ``row_bytes`` did not write."""
    try:
        sizes = _SIZES.unpack_from(row)
        head_at = KEY_AT + sizes[0]
        body_at = head_at + sizes[1]
        request_at = body_at + sizes[2]
        if request_at + sizes[3] != len(row) or row[KEY_AT:head_at] != key:
            raise ValueError("not a row of this question")
        head = json.loads(row[head_at:body_at].decode("ascii"))
        ids, status, reason, known, headers, *_ = head
        if known not in _CLASSES:
            raise ValueError("not a row")
        body = row[body_at:request_at]
        item = partial(_interaction, head, body, row[request_at:])
        return Answer(status, reason, lines_of(headers), body, None if ids is None else tuple(ids), known, item)
    except (struct.error, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("not a row") from error


def _interaction(head: list[Any], body: bytes, request_body: bytes) -> Interaction:
    try:
        _, status, reason, _, headers, method, uri, asked = head
        return Interaction(method, uri, request_body, _tuples(asked), status, reason, _tuples(headers), body)
    except (TypeError, AttributeError) as error:
        raise ValueError("not a row") from error


def _tuples(headers: dict[str, list[str]]) -> Headers:
    return {name: tuple(lines) for name, lines in headers.items()}
