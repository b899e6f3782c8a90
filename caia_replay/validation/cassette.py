"""Lint of recorded HTTP: answers kept twice, values that look like keys, lists that break off."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

from caia_replay.canonical import require_shallow
from caia_replay.cassette.answer import key_of
from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.explain import mask
from caia_replay.cassette.identity import describe, identity
from caia_replay.errors import BadInput, one_line
from caia_replay.recording.secret_scanner import key_like
from caia_replay.store.world_folder import TASK_CASSETTES

# A reply's member that says where its list goes on; the words between are joined in many ways.
_NEXT = re.compile(
    r"(?:next|continuation)(?:[_-]?(?:page|cursor|token|key|url|link|uri|href|offset|start|id))*"
    r"|end[_-]?cursor|page[_-]?key|scroll[_-]?id",
    re.IGNORECASE,
)
_MORE = re.compile(r"has[_-]?(?:next(?:[_-]?page)?|more)|more", re.IGNORECASE)
# Two steps, each in one pass: a header line may be as long as its cassette.
_LINK = re.compile(r"<([^<>]+)>([^<,]*)")
_REL_NEXT = re.compile(r';\s*rel="?next\b', re.IGNORECASE)
_OPAQUE_HEADERS = frozenset({"etag", "if-none-match", "content-security-policy", "link", "location"})

_CAPTURES = "https://web.archive.org/cdx/"
_SHA1 = re.compile(r"(?<![A-Z2-7])[A-Z2-7]{32}(?![A-Z2-7])")
"""A capture's digest in an archive's list, in base 32."""

SHOWN_CHARACTERS = 1_000
"""More than a line shows; masking takes quadratic time in one long word."""

Found = tuple[Path, str]
"""The cassette a finding is in, and what is wrong."""


def cassette_faults(cassettes: Mapping[Path, Cassette]) -> Iterator[Found]:
    """Every finding over the cassettes of one world, file by file."""
    yield from _duplicates(cassettes)
    values, asked = _asked(cassettes)
    for path, cassette in cassettes.items():
        for item in cassette.interactions:
            where = shown(f"{item.method} {item.uri.partition('?')[0]}")
            for place, count in _key_like(item):
                yield path, f"{count} like a key in the {place} of {where}: drawn at random, under no credential's name"
            for one in _next_pages(item, values, asked):
                yield path, f"the reply of {where} goes on at {shown(one)!r:.120}, which is not recorded"


def shown(text: str) -> str:
    """The beginning of a request or address as a finding tells it: credentials masked, on one line."""
    return one_line(mask(text[:SHOWN_CHARACTERS]))


def _duplicates(cassettes: Mapping[Path, Cassette]) -> Iterator[Found]:
    kept: dict[bytes, list[tuple[Path, list[Interaction]]]] = {}
    for path, cassette in cassettes.items():
        own: dict[bytes, list[Interaction]] = {}
        for item in cassette.interactions:
            own.setdefault(identity(item.method, item.uri, item.request_body), []).append(item)
        for key, answers in own.items():
            # An answer that comes back later in a sequence is what happened; the same one twice running says nothing.
            # At another moment it says that nothing has changed.
            if any((_answer(a), _date(a)) == (_answer(b), _date(b)) for a, b in pairwise(answers)):
                yield path, f"the same answer twice running: {shown(describe(key))}"
            kept.setdefault(key, []).append((path, answers))
    for key, holders in kept.items():
        first: dict[tuple[Any, ...], Path] = {}
        for path, answers in holders if len(holders) > 1 else ():
            twin = first.setdefault(tuple(map(_answer, answers)), path)
            # What was the case at two moments is two facts, though nothing changed between them.
            if twin is not path and path.name != TASK_CASSETTES[-1]:
                yield path, f"holds what {twin.parent.name}/{twin.name} holds: {shown(describe(key))}"


def _answer(item: Interaction) -> tuple[Any, ...]:
    # When an answer was made is not part of what it says.
    headers = sorted((name.lower(), lines) for name, lines in item.headers.items() if name.lower() != "date")
    return key_of(item), item.status, item.reason, tuple(headers), item.body


def _date(item: Interaction) -> list[tuple[str, ...]]:
    return [lines for name, lines in item.headers.items() if name.lower() == "date"]


def _key_like(item: Interaction) -> Iterator[tuple[str, int]]:
    """Places of an exchange with values like keys, and how many; the values themselves are never handed out."""
    texts: list[tuple[str, str]] = [("address", item.uri)]
    for kind, headers in (("request", item.request_headers), ("reply", item.headers)):
        for name, lines in headers.items():
            if name.lower() not in _OPAQUE_HEADERS:
                texts += [(f"{kind} header {name}", line) for line in lines]
    body = _text(item.body)
    if item.uri.startswith(_CAPTURES):
        body = _SHA1.sub("", body)
    texts += [("request body", _text(item.request_body)), ("reply body", body)]
    for place, text in texts:
        count = len(set(key_like(text)))
        if count:
            yield place, count


def _asked(cassettes: Mapping[Path, Cassette]) -> tuple[dict[str, set[str]], set[bytes]]:
    """Per host every value that some recorded request carried; and the identities of all of them."""
    values: dict[str, set[str]] = {}
    keys = set()
    for cassette in cassettes.values():
        for item in cassette.interactions:
            keys.add(identity(item.method, item.uri, item.request_body))
            values.setdefault(_host(item.uri), set()).update(_values(item))
    return values, keys


def _values(item: Interaction) -> Iterator[str]:
    parts = urlsplit(item.uri)
    yield from parts.path.split("/")
    yield from (value for _, value in parse_qsl(parts.query))
    body = _text(item.request_body)
    parsed = _json(body)
    yield from (value for _, value in parse_qsl(body)) if parsed is None else (str(leaf) for leaf in _leaves(parsed))


def _next_pages(item: Interaction, values: Mapping[str, set[str]], asked: set[bytes]) -> Iterator[str]:
    """Where a reply says that it goes on, as far as no recording goes there."""
    for name, lines in item.headers.items():
        if name.lower() == "link":
            links = (link for line in lines for link, one in _LINK.findall(line) if _REL_NEXT.search(one))
            yield from (link for link in links if not _is_recorded(item.uri, link, asked))
    for entry in _next_links(_json(_text(item.body))):
        if entry.startswith(("http://", "https://", "/", "?")):
            if not _is_recorded(item.uri, entry, asked):
                yield entry
        elif entry not in values[_host(item.uri)]:
            yield entry


def _next_links(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for child in value:
            yield from _next_links(child)
    elif isinstance(value, dict):
        more = [child for name, child in value.items() if _MORE.fullmatch(name) and isinstance(child, bool)]
        for name, child in value.items():
            if isinstance(child, (dict, list)):
                yield from _next_links(child)
            elif _NEXT.fullmatch(name) and False not in more and _is_place(child):
                yield str(child)


def _is_place(value: Any) -> bool:
    return (isinstance(value, str) and bool(value) and not re.search(r"\s", value)) or (
        type(value) is int and value > 0
    )


def _is_recorded(here: str, text: str, asked: set[bytes]) -> bool:
    try:
        return identity("GET", urljoin(here, text)) in asked
    except (BadInput, ValueError):  # a reply may tell anything: "http://[" cannot even be joined
        return False


def _host(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2].lower()


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (dict, list)):
        for child in value.values() if isinstance(value, dict) else value:
            yield from _leaves(child)
    else:
        yield value


def _json(text: str) -> Any:
    try:
        require_shallow(text.encode("utf-8", "surrogatepass"))
        return json.loads(text)
    except ValueError:
        return None


def _text(body: bytes) -> str:
    return body.decode("utf-8", "replace")
