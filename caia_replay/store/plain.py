"""Plain data (parsed TOML or JSON) into frozen dataclasses, strictly, and back into TOML text.

Strict means: no unknown field, no missing field, no coercion ("5" is not 5, 1 is not true). Every
fault is one ``BadInput`` line naming the file, the field and the nearest field that exists.
"""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
import types
import typing
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from caia_replay.canonical import digest_bytes
from caia_replay.errors import BadInput, SealBroken, nearest
from caia_replay.home import restore
from caia_replay.store.plain_file import read_plain

T = TypeVar("T")

DEEPEST = 50
"""Tables and lists in one another, and names that dots join."""

WIDEST_BITS = 256
"""Of a whole number: as wide as those of a chain. In base 16 a file may write one that Python does not print."""

_NAME = rb"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
_LONG_NAME = re.compile(rb"(?<![A-Za-z0-9_-])" + _NAME + rb"(?:\.[ \t]*+" + _NAME + rb"){%d}" % DEEPEST)
"""The parser takes quadratic time over the parts of one name."""


def read_toml(path: Path, sealed: str = "") -> dict[str, Any]:
    """The file's table. A missing, unreadable or malformed file is ``BadInput``.

    ``sealed`` is the digest that its bytes must have, "" for any: else it was changed since its seal was checked, which
    is ``SealBroken``.
    """
    try:
        data = read_plain(path)
        if sealed and digest_bytes(data) != sealed:
            raise SealBroken("was changed while it was used", where=path, next_command=restore(path))
        if _LONG_NAME.search(data):
            raise ValueError(f"a name of more than {DEEPEST} parts")
        found = tomllib.loads(data.decode("utf-8"))
    except FileNotFoundError:
        raise BadInput("file is missing", where=path) from None
    except (OSError, ValueError, RecursionError) as fault:
        raise BadInput(f"not a TOML file: {fault}", where=path, next_command=f"caia-replay lint {path}") from fault
    try:
        _require_plain(found)
    except ValueError as fault:
        raise BadInput(str(fault), where=path, next_command="correct it, then caia-replay lint --seal") from None
    return found


def _require_plain(table: Mapping[str, Any]) -> None:
    """Raise ``ValueError`` for what JSON has no form for (dates, nan), for nesting and for numbers without end."""
    level: list[Any] = [table]
    for _ in range(DEEPEST):
        level = [child for value in level for child in _children(value)]
        if not level:
            return
    raise ValueError(f"nested more than {DEEPEST} deep")


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, (dict, list)):
        return value.values() if isinstance(value, dict) else value
    if isinstance(value, int) and value.bit_length() > WIDEST_BITS:
        raise ValueError(f"a whole number of {value.bit_length()} bits, more than {WIDEST_BITS}")
    if not isinstance(value, (str, int)) and not (isinstance(value, float) and isfinite(value)):
        raise ValueError(f"{value!s:.40} is no text, number, list or table")
    return ()


@cache
def _hints(kind: Hashable) -> dict[str, Any]:
    return get_type_hints(kind)


def build(kind: type[T], data: Any, where: object, field: str = "") -> T:
    """``data`` as a ``kind`` (a frozen dataclass); ``field`` is its place in the file, for messages."""
    if not isinstance(data, Mapping):
        raise _wrong(where, field, "a table", data)
    hints = _hints(kind)  # type: ignore[arg-type]
    fields = {item.name: item for item in dataclasses.fields(kind)}  # type: ignore[arg-type]
    for name in data:
        if name not in fields:
            raise BadInput(f"unknown field {_join(field, name)!r}", where=where, nearest=nearest(str(name), fields))
    values: dict[str, Any] = {}
    for name, item in fields.items():
        if name in data:
            values[name] = _value(hints[name], data[name], where, _join(field, name))
        elif item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING:
            raise BadInput(f"field {_join(field, name)!r} is missing", where=where)
    try:
        return kind(**values)
    except ValueError as fault:  # what a type says of its own values
        raise BadInput(f"{f'field {field!r}' if field else 'the file'}: {fault}", where=where) from None


