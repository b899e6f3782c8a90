"""One request altered in one place, in every way that is another question: for ``http mutate``.

Not altered is what identity leaves out on purpose: the value of a key, a JSON-RPC id, the order of parameters and of
JSON members, the case of an account's address, and headers that carry no key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any, Final
from urllib.parse import unquote_plus, urlsplit, urlunsplit

from caia_replay.canonical import strict_json
from caia_replay.cassette.identity import identify
from caia_replay.cassette.secret import SCRUBBED_BAD, is_secret
from caia_replay.proxy.exchange import Asked

MOST_ALTERATIONS: Final = 200
"""Of one request; of more, so many are drawn."""
BAD_KEY: Final = "header authorization"
_LETTERS: Final = "abcdefghijkmnpqrstuvwxyz"
_PLAIN: Final = re.compile(r"[A-Za-z0-9]")
_FORM: Final = re.compile(rb"[A-Za-z0-9\-._~!$'()*,;:@/?+%&=]+")
_ESCAPED: Final = re.compile(r"%[0-9A-Fa-f]{2}")

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Alteration:
    """``field`` says what is altered (``query days``), ``how`` in which way; ``make`` gives the altered request, with
    another value at each draw where there is a value."""

    field: str
    how: str
    make: Callable[[Random], Asked]


def alterations(asked: Asked, draw: Random) -> Sequence[Alteration]:
    """The places where ``asked`` can become another question, each once, at most ``MOST_ALTERATIONS``."""
    found = [*_method(asked), *_address(asked), *_query(asked), *_body(asked), _bad_key(asked)]
    if len(found) > MOST_ALTERATIONS:
        found = [found[at] for at in sorted(draw.sample(range(len(found)), MOST_ALTERATIONS))]
    return found


def _method(asked: Asked) -> Iterator[Alteration]:
    other = "GET" if asked.method != "GET" else "POST"
    yield Alteration("method", f"{other} in place of {asked.method}", lambda _: replace(asked, method=other))


def _bad_key(asked: Asked) -> Alteration:
    """A key that is known to be bad is no other key: what a good one or none was answered must not answer it."""
    kept = tuple(line for line in asked.lines if not is_secret(line[0]))
    line = ("authorization", f"Bearer {SCRUBBED_BAD}")
    return Alteration(BAD_KEY, "a bad key", lambda _: replace(asked, lines=(*kept, line)))


def _address(asked: Asked) -> Iterator[Alteration]:
    parts = urlsplit(asked.url)
    other = "http" if parts.scheme == "https" else "https"
    yield Alteration("scheme", f"{other} in place of {parts.scheme}", lambda _: _with(asked, scheme=other))
    yield Alteration(
        "host",
        "another",
        lambda draw: _with(asked, netloc=f"{draw.choice(_LETTERS)}{draw.randrange(10)}.{parts.netloc}"),
    )
    pieces = parts.path.split("/")
    for at, piece in enumerate(pieces):
        if piece and piece not in (".", ".."):

            def changed(draw: Random, at: int = at, piece: str = piece) -> Asked:
                return _with(asked, path="/".join([*pieces[:at], _other_text(piece, draw), *pieces[at + 1 :]]))

            yield Alteration(f"path part {at}", "another value", changed)
    if len(pieces) > 2:
        yield Alteration("path", "without its last part", lambda _: _with(asked, path="/".join(pieces[:-1])))
    yield Alteration("path", "with one part more", lambda draw: _with(asked, path=f"{parts.path}/{_word(draw)}"))


def _query(asked: Asked) -> Iterator[Alteration]:
    yield from _pairs(urlsplit(asked.url).query, "query", lambda text: _with(asked, query=text))


def _pairs(text: str, kind: str, put: Callable[[str], Asked]) -> Iterator[Alteration]:
    pieces = [piece for piece in text.split("&") if piece]
    for at, piece in enumerate(pieces):
        name, _, value = piece.partition("=")
        before, after = pieces[:at], pieces[at + 1 :]
        field = f"{kind} {unquote_plus(name)}"

        def changed(
            draw: Random, before: Any = before, name: Any = name, value: Any = value, after: Any = after
        ) -> Asked:
            return put("&".join([*before, f"{name}={_other_text(value, draw)}", *after]))

        if not is_secret(unquote_plus(name)):
            yield Alteration(field, "another value", changed)
        if value or not is_secret(unquote_plus(name)):
            yield Alteration(field, "left out", partial(_ignoring, put, "&".join([*before, *after])))
    yield Alteration(
        kind, "one pair more", lambda draw: put("&".join([*pieces, f"{_word(draw)}={draw.randrange(10)}"]))
    )


def _body(asked: Asked) -> Iterator[Alteration]:
    if not asked.body:
        yield Alteration("body", "one where there was none", lambda draw: _bodied(asked, {_word(draw): 1}))
        return
    yield Alteration("body", "left out", lambda _: replace(asked, body=b""))
    try:
        value = strict_json(asked.body.decode("utf-8"))
    except ValueError:
        value = None
    if isinstance(value, dict | list):
        yield from _leaves_altered(asked, value)
    elif b"=" in asked.body and _FORM.fullmatch(asked.body):
        yield from _pairs(asked.body.decode("ascii"), "body", lambda text: replace(asked, body=text.encode("ascii")))
    else:
        yield Alteration(
            "body", "one byte more", lambda draw: replace(asked, body=asked.body + _word(draw)[:1].encode())
        )


def _leaves_altered(asked: Asked, value: Any) -> Iterator[Alteration]:
    has_ids = identify(asked.method, asked.url, asked.body)[1] is not None
    for place, leaf in _leaves(value, ()):
        if not place:
            continue
        name = str(place[-1])
        if has_ids and name == "id" and len(place) <= 2:
            continue
        field = "body " + ".".join(map(str, place))

        def changed(draw: Random, place: Place = place, leaf: Any = leaf) -> Asked:
            return _bodied(asked, _put(value, place, _other_value(leaf, draw)))

        if not (is_secret(name) and isinstance(leaf, str)):
            yield Alteration(field, "another value", changed)
        if not (is_secret(name) and leaf == ""):
            yield Alteration(field, "left out", partial(_ignoring, partial(_bodied, asked), _without(value, place)))
    if isinstance(value, dict):
        yield Alteration(
            "body", "one member more", lambda draw: _bodied(asked, {**value, _word(draw): draw.randrange(10)})
        )
    else:
        yield Alteration("body", "one item more", lambda draw: _bodied(asked, [*value, _word(draw)]))


def _leaves(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not value or not isinstance(value, dict | list):
        yield place, value
    for name, child in children:
        yield from _leaves(child, (*place, name))


def _put(value: Any, place: Place, new: Any) -> Any:
    """``value`` with ``new`` at ``place``; nothing is changed in place."""
    if not place:
        return new
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[place[0]] = _put(value[place[0]], place[1:], new)
    return copy


def _without(value: Any, place: Place) -> Any:
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    if len(place) == 1:
        del copy[place[0]]
    else:
        copy[place[0]] = _without(value[place[0]], place[1:])
    return copy


def _other_value(leaf: Any, draw: Random) -> Any:
    if isinstance(leaf, bool):
        return not leaf
    if isinstance(leaf, str):
        return _other_text(leaf, draw)
    if isinstance(leaf, int):
        return leaf + draw.randrange(1, 10)
    if isinstance(leaf, float):
        moved = leaf + draw.randrange(1, 10)
        return moved if moved != leaf else -leaf or 1
    return draw.randrange(1, 10) if leaf is None else [_word(draw)]  # an empty object or list


def _other_text(text: str, draw: Random) -> str:
    """``text`` with one letter or digit replaced by another, or one more where there is none."""
    escaped = {at for found in _ESCAPED.finditer(text) for at in range(*found.span())}
    places = [found.start() for found in _PLAIN.finditer(text) if found.start() not in escaped]
    if text[:2].lower() == "0x":
        places = [at for at in places if at > 1]
    if not places:
        return text + _word(draw)[:1]
    at = draw.choice(places)
    kinds = "0123456789" if text[at].isdigit() else "abcdef" if text[at].lower() in "abcdef" else _LETTERS
    return text[:at] + draw.choice([new for new in kinds if new != text[at].lower()]) + text[at + 1 :]


def _ignoring(make: Callable[[Any], Asked], value: Any, _: Random) -> Asked:
    return make(value)


def _word(draw: Random) -> str:
    return "".join(draw.choice(_LETTERS) for _ in range(6))


def _with(asked: Asked, **parts: str) -> Asked:
    return replace(asked, url=urlunsplit(urlsplit(asked.url)._replace(**parts)))


def _bodied(asked: Asked, value: Any) -> Asked:
    return replace(asked, body=json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
