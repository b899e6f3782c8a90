"""One spelling for every spelling of a URL, and of form pairs, which share the query's grammar.

Normalisation follows RFC 3986 section 6.2.2 and goes no further: what a server may tell apart stays apart.
In a path ``%2F`` is not ``/`` and ``%2C`` is not ``,``; only unreserved characters lose their escapes.
A query is a multiset of decoded pairs, since that is how every recorded API reads it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

import idna

from caia_replay.cassette.secret import is_secret, word_of
from caia_replay.cassette.vendor_key import places_of
from caia_replay.errors import BadInput


class CanonicalUrl(NamedTuple):
    """The parts that decide identity. ``port`` is digits, empty for the scheme's default; user and fragment are gone.

    ``path`` and ``query`` are ASCII without white space; ``query`` is sorted ``name=value`` pairs joined by ``&``.
    """

    scheme: str
    host: str
    port: str
    path: str
    query: str

    def text(self) -> str:
        """The URL these parts spell."""
        port = f":{self.port}" if self.port else ""
        query = f"?{self.query}" if self.query else ""
        return f"{self.scheme}://{self.host}{port}{self.path}{query}"


_URL = re.compile(
    r"(https?)://(?:[^/?#@\\\s]*@)?(\[[0-9a-f:.]+\]|[^/?#:@\[\]\\\s]+)(?::([0-9]*))?(/[^?#]*)?(?:\?([^#]*))?(?:#.*)?",
    re.IGNORECASE | re.DOTALL,
)
_DEFAULT_PORT = {"http": "80", "https": "443"}
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ADDRESS = re.compile(r"(?<![0-9A-Za-z])0x[0-9a-fA-F]{40}(?![0-9A-Za-z])")
_PLAIN_PATH = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@/]*")
_PATH_PIECE = re.compile(r"%([0-9A-Fa-f]{2})|([^A-Za-z0-9\-._~!$&'()*+,;=:@/])")
_PLAIN_QUERY = re.compile(r"[A-Za-z0-9\-._~!$'()*,;:@/?=&]*")
_NOT_NAME = re.compile(r"[^A-Za-z0-9\-._~!$'()*,;:@/?]")
_NOT_VALUE = re.compile(r"[^A-Za-z0-9\-._~!$'()*,;:@/?=]")


def canonical_url(url: str) -> CanonicalUrl:
    """The canonical parts of an absolute http or https URL.

    Raises ``BadInput`` for anything else: a relative URL, another scheme, a port above 65535, a host no DNS knows.
    """
    found = _URL.fullmatch(url)
    if found is None:
        raise BadInput(f"not an absolute http or https URL: {url!r}", next_command="write it as https://host/path")
    scheme, host, port, path, query = found.groups()
    scheme = scheme.lower()
    host = host.lower() if host.isascii() else _idna(host)
    if port:
        port = port.lstrip("0") or "0"
        if len(port) > 5 or int(port) > 65535:
            raise BadInput(f"port {port} is above 65535 in {url!r}")
        if port == _DEFAULT_PORT[scheme]:
            port = ""
    path = _canonical_path(path) if path else "/"
    places = places_of(host)
    if places is not None:
        path = places.masked(path)
    is_key = is_secret if places is None else places.is_name
    return CanonicalUrl(scheme, host, port or "", path, canonical_pairs(query, is_key) if query else "")


def lower_addresses(text: str) -> str:
    """``text`` with every whole-word account address (0x and 40 hex digits) in lower case."""
    return _ADDRESS.sub(lambda found: found[0].lower(), text)


def canonical_pairs(text: str, is_key: Callable[[str], bool] = is_secret) -> str:
    """Query or form pairs, sorted, blanks and repeats kept, each spelled once; credentials read as ``SCRUBBED``.

    ``a`` and ``a=`` are one pair, as are ``+`` and ``%20``; ``a=b%26c`` and ``a=b&c`` are not.
    """
    if _PLAIN_QUERY.fullmatch(text):
        if "0x" in text:
            text = lower_addresses(text)
        pairs = [_plain_pair(piece, is_key) for piece in text.split("&") if piece]
    else:
        pairs = [_decoded_pair(piece, is_key) for piece in text.split("&") if piece]
    return "&".join(sorted(pairs))


def _plain_pair(piece: str, is_key: Callable[[str], bool]) -> str:
    name, _, value = piece.partition("=")
    return f"{name}={word_of(value) if is_key(name) else value}"


def _decoded_pair(piece: str, is_key: Callable[[str], bool]) -> str:
    raw_name, _, raw_value = piece.partition("=")
    name, value = lower_addresses(_decoded(raw_name)), lower_addresses(_decoded(raw_value))
    if is_key(name):
        value = word_of(value)
    return f"{_NOT_NAME.sub(_escaped, name)}={_NOT_VALUE.sub(_escaped, value)}"


def _decoded(text: str) -> str:
    # surrogateescape keeps bytes that are not UTF-8 apart instead of merging them into one replacement character
    return unquote_to_bytes(text.replace("+", " ").encode("utf-8", "surrogatepass")).decode("utf-8", "surrogateescape")


def _canonical_path(path: str) -> str:
    if not _PLAIN_PATH.fullmatch(path):
        path = _PATH_PIECE.sub(_path_piece, path)
    if "/." in path:
        path = _without_dots(path)
    return lower_addresses(path) if "0x" in path else path


def _without_dots(path: str) -> str:
    kept: list[str] = []
    pieces = path.split("/")[1:]
    for piece in pieces:
        if piece == "..":
            del kept[-1:]
        elif piece != ".":
            kept.append(piece)
    if pieces[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _path_piece(found: re.Match[str]) -> str:
    code = found.group(1)
    if code is None:
        return _escaped(found)
    byte = int(code, 16)
    return chr(byte) if byte in _UNRESERVED else f"%{byte:02X}"


def _escaped(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in _char_bytes(found.group()))


def _char_bytes(char: str) -> bytes:
    try:
        return char.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return char.encode("utf-8", "surrogatepass")


@lru_cache(maxsize=256)
def _idna(host: str) -> str:
    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError as error:
        raise BadInput(f"{host!r} is not a host name: {error}") from None
