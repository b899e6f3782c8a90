"""Replies held against recorded ones, field by field: which fields differ, and which of these were expected to.

Fields that are expected to differ are named as data, in ``volatile.toml`` beside the recordings.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from caia_replay.canonical import strict_json
from caia_replay.cassette.answer import Answer
from caia_replay.cassette.cassette import Interaction
from caia_replay.cassette.identity import describe, fields
from caia_replay.errors import BadInput
from caia_replay.recording.answer_change import COMPARED

VOLATILE_FILE: Final = "volatile.toml"
_MOST_FIELDS: Final = 8
"""Told of one question."""
_LONGEST_VALUE: Final = 60
_LONGEST_QUESTION: Final = 200
_KEYS: Final = frozenset({"host", "path", "fields", "why"})


@dataclass(frozen=True, slots=True)
class Volatile:
    """Fields that may differ, by patterns with ``*``: of which hosts (with their port or without) and paths."""

    host: str
    path: str
    fields: tuple[str, ...]

    def covers(self, key: bytes, name: str) -> bool:
        """Whether the field of that name may differ in answers to a question."""
        part = fields(key)
        hosts = (part["host"], f"{part['host']}:{part['port']}")
        return (
            any(fnmatchcase(host, self.host) for host in hosts)
            and fnmatchcase(part["path"], self.path)
            and any(fnmatchcase(name, pattern) for pattern in self.fields)
        )


@dataclass(slots=True)
class Drift:
    """What was found: ``changed`` and ``added`` one line for each question, the rest counted."""

    changed: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    same: int = 0
    volatile: int = 0
    unasked: int = 0

    def note(self, key: bytes, differing: Mapping[str, str], volatile: Sequence[Volatile]) -> None:
        """Count one question by the fields that differ, as ``differences`` has them."""
        told = {name: words for name, words in differing.items() if not any(one.covers(key, name) for one in volatile)}
        self.volatile += bool(differing) and not told
        self.same += not differing
        if told:
            words = [f"{name} {words}" for name, words in told.items()]
            more = [f"and {len(words) - _MOST_FIELDS} more fields"] if len(words) > _MOST_FIELDS else []
            self.changed.append(f"{question_text(key)}: {'; '.join([*words[:_MOST_FIELDS], *more])}")


def read_volatile(folder: Path) -> tuple[Volatile, ...]:
    """What ``volatile.toml`` of a folder names; nothing where there is none. Raises ``BadInput`` for another form."""
    path = folder / VOLATILE_FILE
    if not path.is_file():
        return ()
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        return tuple(_entry(one) for one in _only(data, {"volatile"})["volatile"])
    except (ValueError, KeyError, TypeError) as fault:
        what = f"is no list of [[volatile]] with host, path, fields and why: {fault}"
        raise BadInput(what, where=path, next_command="docs/any-client.md shows one") from None


def question_text(key: bytes) -> str:
    """A question for people, cut."""
    return describe(key)[:_LONGEST_QUESTION]


def fields_of(reply: Answer | Interaction) -> dict[str, str]:
    """A reply's fields by name: ``status``, ``header.NAME`` of those that a replay depends on, and ``body``, of JSON
    each value with its place."""
    if isinstance(reply, Answer):
        return _fields(reply.status, reply.reply.headers, reply.body)
    return _fields(reply.status, {name: ", ".join(lines) for name, lines in reply.headers.items()}, reply.body)


def differences(before: Sequence[Answer | Interaction], now: Sequence[Interaction]) -> dict[str, str]:
    """The fields that differ in any pair of replies to one question, each with ``OLD -> NEW``."""
    found = {} if len(before) == len(now) else {"answers": f"{len(before)} -> {len(now)}"}
    for left, right in zip(before, now):
        one, two = fields_of(left), fields_of(right)
        for name in sorted(one.keys() | two.keys()):
            if one.get(name) != two.get(name):
                found[name] = f"{_cut(one.get(name))} -> {_cut(two.get(name))}"
    return found


def _fields(status: int, headers: Mapping[str, str], body: bytes) -> dict[str, str]:
    found = {"status": str(status), **{f"header.{name}": headers[name] for name in COMPARED if name in headers}}
    try:
        value = strict_json(body.decode("utf-8"))
    except ValueError:
        return found | {"body": body.decode("utf-8", "backslashreplace")}
    return found | {".".join(("body", *place)): text for place, text in _leaves(value, ())}


def _leaves(value: Any, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, dict) and value:
        for name, child in value.items():
            yield from _leaves(child, (*place, name))
    elif isinstance(value, list) and value:
        for at, child in enumerate(value):
            yield from _leaves(child, (*place, str(at)))
    else:
        yield place, json.dumps(value, ensure_ascii=False)


def _cut(text: str | None) -> str:
    if text is None:
        return "none"
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}..."


def _entry(one: Mapping[str, Any]) -> Volatile:
    _only(one, _KEYS)
    names = one["fields"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TypeError("fields is no list of texts")
    if not str(one.get("why", "")).strip():
        raise KeyError("why")
    return Volatile(str(one.get("host", "*")), str(one.get("path", "*")), tuple(names))


def _only(data: Mapping[str, Any], known: frozenset[str] | set[str]) -> Mapping[str, Any]:
    odd = sorted(data.keys() - known)
    if odd:
        raise ValueError(f"{odd[0]!r} is not known")
    return data
