"""What is taken out of an exchange before it is written: credentials, headers of the moment, the encoding of bodies.

Credentials become a fixed word that identity reads the same way (``cassette.secret``), so a scrubbed recording still
answers requests made with any key; one that was asked with a key known to be bad gets the other word. ``Date`` stays:
it alone tells how old a recording is.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import SplitResult, unquote_plus, urlsplit, urlunsplit

from caia_replay.canonical import require_shallow, strict_json
from caia_replay.cassette.cassette import ENCODING_HEADERS, Cassette, Headers, Interaction
from caia_replay.cassette.secret import SCRUBBED_BAD, is_secret, word_of
from caia_replay.cassette.vendor_key import KeyPlaces, key_shapes, places_of
from caia_replay.errors import BadInput
from caia_replay.recording.secret_scanner import key_like
from caia_replay.recording.spelling import first_spelled

# A name here is dropped from replies: it tells when, where or for whom the reply was made, never what it says.
_TRANSIENT = frozenset({
    "age", "alt-svc", "cf-cache-status", "cf-ray", "connection", "expires", "keep-alive", "nel", "report-to",
    "reporting-endpoints", "server-timing", "set-cookie", "set-cookie2", "via", "x-cache", "x-cache-hits",
    "x-correlation-id", "x-request-id", "x-response-time", "x-runtime", "x-served-by", "x-timer", "x-trace-id",
})  # fmt: skip
_TRANSIENT_STARTS = ("x-amz-", "x-amzn-", "x-mbx-used-weight", "x-mbx-uuid", "x-ratelimit-", "x-rate-limit-",
                     "ratelimit", "cf-", "x-vercel-")  # fmt: skip
# Request headers say nothing about the question, except these.
_TOLD_OF_REQUESTS = frozenset({"accept", "content-type"})
# What every client sends, or what is part of the question's text.
_PLAIN_REQUEST_HEADERS = _TOLD_OF_REQUESTS | {
    "accept-encoding", "accept-language", "connection", "content-length", "host", "if-none-match", "user-agent",
}  # fmt: skip
# Shorter values occur by chance inside honest text.
MIN_SECRET_CHARS = 8
_MIN_COOKIE_CHARS = 16
_LINKED = re.compile(r"<([^<>]*)>")
# Hex is left out, chains are made of it.
_KEY_SHAPES = {
    **{f"a key of {name}": shape for name, shape in key_shapes()},
    "a bearer token": re.compile(rb"[Bb]earer [A-Za-z0-9_.=-]{24,}"),
    "a private key": re.compile(rb"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----"),
}


Word = Callable[[str], str]
"""From a credential's value to what is to stand in its place."""


def scrub(item: Interaction) -> Interaction:
    """``item`` as it may be written. Idempotent; its identity and class of key are those of the original."""
    return replace(
        item,
        uri=scrub_url(item.uri),
        request_body=_reworded_body(item.request_body, word_of),
        request_headers=_request_headers(item.request_headers),
        headers=_reply_headers(item.headers),
    )


def declare_bad(item: Interaction, bad_keys: Collection[str]) -> Interaction:
    """``item`` as if ``SCRUBBED_BAD`` had been sent wherever a credential is one of ``bad_keys``."""

    def word(value: str) -> str:
        readings = (*_readings(value), *_cookie_values(value))
        return SCRUBBED_BAD if any(reading in bad_keys for reading in readings) else value

    return reworded(item, word) if bad_keys else item


def reworded(item: Interaction, word: Word) -> Interaction:
    """``item`` with another word wherever its request has a credential."""
    return replace(
        item,
        uri=_reworded_url(item.uri, word),
        request_body=_reworded_body(item.request_body, word),
        request_headers={
            name: tuple(map(word, lines)) if is_secret(name) else lines for name, lines in item.request_headers.items()
        },
    )


def scrub_url(url: str) -> str:
    """``url`` with the values of credential parameters replaced and any user and password removed."""
    return _reworded_url(url, word_of)


def secrets_of(item: Interaction) -> frozenset[str]:
    """The credentials an unscrubbed exchange was made with: values long enough to be searched for."""
    found: set[str] = set()
    for name, lines in item.request_headers.items():
        if is_secret(name):
            found.update(reading for line in lines for reading in _readings(line))
        if name.lower() == "cookie":
            values = (value for line in lines for value in _cookie_values(line))
            found |= {value for value in values if len(value) >= _MIN_COOKIE_CHARS}
    parts = urlsplit(item.uri)
    places = _places(parts)
    is_key = is_secret if places is None else places.is_name
    found |= {parts.password or "", parts.username or "", *_pair_secrets(parts.query, is_key)}
    found |= {*_pair_secrets(parts.fragment), *(() if places is None else places.keys(parts.path))}
    whole = "\n".join((item.uri, *(line for lines in item.request_headers.values() for line in lines)))
    asked = whole.encode("utf-8", "surrogatepass") + b"\n" + item.request_body
    found |= {key[0].decode("ascii") for _, shape in key_shapes() for key in shape.finditer(asked)}
    found |= _json_secrets(item.request_body)
    if b"=" in item.request_body and item.request_body.isascii():
        found |= set(_pair_secrets(item.request_body.decode("ascii")))
    return frozenset(text for text in found if len(text) >= MIN_SECRET_CHARS and word_of(text) != text.split(" ")[-1])


def unnamed_secrets(item: Interaction) -> frozenset[str]:
    """Values that look drawn at random in request headers of other names, which are not written but may be repeated."""
    return frozenset(
        value
        for name, lines in item.request_headers.items()
        if name.lower() not in _PLAIN_REQUEST_HEADERS
        for line in lines
        for value in key_like(line)
    )