def _value(hint: Any, value: Any, where: object, field: str) -> Any:
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return _frozen(value)
    if origin in (Union, types.UnionType):
        inner = [arg for arg in args if arg is not type(None)]
        return None if value is None else _value(inner[0], value, where, field)
    if origin is Literal:
        if value not in args or isinstance(value, bool):
            raise BadInput(
                f"field {field!r} is {value!r}, not one of {', '.join(map(str, args))}",
                where=where,
                nearest=nearest(str(value), map(str, args)),
            )
        return value
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise _wrong(where, field, "a list", value)
        return tuple(_value(args[0], item, where, f"{field}[{at}]") for at, item in enumerate(value))
    if origin is Mapping:
        if not isinstance(value, Mapping):
            raise _wrong(where, field, "a table", value)
        return MappingProxyType({key: _value(args[1], item, where, _join(field, key)) for key, item in value.items()})
    if dataclasses.is_dataclass(hint):
        return build(typing.cast(type[Any], hint), value, where, field)
    if hint in (str, int, bool):
        if type(value) is not hint:
            raise _wrong(where, field, {str: "a text", int: "a whole number", bool: "true or false"}[hint], value)
        return value
    raise TypeError(f"no reader for {hint!r} of field {field}")


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return MappingProxyType({key: _frozen(item) for key, item in value.items()})
    return tuple(_frozen(item) for item in value) if isinstance(value, (list, tuple)) else value


def thawed(value: Any) -> Any:
    """Frozen data (dataclasses, mapping proxies, tuples) as plain dicts and lists; None fields left out."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        pairs = ((item.name, getattr(value, item.name)) for item in dataclasses.fields(value))
        return {name: thawed(item) for name, item in pairs if item is not None}
    if isinstance(value, Mapping):
        return {key: thawed(item) for key, item in value.items()}
    return [thawed(item) for item in value] if isinstance(value, (list, tuple)) else value


def _join(field: str, name: object) -> str:
    return f"{field}.{name}" if field else str(name)


def _wrong(where: object, field: str, wanted: str, value: Any) -> BadInput:
    kinds = {str: "text", int: "number", float: "number", bool: "truth value", dict: "table", list: "list"}
    kind = kinds.get(type(value), "value")
    return BadInput(f"field {field or 'file'!r} is the {kind} {str(value)[:60]!r}, not {wanted}", where=where)


def toml_text(table: Mapping[str, Any]) -> str:
    """Plain data as TOML: scalars first, then tables, then arrays of tables; equal data gives equal text."""
    return "\n".join(_lines(table, ())).strip() + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    lines: list[str] = []
    later: list[str] = []
    for key, value in table.items():
        here = (*path, key)
        name = ".".join(_key(part) for part in here)
        if isinstance(value, Mapping) and len(path) < 2:
            later += ["", f"[{name}]", *_lines(value, here)]
        elif _is_tables(value) and len(path) < 2:
            for item in value:
                later += ["", f"[[{name}]]", *_lines(item, (*here, ""))]
        else:
            lines.append(f"{_key(key)} = {_inline(value)}")
    return lines + later


def _is_tables(value: Any) -> bool:
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and bool(value)
        and all(isinstance(item, Mapping) for item in value)
    )


def _key(key: str) -> str:
    bare = bool(key) and all(c.isascii() and (c.isalnum() or c in "_-") for c in key)
    return key if bare else _quoted(key)


def _quoted(text: str) -> str:
    """JSON's escapes are TOML's, but for surrogate pairs (so no ASCII-only form) and DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(key)} = {_inline(item)}" for key, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_inline(item) for item in value) + "]"
    return _quoted(value) if isinstance(value, str) else json.dumps(value)
