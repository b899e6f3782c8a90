"""A scrubbed request with the rehydrator's own keys in it: what the word ``SCRUBBED`` stood for, by host."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final
from urllib.parse import quote, unquote_plus, urlsplit, urlunsplit

from caia_replay.canonical import strict_json
from caia_replay.cassette.cassette import Interaction
from caia_replay.cassette.secret import SCRUBBED, SCRUBBED_BAD, is_secret
from caia_replay.errors import BadInput

BAD_KEY: Final = "caia-replay-no-such-key"
"""Sent where a recording was made with a key that the origin refuses; it is told to the recorder as a bad one."""

_Fill = Callable[[str], str]


def filled(item: Interaction, keys: Mapping[str, str]) -> Interaction:
    """``item`` as it is to be asked: ``keys`` has, by host, the whole value that is sent, ``Bearer`` included.

    Raises ``BadInput`` where the host's key is wanted and there is none.
    """

    def fill(value: str) -> str:
        if value == SCRUBBED_BAD:
            return BAD_KEY
        if value != SCRUBBED:
            return value
        host = host_of(item)
        if host not in keys:
            raise BadInput(f"a key of {host} is wanted", next_command=f'keys={{"{host}": "..."}}')
        return keys[host]

    parts = urlsplit(item.uri)
    return replace(
        item,
        uri=urlunsplit(parts._replace(query=_pairs(parts.query, fill))),
        request_body=_body(item.request_body, fill),
        request_headers={
            name: tuple(map(fill, lines)) if is_secret(name) else lines for name, lines in item.request_headers.items()
        },
    )


def hosts_with_keys(items: Iterable[Interaction]) -> list[str]:
    """The hosts that were asked with a good key, sorted."""
    found: set[str] = set()
    for item in items:
        try:
            filled(item, {})
        except BadInput:
            found.add(host_of(item))
    return sorted(found)


def host_of(item: Interaction) -> str:
    """The host that a request goes to, in lower case."""
    return (urlsplit(item.uri).hostname or "").lower()


def _pairs(text: str, fill: _Fill) -> str:
    return "&".join(_piece(piece, fill) for piece in text.split("&"))


def _piece(piece: str, fill: _Fill) -> str:
    name, equals, value = piece.partition("=")
    if not equals or not is_secret(unquote_plus(name)):
        return piece
    new = fill(value)
    return piece if new == value else f"{name}={quote(new, safe='')}"


def _body(body: bytes, fill: _Fill) -> bytes:
    text = body.decode("utf-8", "replace")
    if SCRUBBED not in text:
        return body
    try:
        value = strict_json(text)
    except ValueError:
        return _pairs(text, fill).encode("utf-8") if body.isascii() and "=" in text else body
    clean = _reworded(value, fill)
    return body if clean == value else json.dumps(clean, separators=(",", ":"), ensure_ascii=False).encode()


def _reworded(value: Any, fill: _Fill) -> Any:
    if isinstance(value, dict):
        return dict(_members(value, fill))
    return [_reworded(child, fill) for child in value] if isinstance(value, list) else value


def _members(value: dict[str, Any], fill: _Fill) -> Iterator[tuple[str, Any]]:
    for name, child in value.items():
        held = is_secret(name) and isinstance(child, str)
        yield name, fill(child) if held else _reworded(child, fill)
