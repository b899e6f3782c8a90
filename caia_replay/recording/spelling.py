"""Finding a value in bytes however it is spelled there: escaped, percent-encoded, in base64, in hexadecimal.

A cassette is JSON whose texts are often JSON or HTML themselves, with addresses inside: each layer escapes what it
holds. So the bytes are read as written, and again with one layer of every escape undone, until there is none left.

Most of a large body is looked at once: a character that is in no value and in no escape ends whatever could be one, so
only stretches without such characters, and long enough, are read again. Time is proportional to the size.
"""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import count, islice
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
# Begins at the white space after sixteen characters: begun at the characters, a long line is read from each of them.
_BASE64_LINES = re.compile(r"\s(?<=[A-Za-z0-9+/_=-]{16}\s)\s{0,3}[A-Za-z0-9+/_=-]++(?:\s{1,4}[A-Za-z0-9+/_=-]++)*+")
_ESCAPING = "\\\\%&#;+/=_A-Za-z0-9-"
"""What escapes and base64 consist of, for a class of characters; quotes only end an escape."""
_SIGNS = "\\%&+"
"""One of them is in every escape."""
_DEEPER = re.compile(r"[\\%&](?!\Z)|[+\s]")


def first_spelled(data: bytes, values: Iterable[str]) -> str | None:
    """The first of ``values`` that stands in ``data`` in any spelling, or None. An empty value stands nowhere.

    Of a gzip file the content is searched as well.
    """
    wanted = {value: _spellings(value) for value in values if value}
    short = _contained(wanted)
    narrow = [spelling for value in short for spelling in wanted[value]]
    if not any(spelling in layer for text in _texts(data) for layer in _worth(text, narrow) for spelling in narrow):
        return None
    # One layer is held at a time: a body may have 64 MiB.
    for text in _texts(data):
        for layer in _below(text):
            for value, spellings in wanted.items():
                if any(spelling in layer for spelling in spellings):
                    return value
    return None


def _contained(values: Collection[str]) -> list[str]:
    """Those that stand in every spelling of the others, as a key does behind its scheme."""
    return [
        value
        for value in values
        if not any(part != value and part in value and len(part) >= _SHORTEST_ENCODED_BYTES for part in values)
    ]


def _worth(text: str, spellings: Sequence[str]) -> Iterator[str]:
    """``text``, and the layers below it of the stretches alone that could hold a spelling there.

    Undoing an escape never makes a text longer, and a stretch is undone as it is in the whole, but for a backslash at
    its end, which stays. Those with the same kinds of escape are undone together: no other kind changes them.
    """
    yield text
    if not spellings or not (any(sign in text for sign in _SIGNS) or _BASE64_LINES.search(text)):
        return
    least, letters = min(map(len, spellings)), "".join(sorted(set().union(*spellings)))
    kind = f"[{_ESCAPING}{re.escape(letters)}]"
    # Lines of base64 are joined across their white space, though everything else ends at it.
    stretches = re.findall(rf"{kind}{{16,}}+(?:\s{{1,4}}{kind}++)*+|{kind}++", text)
    edge = next(char for char in map(chr, count(33)) if not re.match(rf"{kind}|[\"'\s]", char))
    alike: dict[tuple[bool, ...], list[str]] = {}
    for stretch in stretches:
        if len(stretch) >= least and _DEEPER.search(stretch):
            alike.setdefault(tuple(sign in stretch for sign in _SIGNS), []).append(stretch)
    for found in alike.values():
        yield from _below(edge.join(found))


def _texts(data: bytes) -> Iterator[str]:
    """The text of ``data``, and of what is packed in it."""
    yield _text(data)
    if data.startswith(b"\x1f\x8b"):
        with suppress(BadInput):
            yield _text(decoded(data, ["gzip"]))


def _text(data: bytes) -> str:
    """Text as it is; of anything else a character for each byte, in which ASCII still reads as such."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _below(text: str) -> Iterator[str]:
    yield text
    for _ in range(_MOST_LAYERS):
        if (joined := _BASE64_LINES.sub(lambda found: _SPACE.sub("", found[0]), text)) != text:
            yield joined
        if "+" in text:  # a form's blank, while a plus is still an escape
            yield from _undone(text.replace("+", " "), _KINDS)
        below = text
        for below in islice(_undone(text, _KINDS), 1, None):  # the first is the text itself
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
