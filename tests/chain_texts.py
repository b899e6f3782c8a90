"""What a gold chain looks for in the replies of its steps: its expressions, and the patterns in them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from caia_replay.core.expression import REFERENCE


def texts_of(value: Any) -> Iterator[str]:
    """Every text in arguments that refers to a step."""
    if isinstance(value, str):
        if value.startswith("= ") or REFERENCE.fullmatch(value):
            yield value.removeprefix("= ")
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from texts_of(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from texts_of(one)


def unquoted(text: str) -> str:
    """An expression with blanks for what it quotes: no reference stands there."""
    return re.sub(r"'[^']*'|\"[^\"]*\"", lambda found: " " * len(found[0]), text)


def matches(text: str) -> Iterator[tuple[tuple[int, str], str]]:
    """Of every ``match`` in an expression the places it looks into, with its pattern."""
    plain, stand_ins = "", {}
    for part in re.split(r"('[^']*'|\"[^\"]*\")", text):
        if part[:1] in ("'", '"'):
            name = f"quoted_{len(stand_ins)}"
            stand_ins[name] = part[1:-1]
            plain += name
        else:
            plain += REFERENCE.sub(lambda found: f"place({int(found[1])}, {found[2]!r})", part)
    for node in ast.walk(ast.parse(plain.strip(), mode="eval")):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "match":
            pattern = node.args[1]
            if isinstance(pattern, ast.Name):
                for inner in ast.walk(node.args[0]):
                    if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == "place":
                        number, path = (one.value for one in inner.args if isinstance(one, ast.Constant))
                        yield (int(str(number)), str(path)), stand_ins[pattern.id]
