"""Rows and cells of a table as answers write it: markdown, JSON, tab or comma separated, "key: cell, cell"."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from caia_replay.scoring.answer import clean
from caia_replay.scoring.unit import KNOWN, own_unit
from caia_replay.scoring.verifiers.naming import uncited


@dataclass(frozen=True, slots=True)
class Grid:
    """``rows`` of cell texts; ``names`` are the header's, None without a header; ``units`` those told beside it."""

    names: tuple[str, ...] | None
    rows: tuple[tuple[str, ...], ...]
    units: tuple[str, ...] = ()


_RULED = r"\s*(?::?-{2,}:?|:-:?|-:)\s*"
_RULE = re.compile(rf"\|?{_RULED}(?:\|{_RULED})*\|?")
_FENCE = re.compile(r"```[^\S\n]*\w*[^\S\n]*\n?|```")
_BULLET = re.compile(r"^\s*(?:[-•*+]|\(?\d{1,2}[.)])\s+")
_KEYED = re.compile(r":\s+|\s+[-–—]\s+|\s*(?:=>|->|→)\s*|\s*=\s*|:(?=\D)|：")
_PROSE = re.compile(
    r"\b(?:or|alternatively|however|maybe|perhaps|possibly|might|could|either|not|wrong|incorrect|instead|but|unsure|uncertain|"
    r"correction|actually)\b|n't|或|但|不",
    re.IGNORECASE,
)
_SCALED = re.compile(
    r"(?<![\d.,]\s)(?<![\d.,])\b(?:thousands?|millions?|billions?|trillions?|k\s?usd|usd\s?(?:k|m|mn|bn|b)|bps|basis\s+points)\b"
    r"|'?\b000s?\b|[$€£¥]\s?(?:k|m|mn|bn|b)\b|(?<![\d.,])[千万亿百]+(?:美元|元|个|枚|美金)|\b(?:x|times|multiplied\s+by)\s?1[\d,]*0\b|10\s?\^\s?\d",
    re.IGNORECASE,
)
"""A scale told beside a table: nobody says which of its columns it is for."""
_IN_UNIT = re.compile(
    r"\b(?:in|unit|units|denominated in|currency)\b[:\s]{1,2}(?:the\s+)?([A-Za-z]{1,12}|[€£¥%Ξ₿])(?![\w-])",
    re.IGNORECASE,
)
_OPEN_END = re.compile(r"^\W*(?:\.{3}|…)\W*$|\betc\b|\band\s+so\s+on\b|\band\s+(?:others|more)\b|等等", re.IGNORECASE)
_MOST_PROSE = 3
Split = Callable[[str], Sequence[str]]


def grids(answer: str, width: int) -> tuple[Grid, ...]:
    """Every way the answer reads as a table at least ``width`` cells wide, the most explicit form first.

    Lines of prose around a table are left out, unless they doubt it, leave it open ("etc.") or tell a scale for it
    ("in thousands"): such a table is none.
    """
    plain = _FENCE.sub("\n", answer)
    if found := _json(plain):
        return tuple(grid for grid in found if grid.rows)
    ruled = _ruled(plain)
    if ruled is not None:
        return (ruled,) if ruled.rows else ()
    lines = [line for line in uncited_lines(plain) if line.strip()]
    if len(lines) == 1:
        lines = [part for part in re.split(r";\s*|(?<=[\w%)]),\s+(?=[^,:;=]{1,60}[:=])", lines[0]) if part.strip()]
    found = []
    for split in _SPLITS:
        cells = [tuple(cell.strip() for cell in split(_BULLET.sub("", line))) for line in lines]
        rows = [row for row in cells if len(row) >= width]
        prose = [line for line, row in zip(lines, cells) if len(row) < width]
        # a line with a figure and too few cells is no prose but a broken row
        broken = any(1 < len(row) < width and re.search(r"\d", line) for line, row in zip(lines, cells))
        doubted = any(_doubts(line) for line in prose)
        if len({len(row) for row in rows}) == 1 and not broken and not doubted and len(prose) <= _MOST_PROSE:
            found.append(Grid(None, tuple(rows), _told(prose)))
    return tuple(dict.fromkeys(found))


def uncited_lines(text: str) -> list[str]:
    """The lines of ``text``, cleaned one by one so that tabs and bars survive, without addresses of sources."""
    return ["\t".join(clean(uncited(cell)) for cell in line.split("\t")) for line in text.splitlines()]


