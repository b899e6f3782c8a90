"""Recorded bodies without their encoding: gzip and deflate, strictly and within a bound.

A body that ends early, goes on after its end, or grows past the bound is refused; a few kilobytes can claim to be
gigabytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from caia_replay.cassette.side_file import MAX_BODY_BYTES, is_text
from caia_replay.errors import BadInput

_MOST_CODINGS = 3
# Each member costs a copy of what follows it, so a body of many tiny ones would take quadratic time.
_MOST_MEMBERS = 100
_GZIP, _ZLIB, _RAW = 31, 15, -15


def decoded(body: bytes, lines: Iterable[str], limit_bytes: int = MAX_BODY_BYTES) -> bytes:
    """``body`` without the codings that its Content-Encoding ``lines`` name, outermost last.

    Text under the coding ``gzip`` comes back as it is: no gzip stream is UTF-8 text beyond its first byte, so its
    recorder had decoded it.
    Raises ``BadInput`` for an unknown coding, a body that does not decode whole, or more than ``limit_bytes``.
    """
    names = [word for line in lines for word in (part.strip().lower() for part in line.split(",")) if word]
    names = [name.removeprefix("x-") for name in names if name != "identity"]
    odd = sorted(set(names) - {"gzip", "deflate"})
    if odd:
        raise BadInput(f"encoded as {odd[0]!r:.40}, and only gzip and deflate can be decoded here")
    if len(names) > _MOST_CODINGS:
        raise BadInput(f"encoded {len(names)} times")
    for name in reversed(names):
        if not body or (name == "gzip" and body[0] != 0x1F and is_text(body)):
            continue
        try:
            body = _gunzipped(body, limit_bytes) if name == "gzip" else _inflated(body, limit_bytes)
        except zlib.error as error:
            raise BadInput(f"does not decode as {name}: {error}") from None
    if len(body) > limit_bytes:
        raise _too_big(limit_bytes)
    return body


def _gunzipped(body: bytes, limit_bytes: int) -> bytes:
    parts: list[bytes] = []
    room = limit_bytes
    for _ in range(_MOST_MEMBERS):
        part, body = _member(body, _GZIP, room)
        parts.append(part)
        room -= len(part)
        if not body.strip(b"\0"):
            return b"".join(parts)
    raise BadInput(f"holds more than {_MOST_MEMBERS} gzip members")


def _inflated(body: bytes, limit_bytes: int) -> bytes:
    # "deflate" is zlib by the standard and a raw stream from many servers.
    try:
        part, rest = _member(body, _ZLIB, limit_bytes)
    except zlib.error:
        part, rest = _member(body, _RAW, limit_bytes)
    if rest:
        raise BadInput(f"goes on for {len(rest)} bytes after its deflate stream")
    return part


def _member(body: bytes, window: int, room_bytes: int) -> tuple[bytes, bytes]:
    """One stream's content, and what follows it."""
    stream = zlib.decompressobj(window)
    part = stream.decompress(body, room_bytes + 1)
    if len(part) > room_bytes:
        raise _too_big(room_bytes)
    if not stream.eof:
        raise BadInput("is cut short: its compressed stream has no end")
    return part, stream.unused_data


def _too_big(limit_bytes: int) -> BadInput:
    return BadInput(f"decodes to more than the {limit_bytes} bytes there is room for")
