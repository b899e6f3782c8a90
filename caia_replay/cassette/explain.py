"""What was recorded nearest to a question nobody recorded, and the fields in which the two differ.

For people, after a replay: every recording is compared, which costs more than a miss may cost while a run plays.
Credentials are masked in all that is handed out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any
from urllib.parse import parse_qsl, unquote_plus

from caia_replay.cassette.identity import describe, fields
from caia_replay.cassette.secret import SCRUBBED, is_secret
from caia_replay.cassette.vendor_key import places_of

SHOWN_CHARACTERS = 160
"""Of one value; of a longer one the part around the first difference is shown."""

# What a difference in a field counts; a query or body field counts 1. Another host is mostly another API.
_WEIGHTS: Mapping[str, float] = {"host": 6.0, "path": 5.0, "method": 4.0, "scheme": 1.0, "port": 1.0}
_SHORTLIST = 40
_COMPARED_CHARACTERS = 400
_SECRET_PAIR = re.compile(r"([A-Za-z0-9_.%~-]+)=([^&\s\"'#;]+)")
_SECRET_MEMBER = re.compile(r'"([^"\\]{1,80})":(\s*)"((?:[^"\\]|\\.)+)"')
_USER = re.compile(r"//[^/@\s\"']+@")
# What ends a sentence or a bracket after an address is not part of its path: a key's form is matched whole.
_ADDRESS = re.compile(
    r"(//)([A-Za-z0-9.-]{1,253})((?::[0-9]{1,5})?)(/(?:[^\s\"'?#<>]*[^\s\"'?#<>;,.:!)\]])?)?(\?[^\s\"'#<>]*)?"
)


@dataclass(frozen=True, slots=True)
class Difference:
    """One field of the identity that differs; None where that side does not have it."""

    field: str
    wanted: str | None
    recorded: str | None

    def words(self) -> str:
        """``query days: wanted '30', recorded '7'``."""
        return f"{self.field}: wanted {_quoted(self.wanted)}, recorded {_quoted(self.recorded)}"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A recorded question in words, and how it differs from the wanted one; no difference: it is the same."""

    question: str
    differences: tuple[Difference, ...]


class RecordedQuestions:
    """The questions of some cassettes, by identity, ready to be compared. Compare many misses with one of these."""

    def __init__(self, keys: Iterable[bytes]) -> None:
        self._known = [(key, parts(key)) for key in sorted(set(keys))]

    def __len__(self) -> int:
        """How many different questions there are."""
        return len(self._known)

    def nearest(self, key: bytes, count: int = 3) -> tuple[Neighbour, ...]:
        """The ``count`` questions most like ``key``, most like first; equal likeness in order of identity."""
        wanted = parts(key)
        hosts: dict[str, float] = {}
        rough = []
        for place, (_, found) in enumerate(self._known):
            host = found["host"]
            if host not in hosts:
                hosts[host] = _unlike(wanted["host"], host)
            rough.append((_roughly(wanted, found) + _WEIGHTS["host"] * hosts[host], place))
        shortlist = [place for _, place in sorted(rough)[: max(_SHORTLIST, count)]]
        best = sorted((_distance(wanted, self._known[place][1]), place) for place in shortlist)[:count]
        return tuple(
            Neighbour(mask(describe(self._known[place][0])), _differences(wanted, self._known[place][1]))
            for _, place in best
        )


def parts(key: bytes) -> dict[str, str]:
    """An identity's fields one by one: ``host``, ``path``, ``query days``, ``body params[0].to``..."""
    whole = fields(key)
    found = {name: whole[name] for name in ("method", "scheme", "host", "port", "path")}
    kind, _, text = key.decode("utf-8", "replace").split("\n", 7)[-1].partition(":")
    pairs = [(f"query {name}", value) for name, value in parse_qsl(whole["query"], keep_blank_values=True)]
    if kind == "form":
        pairs += [(f"body {name}", value) for name, value in parse_qsl(text, keep_blank_values=True)]
    elif kind == "json":
        pairs += [(f"body {place}".rstrip(), value) for place, value in _leaves(json.loads(text), "")]
    elif text:
        pairs.append(("body", text))
    for name, value in pairs:  # a name may be repeated
        found[name] = f"{found[name]} & {value}" if name in found else value
    return found


