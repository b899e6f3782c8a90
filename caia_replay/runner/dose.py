"""Doses as people type them: ``items=3,language=zh`` changes those fields of every dose of a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Final, TypeAlias

from caia_replay.attacks.campaign import Campaign
from caia_replay.core.attack import Dose
from caia_replay.errors import BadInput, nearest

Value: TypeAlias = int | str

_DEFAULTS: Final[Mapping[str, Value]] = MappingProxyType(asdict(Dose()))
_ANY: Final = Campaign("any", "", (("any", Dose()),))
_MOST_LEVELS: Final = 100
_LONGEST_NUMBER: Final = 9


def parse_dose(text: str, where: str = "--dose") -> dict[str, Value]:
    """The fields that ``text`` changes, in the order that doses have them; none for an empty text.

    Raises ``BadInput`` for what is no ``name=value``, a field no dose has, one named twice, and a value out of bounds.
    """
    fields: dict[str, Value] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, value = _pair(part, where)
        if name in fields:
            raise BadInput(f"{name} is given twice", where=where)
        fields[name] = _value(name, value, where)
    _ANY.dosed(fields, where)
    return {name: fields[name] for name in _DEFAULTS if name in fields}


def parse_levels(text: str, where: str = "--over") -> tuple[str, tuple[Value, ...]]:
    """``items=1,3,9`` as the field and its levels, as given.

    Raises ``BadInput`` as ``parse_dose``, and for no level, a level given twice, and more than a hundred.
    """
    name, rest = _pair(text.strip(), where)
    levels: list[Value] = []
    for part in (part.strip() for part in rest.split(",")):
        level = _value(name, part, where)
        if level in levels:
            raise BadInput(f"level {part!r:.40} of {name} is given twice", where=where)
        _ANY.dosed({name: level}, where)
        levels.append(level)
    if len(levels) > _MOST_LEVELS:
        raise BadInput(f"{len(levels)} levels of {name}; at most {_MOST_LEVELS}", where=where)
    return name, tuple(levels)


def dose_text(changes: Mapping[str, Value]) -> str:
    """Changes as ``parse_dose`` reads them, in its order: equal for equal changes."""
    return ",".join(f"{name}={changes[name]}" for name in _DEFAULTS if name in changes)


def _pair(part: str, where: str) -> tuple[str, str]:
    name, sign, value = (piece.strip() for piece in part.partition("="))
    if not sign:
        raise BadInput(f"{part!r:.60} is no name=value", where=where, next_command=f"{where} items=3,language=zh")
    if name not in _DEFAULTS:
        known = nearest(name, _DEFAULTS) or ", ".join(_DEFAULTS)
        raise BadInput(f"a dose has no {name!r:.60}", where=where, nearest=known)
    return name, value


def _value(name: str, text: str, where: str) -> Value:
    if isinstance(_DEFAULTS[name], str):
        return text
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER):
        raise BadInput(f"{name} is {text!r:.40}, wanted is a whole number", where=where)
    return int(text)
