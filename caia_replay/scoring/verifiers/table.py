"""Tables: rows found by their keys, every cell judged by its own kind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from caia_replay.core.score import Score, Verifier
from caia_replay.core.task import AnswerKind, AnswerSpec, Column
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import folded
from caia_replay.scoring.unit import own_unit, parse_unit
from caia_replay.scoring.verifiers.grid import Grid, grids
from caia_replay.scoring.verifiers.heading import STATED, with_heading

_NESTED = ("table", "open")


class TableVerifier:
    """Right when the answer's rows are the value's, each found by its key columns and right in every cell.

    The order of rows is free; one missing or one too many is wrong. A header is optional: with one, columns are
    found by name and others are ignored; without, the columns stand in the task's order. Without key columns a
    row is found by all its cells. A scale or unit in a header ("TVL ($M)", "TVL, in thousands") counts for the numbers
    below it; a scale told beside the table, or a unit there that none of its columns has, makes it unreadable.
    """

    reads: tuple[str, ...] = ("columns",)

    def __init__(self, kinds: Mapping[AnswerKind, Verifier]) -> None:
        self._kinds = kinds

    def verify(self, spec: AnswerSpec, answer: str) -> Score:
        """Judge ``answer``. Raises ``BadInput`` for rows that do not fit the columns, equal keys, or a bad cell."""
        columns = spec.columns or ()
        gold = self._gold(spec, columns)
        fault, reading = "no readable table", None
        for grid in grids(answer, len(columns)):
            if any(not _fits(word, columns) for word in grid.units):
                fault = f"told in {grid.units[0]}"
                continue
            for rows in _aligned(grid, columns):
                said = sorted(" | ".join(folded(cell) for cell in row) for row in rows)
                if not said:
                    continue
                wrong = self._differs(columns, gold, rows)
                if not wrong:
                    return Score(True, f"read {len(rows)} rows", "\n".join(sorted(" | ".join(row) for row in gold)))
                if reading is None:
                    fault, reading = wrong, "\n".join(said)
        return Score(False, fault, reading)

    def _gold(self, spec: AnswerSpec, columns: Sequence[Column]) -> list[tuple[str, ...]]:
        if not columns or any(column.kind in _NESTED or column.kind not in self._kinds for column in columns):
            raise BadInput("a table needs columns, none of them a table or open", where="answer.columns")
        if len({folded(column.name) for column in columns}) != len(columns):
            raise BadInput("two columns have one name", where="answer.columns")
        gold = [tuple(cell.strip() for cell in row.split(" | ")) for row in spec.values]
        for row in gold:
            if len(row) != len(columns):
                raise BadInput(
                    f"row {' | '.join(row)!r} has {len(row)} cells for {len(columns)} columns", where="answer.values"
                )
            for column, cell in zip(columns, row):
                self._meets(column, cell, cell)
        for at, row in enumerate(gold):
            if any(self._matches(columns, other, row) for other in gold[:at]):
                raise BadInput(f"two rows have the key of {' | '.join(row)!r}", where="answer.values")
        return gold

    def _differs(
        self, columns: Sequence[Column], gold: Sequence[tuple[str, ...]], rows: Sequence[tuple[str, ...]]
    ) -> str:
        """What is wrong with the rows, or an empty text."""
        if len(rows) != len(gold):
            return f"{len(rows)} rows, not {len(gold)}"
        left = list(rows)
        for wanted in gold:
            found = [row for row in left if self._matches(columns, wanted, row)]
            if len(found) != 1:
                return f"{len(found)} rows for {wanted[0]!r}"
            for column, cell, said in zip(columns, wanted, found[0]):
                if not self._meets(column, cell, said):
                    return f"{column.name} of {wanted[0]!r} is not {said!r}"
            left.remove(found[0])
        return ""

    def _matches(self, columns: Sequence[Column], wanted: Sequence[str], row: Sequence[str]) -> bool:
        keyed = any(column.key for column in columns)
        cells = zip(columns, wanted, row)
        return all(self._meets(column, cell, said) for column, cell, said in cells if column.key or not keyed)

    def _meets(self, column: Column, wanted: str, said: str) -> bool:
        if not wanted:
            raise BadInput(f"an empty cell in column {column.name!r}", where="answer.values")
        if not said.strip():
            return False
        many = column.kind in ("text_set", "text_list")
        values = tuple(part.strip() for part in wanted.split(";")) if many else (wanted,)
        cell = AnswerSpec(column.kind, values, column.unit, column.tolerance_percent)
        return self._kinds[column.kind].verify(cell, said).correct is True


def _fits(word: str, columns: Sequence[Column]) -> bool:
    """Whether a unit told beside a table is one that some column of numbers is asked in."""
    asked = [parse_unit(column.unit)[0] for column in columns if column.kind == "number" and column.unit]
    return any(unit is not None and own_unit(word).family == unit.family for unit in asked)


def _aligned(grid: Grid, columns: Sequence[Column]) -> list[list[tuple[str, ...]]]:
    """The rows with their cells in the columns' order: by the header's names, else as they stand."""
    width = len(columns)
    names, rows = grid.names, list(grid.rows)
    if names is None and len(rows) > 1 and _is_header(rows[0], columns):
        names, rows = rows[0], rows[1:]
    if names is None:
        return [rows] if all(len(row) == width for row in rows) else []
    places = _places(names, columns)
    if places is None:
        return []
    if any(len(row) != len(names) for row in rows):
        return []
    return [[tuple(with_heading(row[at], names[at], column) for at, column in zip(places, columns)) for row in rows]]


def _is_header(row: Sequence[str], columns: Sequence[Column]) -> bool:
    """Whether a first row names columns: one of them by name, or a cell that should hold digits holds none."""
    named = {folded(column.name) for column in columns}
    if any(folded(STATED.sub("", cell)) in named for cell in row):
        return True
    wordy = ("text", "text_set", "text_list", "boolean", "url", "abi")
    exact = len(row) == len(columns)
    return exact and any(not re.search(r"\d", cell) for cell, column in zip(row, columns) if column.kind not in wordy)


def _places(names: Sequence[str], columns: Sequence[Column]) -> list[int] | None:
    """Where each column stands: by equal name, by a name that contains it, or by position when only that is left."""
    heads = [folded(STATED.sub("", name)) for name in names]
    whole = [folded(name) for name in names]
    found: dict[int, int] = {}
    for at, column in enumerate(columns):
        wanted = folded(column.name)
        equal = [place for place in range(len(heads)) if wanted in (heads[place], whole[place])]
        if len(equal) > 1:
            return None
        if equal:
            found[at] = equal[0]
    for at, column in enumerate(columns):
        wanted = folded(column.name)
        free = [place for place in range(len(heads)) if place not in found.values() and heads[place]]
        like = [place for place in free if wanted in heads[place] or heads[place] in wanted]
        if at not in found and len(like) == 1:
            found[at] = like[0]
    missing = [at for at in range(len(columns)) if at not in found]
    free = [place for place in range(len(heads)) if place not in found.values()]
    if len(missing) == 1 == len(free) or (missing and len(names) == len(columns) and missing == free):
        found |= dict(zip(missing, free))
    return [found[at] for at in range(len(columns))] if len(found) == len(columns) else None