def mask(text: str) -> str:
    """``text`` (an address, JSON, a sentence) with credentials and the users of addresses taken out, by their names."""

    def pair(match: re.Match[str]) -> str:
        return f"{match[1]}={SCRUBBED}" if is_secret(unquote_plus(match[1])) else match[0]

    def member(match: re.Match[str]) -> str:
        return f'"{match[1]}":{match[2]}"{SCRUBBED}"' if is_secret(match[1]) else match[0]

    def address(match: re.Match[str]) -> str:
        places = places_of(match[2].lower())
        if places is None:
            return match[0]
        pairs = [piece.partition("=") for piece in (match[5] or "").removeprefix("?").split("&")]
        query = "&".join(
            f"{name}={SCRUBBED}" if equals and places.is_name(name) else f"{name}{equals}{value}"
            for name, equals, value in pairs
        )
        return f"//{match[2]}{match[3]}{places.masked(match[4] or '')}{'?' if match[5] else ''}{query}"

    plain = _USER.sub("//", _SECRET_MEMBER.sub(member, _SECRET_PAIR.sub(pair, text)))
    return _ADDRESS.sub(address, plain)


def _leaves(value: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for name, child in value.items():
            yield from _leaves(child, f"{place}.{name}" if place else name)
    elif isinstance(value, list) and value:
        for at, child in enumerate(value):
            yield from _leaves(child, f"{place}[{at}]")
    else:
        yield place, json.dumps(value, ensure_ascii=False)


def _roughly(wanted: Mapping[str, str], found: Mapping[str, str]) -> float:
    """A distance without the host, from equality and shared beginnings alone: cheap enough for every recording."""
    total = 0.0
    for name in wanted.keys() | found.keys():
        left, right = wanted.get(name), found.get(name)
        if left == right or name == "host":
            continue
        if name == "path" and left and right:
            total += _WEIGHTS["path"] * (1 - _shared(left, right) / max(len(left), len(right)))
        else:
            total += _WEIGHTS.get(name, 1.0)
    return total


def _distance(wanted: Mapping[str, str], found: Mapping[str, str]) -> float:
    return sum(
        _WEIGHTS.get(name, 1.0) * _unlike(wanted.get(name), found.get(name))
        for name in sorted(wanted.keys() | found.keys())
    )


def _unlike(left: str | None, right: str | None) -> float:
    """0 for equal, up to 1 for values with nothing in common or that only one side has."""
    if left == right:
        return 0.0
    if left is None or right is None:
        return 1.0
    a, b = left[:_COMPARED_CHARACTERS], right[:_COMPARED_CHARACTERS]
    # Never 0 for values that differ: the field itself is what counts first.
    return 0.25 + 0.75 * (1 - SequenceMatcher(None, a, b, autojunk=False).ratio())


def _differences(wanted: Mapping[str, str], found: Mapping[str, str]) -> tuple[Difference, ...]:
    names = [*wanted, *(name for name in found if name not in wanted)]
    return tuple(
        Difference(name, *_windows(wanted.get(name), found.get(name)))
        for name in names
        if wanted.get(name) != found.get(name)
    )


def _windows(left: str | None, right: str | None) -> tuple[str | None, str | None]:
    """Both values, masked; of long ones what surrounds the first difference, so that the two never look the same."""
    a, b = (None if text is None else mask(text) for text in (left, right))
    start = _shared(a, b) if a is not None and b is not None else 0
    start = max(0, start - SHOWN_CHARACTERS // 4) if max(len(a or ""), len(b or "")) > SHOWN_CHARACTERS else 0
    return _window(a, start), _window(b, start)


def _shared(left: str, right: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = zip(left, right, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))


def _window(text: str | None, start: int) -> str | None:
    if text is None:
        return None
    end = start + SHOWN_CHARACTERS
    return f"{'...' if start else ''}{text[start:end]}{'...' if end < len(text) else ''}"


def _quoted(text: str | None) -> str:
    return "none" if text is None else repr(text)
