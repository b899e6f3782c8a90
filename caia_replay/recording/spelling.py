"""Finding a value in bytes however it is spelled there: escaped, percent-encoded, in base64, in hexadecimal.

A cassette is JSON whose texts are often JSON or HTML themselves, with addresses inside: each layer escapes what it
holds. So the bytes are read as written, and again with one layer of every escape undone, until there is none left.
"""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from caia_replay.errors import BadInput
from caia_replay.recording.content_coding import decoded

_MOST_LAYERS = 5
# What is shorter leaves too few characters of base64 to be told from chance.
_SHORTEST_ENCODED_BYTES = 6
_ESCAPE = re.compile(
    r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\([\"'\\/bfnrt])", re.IGNORECASE
)
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PERCENT = re.compile(r"(?:%[0-9a-f]{2})+", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});")
_SPACE = re.compile(r"\s+")
_BASE64_LINES = re.compile(r"[A-Za-z0-9+/_=-]{16,}(?:\s{1,4}[A-Za-z0-9+/_=-]+)+")


def first_spelled(data: bytes, values: Iterable[str]) -> str | None:
    """The first of ``values`` that stands in ``data`` in any spelling, or None. An empty value stands nowhere.

    Of a gzip file the content is searched as well.
    """
    wanted = [(value, _spellings(value)) for value in values if value]
    if not wanted:
        return None
    # One layer is held at a time: a body may have 64 MiB.
    for text in _layers(data):
        for value, spellings in wanted:
            if any(spelling in text for spelling in spellings):
                return value
    return None


def _layers(data: bytes) -> Iterator[str]:
    """The text of ``data``, and what it becomes as its escapes are undone."""
    yield from _below(_text(data))
    if data.startswith(b"\x1f\x8b"):
        try:
            inside = decoded(data, ["gzip"])
        except BadInput:
            return
        yield from _below(_text(inside))


def _text(data: bytes) -> str:
    """Text as it is; of anything else a character for each byte, in which ASCII still reads as such."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _below(text: str) -> Iterator[str]:
    for _ in range(_MOST_LAYERS):
        if (joined := _BASE64_LINES.sub(lambda found: _SPACE.sub("", found[0]), text)) != text:
            yield joined
        if "+" in text:  # a form's blank, while a plus is still an escape
            yield from _undone(text.replace("+", " "), _KINDS)
        below = text
        for below in _undone(text, _KINDS):
            yield below
        if below == text:
            return
        text = below


def _undone(text: str, kinds: Sequence[Callable[[str], str]]) -> Iterator[str]:
    """``text`` with one layer of none, some and at last all ``kinds`` of escape undone.

    Some: what a value consists of may itself look like an escape of a kind that did not touch it.
    """
    if not kinds:
        yield text
        return
    yield from _undone(text, kinds[1:])
    if (below := kinds[0](text)) != text:
        yield from _undone(below, kinds[1:])


def _without_backslashes(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _without_percent(text: str) -> str:
    if "%" not in text:
        return text
    return _PERCENT.sub(lambda found: bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "replace"), text)


def _without_entities(text: str) -> str:
    return _ENTITY.sub(lambda found: html.unescape(found[0]), text) if "&" in text else text


_KINDS: Final = (_without_backslashes, _without_percent, _without_entities)


def _character(found: re.Match[str]) -> str:
    high, low, unit, byte, short = found.groups()
    if high:
        return (bytes.fromhex(high) + bytes.fromhex(low)).decode("utf-16-be")
    if short:
        return _SHORT.get(short, short)
    return chr(int(unit or byte, 16))


def _spellings(value: str) -> tuple[str, ...]:
    """What ``value`` looks like where no layer is left to undo."""
    raw = value.encode("utf-8", "surrogatepass")
    found = [value, raw.decode("latin-1"), json.dumps(value)[1:-1]]
    if len(raw) >= _SHORTEST_ENCODED_BYTES:
        found += [raw.hex(), raw.hex().upper(), value.encode("utf-16-le", "surrogatepass").decode("latin-1")]
        for before in range(3):
            # Of a value inside something longer, the characters that its neighbours have no part in.
            code = b64encode(b"\0" * before + raw).decode().rstrip("=")
            middle = code[-(-before * 8 // 6) : (before + len(raw)) * 8 // 6]
            found += [middle, middle.replace("+", "-").replace("/", "_")]
    return tuple(dict.fromkeys(found))