def _doubts(line: str) -> bool:
    """Whether prose beside a table says that the table is not what it looks like."""
    return any(pattern.search(line) for pattern in (_PROSE, _SCALED, _OPEN_END))


def _told(lines: Iterable[str]) -> tuple[str, ...]:
    """The units that prose beside a table tells for it ("all figures in EUR")."""
    return tuple(dict.fromkeys(found[1] for line in lines for found in _IN_UNIT.finditer(line) if _is_unit(found[1])))


def _is_unit(word: str) -> bool:
    return word.casefold() in KNOWN and own_unit(word).family not in ("time", "month", "times")


def _ruled(text: str) -> Grid | None:
    """A markdown table; None when there is none. Two tables are one with the rows of both."""
    lines = text.splitlines()
    rules = {at for at, line in enumerate(lines) if "-" in line and _RULE.fullmatch(line.strip()) and "|" in line}
    barred = [at for at, line in enumerate(lines) if line.count("|") > 1 or ("|" in line and line.strip().count("|"))]
    if not rules or not barred:
        return None
    if any(
        _doubts(line)
        for at, line in enumerate(lines)
        if at not in barred and not line.lstrip().lower().startswith("source")
    ):
        return Grid(None, ())
    names: tuple[str, ...] | None = None
    rows = []
    for at in barred:
        cells = tuple(clean(cell) for cell in lines[at].strip().removeprefix("|").removesuffix("|").split("|"))
        if at in rules:
            continue
        if at + 1 in rules:
            if names is not None and names != cells:
                return Grid(None, ())
            names = cells
        else:
            rows.append(cells)
    return Grid(names, tuple(rows), _told(line for at, line in enumerate(lines) if at not in barred))


def _json(text: str) -> list[Grid]:
    start = min((at for at in (text.find("["), text.find("{")) if at >= 0), default=-1)
    if start < 0:
        return []
    for spelled in (text, text.replace("'", '"')):
        try:
            decoder = json.JSONDecoder(parse_float=str, parse_int=str)
            value, end = decoder.raw_decode(spelled, start)
        except (ValueError, RecursionError):
            continue
        if _doubts(spelled[:start] + spelled[end:]):
            return [Grid(None, ())]
        units = _told((spelled[:start], spelled[end:]))
        return [replace(grid, units=units) for grid in _grids_of(value)]
    return []


def _grids_of(value: Any) -> list[Grid]:
    """A list of objects, a list of lists, an object of rows by key, or one of these under a single name."""
    if isinstance(value, Mapping):
        if len(value) == 1 and isinstance(only := next(iter(value.values())), list):
            return _grids_of(only)
        rows = [(key, *_cells(cells)) for key, cells in value.items()]
        shapes = {tuple(cells) for cells in value.values() if isinstance(cells, Mapping)}
        names = (
            ("", *shapes.pop()) if len(shapes) == 1 and all(isinstance(c, Mapping) for c in value.values()) else None
        )
        return [Grid(names, tuple(rows)), *([Grid(tuple(value), (tuple(_text(c) for c in value.values()),))])]
    if not isinstance(value, list) or not value:
        return []
    if all(isinstance(row, Mapping) for row in value):
        names = tuple(dict.fromkeys(name for row in value for name in row))
        return [Grid(names, tuple(tuple(_text(row.get(name)) for name in names) for row in value))]
    if all(isinstance(row, list) for row in value):
        return [Grid(None, tuple(tuple(_text(cell) for cell in row) for row in value))]
    return []


def _cells(value: Any) -> tuple[str, ...]:
    if isinstance(value, Mapping):
        return tuple(_text(cell) for cell in value.values())
    return tuple(_text(cell) for cell in value) if isinstance(value, list) else (_text(value),)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return ""
    return value if isinstance(value, str) else "; ".join(_text(cell) for cell in value)


def _by(mark: str) -> Split:
    return lambda line: line.strip().strip("|").split(mark) if mark == "|" else line.split(mark)


def _comma(line: str) -> Sequence[str]:
    try:
        return next(csv.reader([line], skipinitialspace=True), [])
    except csv.Error:
        return []


def _keyed(mark: str) -> Split:
    def split(line: str) -> Sequence[str]:
        found = _KEYED.search(line)
        return [line[: found.start()], *line[found.end() :].split(mark)] if found else []

    return split


_KEYED_BY = tuple(_keyed(mark) for mark in (", ", ",", ";", "|"))
_SPLITS: Sequence[Split] = (_by("\t"), _by("|"), _by(";"), _KEYED_BY[0], _comma, *_KEYED_BY[1:], _by(", "))
