"""A request taken apart, and the moment of a recording: what every provider asks of its exchanges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.cassette.url import canonical_url
from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.errors import BadInput, Miss

AS_OF_NOW_S: Final = 900
"""How far a recording may lie from the world's clock and still say what is the case now."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A GET request: its origin (``https://host``), its path as sent, and its parameters, each given once."""

    origin: str
    path: str
    parameters: Mapping[str, str]

    def without(self, *names: str) -> dict[str, str]:
        """The parameters that are not named here."""
        return {name: value for name, value in self.parameters.items() if name not in names}

    def words(self, *left_out: str) -> str:
        """One text for requests that differ at most in the parameters left out."""
        kept = urlencode(sorted(self.without(*left_out).items()), errors="surrogatepass")
        return f"{self.origin}{self.path}?{kept}"

    def segments(self) -> list[str]:
        """The path's parts, decoded."""
        return [unquote(part) for part in self.path.split("/") if part]


def provider_of(providers: Iterable[Provider], request: HttpRequest) -> Provider:
    """The first provider that takes a request. Raises ``Miss`` for what is no web address."""
    for provider in providers:
        if provider.match(request):
            return provider
    raise Miss("http", f"{request.method} {request.url:.300}", "no provider speaks for this address")


def reads_from(request: HttpRequest, *origins: str) -> bool:
    """Whether a request is a GET to one of the origins (``https://host``, lower case)."""
    try:
        parts = urlsplit(request.url)
    except ValueError:
        return False
    return request.method == "GET" and f"{parts.scheme}://{parts.netloc}".lower() in origins


def endpoint_of(request: HttpRequest) -> Endpoint:
    """A request with its path in the one spelling that identity knows: written otherwise it is no other endpoint.

    Raises ``Miss`` for an address that cannot be read, or a parameter that is given twice.
    """
    try:
        url = canonical_url(request.url)
        # The query as it was asked: identity masks keys, and what is widened must still bear the caller's own.
        pairs = parse_qsl(request.url.partition("#")[0].partition("?")[2], keep_blank_values=True)
    except (BadInput, ValueError) as fault:
        raise Miss("http", f"{request.method} {request.url:.300}", "an address that cannot be read") from fault
    if len({name for name, _ in pairs}) != len(pairs):
        raise Miss("http", f"{request.method} {request.url:.300}", "a parameter is given twice: recorded answers only")
    return Endpoint(url._replace(path="", query="").text(), url.path, dict(pairs))


def answered_at(reply: HttpReply, header: str = "date") -> int | None:
    """The moment of a reply by its ``date`` or another header, in seconds; None when it has none that can be read.

    A zone by letters other than GMT and UTC is not read: what it is apart from them is anybody's guess.
    """
    try:
        moment = parsedate_to_datetime(reply.headers[header])
        return None if moment.tzinfo is None else int(moment.timestamp())
    except (KeyError, ValueError, OverflowError):
        return None


def is_of_now(recorded: Recorded, now: int) -> bool:
    """Whether a recording tells what is the case at ``now``; one that does not say when it was made does not."""
    at = answered_at(recorded.reply)
    return at is not None and abs(at - now) <= AS_OF_NOW_S


def content_of(reply: HttpReply) -> Any:
    """A reply's JSON with exact integers. Raises ``Miss`` when it is none: it cannot contain the answer."""
    try:
        return strict_json(reply.body)
    except ValueError as fault:
        raise Miss("http", "a recorded JSON reply", f"the recorded reply (status {reply.status}) is none") from fault


def content_or_none(reply: HttpReply) -> Any:
    """A reply's JSON, whatever its status; None where it is none."""
    try:
        return strict_json(reply.body)
    except ValueError:
        return None


def derived(content: Any, like: HttpReply) -> HttpReply:
    """A reply made of recorded parts, with the headers of the recording it comes from but its date."""
    headers = {name: value for name, value in like.headers.items() if name != "date"}
    return HttpReply(200, headers, canonical_bytes(content))


def utc(moment: int) -> str:
    """A moment as people read it, for the words of a miss; one that no calendar has as its number."""
    try:
        return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return str(moment) if abs(moment) < 10**18 else "a moment beyond all calendars"
