"""A tool's reply as lines that a person reads, nothing of it lost: whole numbers stay exact, texts keep their lines.

No text can pass for a field beside it: the lines of a long one stand behind a bar.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

_BAR: Final = "\N{BOX DRAWINGS LIGHT VERTICAL} "


def readable(value: Any) -> str:
    """Any JSON value as indented lines."""
    return "\n".join(_lines(value))


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for name, one in value.items():
            yield from _after(f"{_one_line(str(name))}:", one)
    elif isinstance(value, list) and value:
        for one in value:
            nested = list(_lines(one)) if isinstance(one, dict | list) and one else list(_after("", one))
            yield f"- {nested[0]}"
            yield from (f"  {line}" for line in nested[1:])
    else:
        yield from _after("", value)


def _after(head: str, value: Any) -> Iterator[str]:
    """A value on the line of its name where it fits there, else below it."""
    if isinstance(value, dict | list) and value:
        yield head
        yield from (f"  {line}" for line in _lines(value))
    elif isinstance(value, str) and "\n" in value:
        yield head or "text:"
        yield from (f"  {_BAR}{line}" for line in value.split("\n"))
    else:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield f"{head} {text}" if head else text


def _one_line(name: str) -> str:
    return name.replace("\n", "\\n")