def find_secrets(cassette: Cassette) -> Iterator[str]:
    """What in a written cassette looks like a credential: a description each, never the value. For lint.

    Finds unscrubbed values under a credential's name in URLs, headers and JSON bodies, and the well-known shapes of
    keys anywhere.
    """
    for item in cassette.interactions:
        where = f"{item.method} {item.uri.partition('?')[0]}"
        if secrets_of(item):
            yield f"a key that was not scrubbed in the request {where}; write SCRUBBED in its place, and change the key"
        whole = b"\n".join((item.uri.encode("utf-8", "replace"), item.request_body, item.body))
        for name, shape in _KEY_SHAPES.items():
            if shape.search(whole):
                yield f"the shape of {name} in {where}"


def refuse_leaks(data: bytes, secrets: Collection[str], where: object, reply: str = "") -> None:
    """Raise ``BadInput`` when the bytes about to be written hold a credential anywhere, however it is spelled.

    ``reply`` names the reply that ``data`` is the body of. The message never repeats the credential.
    """
    secret = first_spelled(data, sorted(secrets))
    if secret is not None:
        raise BadInput(
            f"a credential of {len(secret)} characters is {f'in {reply}' if reply else 'still in the recording'}"
            f"{', and a reply may not be changed' if reply else ' after scrubbing'}",
            where=where,
            next_command="leave that request out, or ask with a key that the reply does not repeat"
            if reply
            else "send the key as a header or an apikey parameter, then record again",
        )


def _request_headers(headers: Headers) -> Headers:
    kept: dict[str, tuple[str, ...]] = {}
    for name, lines in sorted(headers.items()):
        if is_secret(name):
            kept[name.lower()] = tuple(map(word_of, lines))
        elif name.lower() in _TOLD_OF_REQUESTS:
            kept[name.lower()] = lines
    return kept


def _reply_headers(headers: Headers) -> Headers:
    kept: dict[str, tuple[str, ...]] = {}
    for name, lines in sorted(headers.items()):
        low = name.lower()
        if low in ENCODING_HEADERS or low in _TRANSIENT or low.startswith(_TRANSIENT_STARTS):
            continue
        if is_secret(low):
            lines = tuple(map(word_of, lines))
        elif low in ("location", "content-location"):
            lines = tuple(map(scrub_url, lines))
        elif low == "link":
            lines = tuple(_LINKED.sub(lambda found: f"<{scrub_url(found[1])}>", line) for line in lines)
        kept[low] = lines
    return kept


def _readings(value: str) -> Iterator[str]:
    """What a credential's value may be the key of: itself, what follows its scheme, the user and password in that."""
    yield value
    scheme, _, rest = value.partition(" ")
    if not rest:
        return
    yield rest
    yield rest.rpartition(" ")[2]
    if scheme.lower() == "basic":
        try:
            pair = b64decode(rest, validate=True).decode("utf-8")
        except ValueError:
            return
        user, _, password = pair.partition(":")
        yield from (pair, user, password)


def _cookie_values(line: str) -> Iterator[str]:
    for pair in line.split(";"):
        yield pair.partition("=")[2].strip()


def _reworded_url(url: str, word: Word) -> str:
    parts = urlsplit(url)
    places = _places(parts)
    return urlunsplit(
        parts._replace(
            netloc=parts.netloc.rpartition("@")[2],
            path=parts.path if places is None else places.masked(parts.path, word),
            query=_reworded_pairs(parts.query, word, is_secret if places is None else places.is_name),
            fragment=_reworded_pairs(parts.fragment, word),
        )
    )


def _places(parts: SplitResult) -> KeyPlaces | None:
    return places_of((parts.hostname or "").rstrip("."))


def _reworded_pairs(text: str, word: Word, is_key: Callable[[str], bool] = is_secret) -> str:
    pieces = []
    for piece in text.split("&"):
        name, equals, value = piece.partition("=")
        if equals and value and is_key(unquote_plus(name)):
            plain = unquote_plus(value)
            new = word(plain)
            piece = piece if new == plain else f"{name}={new}"
        pieces.append(piece)
    return "&".join(pieces)


def _reworded_body(body: bytes, word: Word) -> bytes:
    value = _json(body)
    if value is not None:
        clean = _reworded(value, word)
        return body if clean == value else json.dumps(clean, separators=(",", ":"), ensure_ascii=False).encode()
    if b"=" in body and body.isascii() and not any(byte <= 32 for byte in body):
        return _reworded_pairs(body.decode("ascii"), word).encode("ascii")
    return body


def _reworded(value: Any, word: Word) -> Any:
    if isinstance(value, dict):
        return {
            name: word(child) if is_secret(name) and isinstance(child, str) and child else _reworded(child, word)
            for name, child in value.items()
        }
    return [_reworded(child, word) for child in value] if isinstance(value, list) else value


def _json(body: bytes) -> object | None:
    try:
        return strict_json(body.decode("utf-8")) if body else None
    except ValueError:
        return None


def _pair_secrets(text: str, is_key: Callable[[str], bool] = is_secret) -> Iterable[str]:
    for piece in text.split("&"):
        name, _, value = piece.partition("=")
        if is_key(unquote_plus(name)):
            yield value
            yield unquote_plus(value)


def _json_secrets(body: bytes) -> set[str]:
    """Every text or number under a credential's name, in repeated members too, which a parsed object would hide."""
    found: set[str] = set()

    def note(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        # Not what is nested there: "password" also names a field in the description of a form.
        found.update(str(child) for name, child in pairs if is_secret(name) and type(child) in (str, int))
        return dict(pairs)

    try:
        require_shallow(body)
        json.loads(body, object_pairs_hook=note)
    except ValueError:
        return found
    return found
