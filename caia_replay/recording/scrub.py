"""What is taken out of an exchange before it is written: credentials, wall-clock headers, the encoding of bodies.

Credentials become a fixed word that identity reads the same way (``cassette.secret``), so a scrubbed recording still
answers requests made with any key. Headers that tell the time of recording go, so that two recordings of an unchanged
origin are the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus, urlsplit, urlunsplit

from caia_replay.canonical import require_shallow, strict_json
from caia_replay.cassette.cassette import ENCODING_HEADERS, Cassette, Headers, Interaction
from caia_replay.cassette.secret import SCRUBBED, is_secret, masked
from caia_replay.errors import BadInput

# A name here is dropped from replies: it tells when, where or for whom the reply was made, never what it says.
_TRANSIENT = frozenset({
    "age", "alt-svc", "cf-cache-status", "cf-ray", "connection", "date", "expires", "keep-alive", "nel", "report-to",
    "reporting-endpoints", "server-timing", "set-cookie", "set-cookie2", "via", "x-cache", "x-cache-hits",
    "x-correlation-id", "x-request-id", "x-response-time", "x-runtime", "x-served-by", "x-timer", "x-trace-id",
})  # fmt: skip
_TRANSIENT_STARTS = ("x-amz-", "x-amzn-", "x-mbx-used-weight", "x-mbx-uuid", "x-ratelimit-", "x-rate-limit-",
                     "ratelimit", "cf-", "x-vercel-")  # fmt: skip
# Request headers say nothing about the question, except these.
_TOLD_OF_REQUESTS = frozenset({"accept", "content-type"})
# Shorter values occur by chance inside honest text.
_MIN_SECRET_CHARS = 8
# Fixed beginnings that vendors gave their keys so that scanners find them; hex is left out, chains are made of it.
_KEY_SHAPES = {
    "an API key": re.compile(rb"(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{20,}"),
    "an access token": re.compile(rb"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{30,}|xox[abprs]-[A-Za-z0-9-]{10,})"),
    "a cloud key": re.compile(rb"(?<![A-Za-z0-9])(?:AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35})(?![A-Za-z0-9])"),
    "a bearer token": re.compile(rb"[Bb]earer [A-Za-z0-9_.=-]{24,}"),
    "a private key": re.compile(rb"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----"),
}


def scrub(item: Interaction) -> Interaction:
    """``item`` as it may be written. Idempotent; its identity is the identity of the original."""
    return replace(
        item,
        uri=scrub_url(item.uri),
        request_body=_scrub_body(item.request_body),
        request_headers=_request_headers(item.request_headers),
        headers=_reply_headers(item.headers),
    )


def scrub_url(url: str) -> str:
    """``url`` with the values of credential parameters replaced and any user and password removed."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=_scrub_pairs(parts.query)))


def secrets_of(item: Interaction) -> frozenset[str]:
    """The credentials an unscrubbed exchange was made with: values long enough to be searched for."""
    found = {line for name, lines in item.request_headers.items() if is_secret(name) for line in lines}
    found |= {line.partition(" ")[2] for line in found}
    parts = urlsplit(item.uri)
    found |= set(_pair_secrets(parts.query)) | {parts.password or "", parts.username or ""}
    found |= _json_secrets(item.request_body)
    if b"=" in item.request_body and item.request_body.isascii():
        found |= set(_pair_secrets(item.request_body.decode("ascii")))
    return frozenset(text for text in found if len(text) >= _MIN_SECRET_CHARS and text != SCRUBBED)


def find_secrets(path: Path) -> Iterator[str]:
    """What in a written cassette looks like a credential: a description each, never the value. For lint.

    Finds unscrubbed values under a credential's name in URLs, headers and JSON bodies, and the well-known shapes of
    keys anywhere. Raises ``BadInput`` when the file is no cassette.
    """
    for item in Cassette.open(path).interactions:
        where = f"{item.method} {item.uri.partition('?')[0]}"
        if secrets_of(item):
            yield f"an unscrubbed credential in the request {where}"
        whole = b"\n".join((item.uri.encode("utf-8", "replace"), item.request_body, item.body))
        for name, shape in _KEY_SHAPES.items():
            if shape.search(whole):
                yield f"the shape of {name} in {where}"


def refuse_leaks(data: bytes, secrets: Collection[str], where: object) -> None:
    """Raise ``BadInput`` when the bytes about to be written hold a credential anywhere: a path, a reply, a header.

    The message never repeats the credential.
    """
    for secret in sorted(secrets):
        spellings = {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
        if any(spelling.encode("utf-8", "surrogatepass") in data for spelling in spellings):
            raise BadInput(
                f"a credential of {len(secret)} characters is still in the recording after scrubbing",
                where=where,
                next_command="send the key as a header or an apikey parameter, then record again",
            )


def _request_headers(headers: Headers) -> Headers:
    kept: dict[str, tuple[str, ...]] = {}
    for name, lines in sorted(headers.items()):
        if is_secret(name):
            kept[name.lower()] = (SCRUBBED,) * len(lines)
        elif name.lower() in _TOLD_OF_REQUESTS:
            kept[name.lower()] = lines
    return kept


def _reply_headers(headers: Headers) -> Headers:
    kept: dict[str, tuple[str, ...]] = {}
    for name, lines in sorted(headers.items()):
        low = name.lower()
        if low in ENCODING_HEADERS or low in _TRANSIENT or low.startswith(_TRANSIENT_STARTS):
            continue
        kept[low] = tuple(scrub_url(line) for line in lines) if low in ("location", "content-location") else lines
    return kept


def _scrub_body(body: bytes) -> bytes:
    value = _json(body)
    if value is not None:
        clean = masked(value)
        return body if clean == value else json.dumps(clean, separators=(",", ":"), ensure_ascii=False).encode()
    if b"=" in body and body.isascii() and not any(byte <= 32 for byte in body):
        return _scrub_pairs(body.decode("ascii")).encode("ascii")
    return body


def _json(body: bytes) -> object | None:
    try:
        return strict_json(body.decode("utf-8")) if body else None
    except ValueError:
        return None


def _scrub_pairs(text: str) -> str:
    pieces = []
    for piece in text.split("&"):
        name, equals, value = piece.partition("=")
        pieces.append(f"{name}={SCRUBBED}" if equals and value and is_secret(unquote_plus(name)) else piece)
    return "&".join(pieces)


def _pair_secrets(text: str) -> Iterable[str]:
    for piece in text.split("&"):
        name, _, value = piece.partition("=")
        if is_secret(unquote_plus(name)):
            yield value
            yield unquote_plus(value)


def _json_secrets(body: bytes) -> set[str]:
    """Every text under a credential's name, in repeated members too, which a parsed object would hide."""
    found: set[str] = set()

    def note(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found.update(child for name, child in pairs if is_secret(name) and isinstance(child, str))
        return dict(pairs)

    try:
        require_shallow(body)
        json.loads(body, object_pairs_hook=note)
    except ValueError:
        return found
    return found
