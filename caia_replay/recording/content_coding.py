"""Bodies without their encoding: gzip, deflate, brotli and zstd, strictly and within a bound.

A body that ends early, goes on after its end, or grows past the bound is refused; a few kilobytes can claim to be
gigabytes. Recorders write down bodies as they came or already decoded, and leave the header in either case; where the
two cannot be told apart for certain, the body is refused.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

import pyarrow as pa

from caia_replay.cassette.side_file import MAX_BODY_BYTES, is_text
from caia_replay.errors import BadInput

CODINGS = ("gzip", "deflate", "br", "zstd")
"""What can be decoded, by the names of Content-Encoding."""

_MOST_CODINGS = 3
# Each member costs a copy of what follows it, so a body of many tiny ones would take quadratic time.
_MOST_MEMBERS = 100
_GZIP, _ZLIB, _RAW = 31, 15, -15
_CHUNK_BYTES = 2**16
_GZIP_MAGIC, _ZSTD_MAGIC = b"\x1f", b"\x28\xb5\x2f\xfd"
# A brotli stream has no magic number: its first bytes may read as text, sixteen of them will not.
_CERTAIN_TEXT_BYTES = 16
_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\r\f")


def decoded(
    body: bytes, lines: Iterable[str], limit_bytes: int = MAX_BODY_BYTES, *, from_the_wire: bool = False
) -> bytes:
    """``body`` without the codings that its Content-Encoding ``lines`` name, outermost last.

    Text that cannot be a stream of its coding comes back as it is, for its recorder had decoded it; ``from_the_wire``
    says that nobody had, and such text is refused. An empty body stays empty.
    Raises ``BadInput`` for an unknown coding, a body that does not decode whole, or more than ``limit_bytes``.
    """
    names = [word for line in lines for word in (part.strip().lower() for part in line.split(",")) if word]
    names = [name.removeprefix("x-") for name in names if name != "identity"]
    odd = sorted(set(names) - set(CODINGS))
    if odd:
        raise BadInput(f"encoded as {odd[0]!r:.40}, and only {', '.join(CODINGS)} can be decoded here")
    if len(names) > _MOST_CODINGS:
        raise BadInput(f"encoded {len(names)} times")
    for name in reversed(names):
        if not body or (not from_the_wire and _was_decoded(body, name)):
            continue
        try:
            body = _DECODERS[name](body, limit_bytes)
        except (zlib.error, OSError) as error:
            if not from_the_wire and name == "br" and _is_certain_text(body):
                continue
            cut = "Truncated" in str(error)
            raise BadInput(
                f"is cut short: its {name} stream has no end" if cut else f"does not decode as {name}: {error}"
            ) from None
    if len(body) > limit_bytes:
        raise _too_big(limit_bytes)
    return body


def _was_decoded(body: bytes, name: str) -> bool:
    """Whether text under a coding cannot be a stream of it. Of brotli that shows only in the attempt."""
    magic = {"gzip": _GZIP_MAGIC, "zstd": _ZSTD_MAGIC}.get(name)
    return magic is not None and not body.startswith(magic) and not magic.startswith(body) and is_text(body)


def _is_certain_text(body: bytes) -> bool:
    return len(body) >= _CERTAIN_TEXT_BYTES and _CONTROLS.isdisjoint(body) and is_text(body)


def _unbrotlied(body: bytes, limit_bytes: int) -> bytes:
    whole = _streamed(body, "brotli", limit_bytes)
    # pyarrow takes streams that follow one another for one, and digits and semicolons are empty streams.
    if len(body) > 1 and not (whole and _is_one_brotli_stream(body, len(whole))):
        raise OSError("something follows the end of its stream")
    return whole


def _is_one_brotli_stream(body: bytes, size: int) -> bool:
    """Whether the first stream in ``body`` gives all ``size`` bytes: then there is no room for it in one byte less."""
    try:
        pa.decompress(body, decompressed_size=size - 1, codec="brotli", asbytes=True)
    except OSError:
        return True
    return False


def _unzstded(body: bytes, limit_bytes: int) -> bytes:
    return _streamed(body, "zstd", limit_bytes)


def _streamed(body: bytes, codec: str, limit_bytes: int) -> bytes:
    """What pyarrow makes of ``body``. Raises ``OSError`` for a stream that is broken or cut, or for what follows it."""
    stream = pa.CompressedInputStream(pa.BufferReader(body), codec)
    parts: list[bytes] = []
    room = limit_bytes
    while part := stream.read(_CHUNK_BYTES):
        room -= len(part)
        if room < 0:
            raise _too_big(limit_bytes)
        parts.append(part)
    return b"".join(parts)


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


_DECODERS = {"gzip": _gunzipped, "deflate": _inflated, "br": _unbrotlied, "zstd": _unzstded}
