"""One request, one byte string: two requests are the same question exactly when these bytes are equal.

What decides: method, scheme, host, port, path, sorted query, body. What does not: headers (of which ``answer`` keeps
apart whether a key was there and good), the order of parameters
and JSON members, white space in JSON, the JSON-RPC id, the case of account addresses, and the value of a credential.
Whatever is not provably the same stays different: a false miss is told, a false hit would be an invented answer.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from functools import lru_cache
from typing import Any

from caia_replay.canonical import require_shallow
from caia_replay.cassette.rpc_id import RpcIds, id_slots, rpc_ids
from caia_replay.cassette.secret import is_secret, word_of
from caia_replay.cassette.url import CanonicalUrl, canonical_pairs, canonical_url, lower_addresses
from caia_replay.errors import BadInput

IDENTITY_VERSION = 1

_SMALL_BODY_BYTES = 2048
_METHODS = {name: name for name in ("GET", "POST", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS")}
_METHOD = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_NUMBERED = re.compile(rb'"id": ?(0|[1-9][0-9]{0,17})(?=[,}\s])')
_FORM = re.compile(rb"[A-Za-z0-9\-._~!$'()*,;:@/?+%&=]+")


def identity(method: str, url: str, body: bytes = b"") -> bytes:
    """The canonical key of a request.

    Raises ``BadInput`` when ``url`` is not an absolute http or https URL or ``method`` is not a token.
    """
    return identify(method, url, body)[0]


def identify(method: str, url: str, body: bytes = b"") -> tuple[bytes, RpcIds | None]:
    """The key, and the JSON-RPC ids that were left out of it (None when the body is not JSON-RPC)."""
    scheme, host, port, path, query = canonical_url(url)
    head = f"{IDENTITY_VERSION}\n{_METHODS.get(method) or _method(method)}\n{scheme}\n{host}\n{port}\n{path}\n{query}\n"
    if not body:
        return head.encode("ascii"), None
    # Every attempt and arm of a task asks the same questions again; large bodies (prompts) are not worth the memory.
    kind_and_body, ids = _small_body(body) if len(body) <= _SMALL_BODY_BYTES else _canonical_body(body)
    return head.encode("ascii") + kind_and_body, ids


def fields(key: bytes) -> dict[str, str]:
    """A key's parts by name (method, scheme, host, port, path, query, body), for explaining a difference."""
    _, *parts, body = key.decode("utf-8", "replace").split("\n", 7)
    return dict(zip(("method", "scheme", "host", "port", "path", "query"), parts)) | {"body": body.partition(":")[2]}


def describe(key: bytes) -> str:
    """A key in words for people, credentials already masked: ``GET https://host/path?a=1`` and any body."""
    part = fields(key)
    url = CanonicalUrl(part["scheme"], part["host"], part["port"], part["path"], part["query"]).text()
    return f"{part['method']} {url}" + (f" {part['body']}" if part["body"] else "")


def _method(method: str) -> str:
    if not _METHOD.fullmatch(method):
        raise BadInput(f"{method!r} is not an HTTP method")
    return method.upper()


def _canonical_body(body: bytes) -> tuple[bytes, RpcIds | None]:
    try:
        require_shallow(body)
        text = body.decode("utf-8")
        value = _PARSE(text)
    except ValueError:
        return _canonical_other(body), None
    ids = rpc_ids(value)
    if ids is not None:
        for call in value if isinstance(value, list) else (value,):
            if "id" in call:
                call["id"] = None  # blanked, not dropped: a notification, which has none, gets no reply
    try:
        canonical = _DUMP(_lowered(value) if _may_hold_mixed_case(text) else value)
    except ValueError:
        return _canonical_other(body), None
    return b"json:" + canonical.encode("utf-8", "surrogatepass"), ids


_remembered_body = lru_cache(maxsize=2048)(_canonical_body)


def _small_body(body: bytes) -> tuple[bytes, RpcIds | None]:
    """``_canonical_body``, remembered; a JSON-RPC call is remembered without its number, which counts up."""
    found = _NUMBERED.search(body)
    if found is not None:
        framed = _framed(body[: found.start(1)], body[found.end(1) :])
        if framed is not None:
            return framed, (found[1].decode("ascii"),)
    return _remembered_body(body)


@lru_cache(maxsize=2048)
def _framed(before: bytes, after: bytes) -> bytes | None:
    """The canonical body of the one call that has its id between ``before`` and ``after``; None when it is not there.

    Any other number in that place parses the same way, so what holds for 0 holds for all of them.
    """
    body = before + b"0" + after
    canonical, ids = _canonical_body(body)
    slots = id_slots(body) if ids == ("0",) else None
    return canonical if slots is not None and slots.pieces == (before, after) else None


def _canonical_other(body: bytes) -> bytes:
    # Identity has no headers, so a form is known by its characters alone; sorting pairs is the only thing done to it.
    if b"=" in body and _FORM.fullmatch(body):
        return b"form:" + canonical_pairs(body.decode("ascii")).encode("ascii")
    return b"raw:" + body


def _may_hold_mixed_case(text: str) -> bool:
    # Never False for JSON text with an address to lower; five times cheaper than searching for whole addresses.
    return "\\u" in text or any((head := piece[:40]) != head.lower() for piece in text.split("0x")[1:])


def _lowered(value: Any) -> Any:
    if isinstance(value, str):
        return lower_addresses(value) if "0x" in value else value
    if isinstance(value, list):
        return [_lowered(child) for child in value]
    if isinstance(value, dict):
        lowered = {lower_addresses(name): _lowered(child) for name, child in value.items()}
        # two spellings of one address as two names: merging them would drop a value
        return lowered if len(lowered) == len(value) else {name: _lowered(child) for name, child in value.items()}
    return value


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key appears twice")
    for name, value in pairs:
        if is_secret(name) and isinstance(value, str):
            members[name] = word_of(value)
    return members


def _exact_float(text: str) -> float:
    number = float(text)
    if Decimal(repr(number)) != Decimal(text):
        raise ValueError("a number that a float cannot hold")
    return number


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


# Built once: json.loads and json.dumps with options build a new coder per call, which costs more than the coding.
_PARSE = json.JSONDecoder(object_pairs_hook=_members, parse_float=_exact_float, parse_constant=_no_constant).decode
_DUMP = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode
