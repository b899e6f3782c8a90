"""Answers of several parts: tables drawn or written as records, lists of names, and contract interfaces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from caia_replay.canonical import strict_json
from caia_replay.core.task import AnswerSpec, Column
from caia_replay.interop.caia_figure import read_figure

_LONGEST: Final = 20_000
_MOST_ROWS: Final = 100
_RULE: Final = re.compile(r"^\|?\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)*\|?\s*$")
_WORD: Final = re.compile(r"[A-Za-z]{3,}")
_NAME: Final = re.compile(
    r"[^\d\W][\w.&'’$-]*(?: [^\d\W][\w.&'’-]*){0,3}|[1-9A-HJ-NP-Za-km-z]{32,44}|0x[0-9a-fA-F]{40}"
)
_ADDRESS: Final = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}|0x[0-9a-fA-F]{40}")
_ASKS_ADDRESSES: Final = re.compile(r"\b(?:contract|mint|token)? ?address(?:es)?\b[\s.?]*$", re.IGNORECASE)
_CALENDAR: Final = re.compile(r"date|day|month|week", re.IGNORECASE)
_ASKS_ROWS: Final = re.compile(r"\b(?:table|daily|monthly|weekly|schedule|each|history)\b|每", re.IGNORECASE)
_ASKS_SET: Final = re.compile(r"\b(?:all|which|what are|who are|top|list|find)\b|哪些|前\s?\d", re.IGNORECASE)


def table_spec(value: str, question: str) -> AnswerSpec | None:
    """A table of the columns that the question asks for, by the words of their names; the first column finds rows."""
    if not _ASKS_ROWS.search(question) or len(value) > _LONGEST:
        return None
    header, rows = _drawn(value) or _records(value) or ((), ())
    if len(header) < 2 or not rows:
        return None
    asked = {word[:5] for word in (word.casefold() for word in _WORD.findall(question))}
    kept = [at for at in range(1, len(header)) if _named(header[at]) and _named(header[at]) <= asked]
    if not kept:
        return None
    key_kind = "date" if _CALENDAR.search(header[0]) and re.fullmatch(r"\d{4}-\d\d-\d\d", rows[0][0]) else "text"
    columns = [Column(header[0], "date" if key_kind == "date" else "text", key=True)]
    lines = [[row[0]] for row in rows]
    for at in kept:
        figures = [read_figure(row[at]) for row in rows]
        if any(figure is None for figure in figures):
            return None
        unit = next((figure.unit for figure in figures if figure), None)
        columns.append(Column(header[at], "number", unit=unit, tolerance_percent="caia-2026"))
        for line, figure in zip(lines, figures, strict=True):
            line.append(figure.value if figure else "")
    return AnswerSpec("table", tuple(" | ".join(line) for line in lines), columns=tuple(columns))


def item_figure(value: str, question: str) -> str | None:
    """Of a drawn table of items and their values the one value that the question asks for by all of its item's words;
    None where it asks for several, or for none."""
    header, rows = _drawn(value) or ((), ())
    asked = {word[:5].casefold() for word in _WORD.findall(question)}
    found = [row[1] for row in rows if len(header) == 2 and _named(row[0]) and _named(row[0]) <= asked]
    return found[0] if len(found) == 1 else None


def address_spec(value: str, question: str) -> AnswerSpec | None:
    """The addresses that a drawn table's rows begin with, where the question asks for addresses: what stands beside
    them says why, and not which."""
    _, rows = _drawn(value) or ((), ())
    names = [row[0] for row in rows]
    is_set = len(names) > 1 and len(set(names)) == len(names) and all(map(_ADDRESS.fullmatch, names))
    return AnswerSpec("text_set", tuple(names)) if is_set and _ASKS_ADDRESSES.search(question) else None


def _named(column: str) -> set[str]:
    value = re.sub(r"\([^)]*\)", "", column).replace("_", " ")
    return {word[:5].casefold() for word in _WORD.findall(value)}


def _drawn(value: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]] | None:
    """A Markdown table with a header and a rule below it; what is told around it does not matter."""
    lines = [line.strip() for line in value.split("\n")]
    for at, line in enumerate(lines[1:], start=1):
        if _RULE.match(line) and "|" in lines[at - 1]:
            header = _cells(lines[at - 1])
            rows = []
            for below in lines[at + 1 : at + 1 + _MOST_ROWS]:
                if below.count("|") < 2:
                    break
                rows.append(_cells(below))
            return (header, tuple(rows)) if all(len(row) == len(header) for row in rows) else None
    return None


def _cells(line: str) -> tuple[str, ...]:
    inside = line[1 : line.rindex("|")] if line.startswith("|") and line.count("|") > 1 else line
    return tuple(cell.strip() for cell in inside.split("|"))


def _records(value: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]] | None:
    """A list of flat records as Python or JSON prints it; quotation marks inside texts are not read."""
    found = re.match(r"\[\{.*?\}\]", value.strip(), re.DOTALL)
    if not found or '"' in found[0]:
        return None
    try:
        items = strict_json(found[0].replace("'", '"'))
    except ValueError:
        return None
    if not all(isinstance(item, Mapping) and item.keys() == items[0].keys() for item in items[:_MOST_ROWS]):
        return None
    return tuple(items[0]), tuple(tuple(str(cell) for cell in item.values()) for item in items[:_MOST_ROWS])


def names_spec(value: str, question: str) -> AnswerSpec | None:
    """Several names between commas as a set; as a list where they are numbered."""
    if len(value) > 500 or not _ASKS_SET.search(question):
        return None
    numbered = re.findall(r"(?:^|[;\n])\s*\d[.)]\s*([^;\n]+)", value)
    parts = numbered or re.split(r"[,，、]\s*(?:and\s+)?|\s+and\s+", value.rstrip(" ."))
    names = tuple(part.strip() for part in parts)
    if not 2 <= len(names) <= 30 or len({name.casefold() for name in names}) < len(names):
        return None
    if not all(_NAME.fullmatch(name) and (" " not in name or name != name.lower()) for name in names):
        return None
    return AnswerSpec("text_list" if numbered else "text_set", names)


def abi_spec(value: str, question: str) -> AnswerSpec | None:
    """The one function, event or error that an interface in JSON describes; None for a whole contract's."""
    if not re.search(r"\babi\b", question, re.IGNORECASE) or len(value) > _LONGEST:
        return None
    body = value.strip().strip("`").strip()
    try:
        content = strict_json(body)
    except ValueError:
        return None
    items = content if isinstance(content, list) else [content]
    if len(items) != 1 or not isinstance(items[0], Mapping):
        return None
    item = items[0]
    name = item.get("name") or _asked_function(question)
    types = list(_types(item.get("inputs")))
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_$][\w$]{0,99}", name) or None in types:
        return None
    kind = item.get("type", "function")
    word = "" if kind == "function" else f"{kind} "
    return AnswerSpec("abi", (f"{word}{name}({','.join(str(part) for part in types)})",))


def _asked_function(question: str) -> str | None:
    found = re.search(r"function\s*[\\\"'`]*([A-Za-z_]\w+)", question)
    return found[1] if found else None


def _types(inputs: Any) -> Iterator[str | None]:
    if not isinstance(inputs, Sequence) or isinstance(inputs, str):
        yield None
        return
    for part in inputs:
        value = part.get("type") if isinstance(part, Mapping) else None
        if not isinstance(value, str) or value.startswith("tuple") or not re.fullmatch(r"[a-z0-9\[\]]{1,40}", value):
            yield None  # a tuple's type is its components', which published interfaces nest without end
        else:
            yield value
