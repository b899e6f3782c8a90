"""Tables: rows found by their keys, every cell judged by its own kind."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from caia_replay.core.score import Score, Verifier
from caia_replay.core.task import AnswerKind, AnswerSpec, Column
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import LABEL, clean, fault_beside, folded
from caia_replay.scoring.numeral import SCALES
from caia_replay.scoring.unit import KNOWN
from caia_replay.scoring.words import Words, words_of

_NESTED: Final = ("table", "open")
_RULE: Final = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?")
_FENCE: Final = re.compile(r"```\w*")
_BULLET: Final = re.compile(r"^\s*(?:[-•*]|\(?\d{1,2}[.)])\s+")
_KEYED: Final = re.compile(r":\s+|\s+[-=]\s+|：")
_HEAD: Final = re.compile(
    r"\A(?P<name>.*?)\s*(?:[(\[](?:in\s+)?(?P<inside>[^()\[\]]*)[)\]]|,?\s+in\s+(?P<in>[\w$% ]+))\s*\Z", re.IGNORECASE
)
Row = tuple[str, ...]


class TableVerifier:
    """Right when the answer's rows are the value's, each found by its key columns and right in every cell.

    A table is Markdown's, JSON, or one row a line. The order of rows is free; one missing or one too many is wrong.
    With a header, columns are found by name and others are ignored; a scale or unit in it ("TVL ($M)") counts for the
    numbers below it. Without key columns a row is found by all its cells. Lines around a table hold plain words alone.
    """

    reads: tuple[str, ...] = ("columns",)

    def __init__(self, kinds: Mapping[AnswerKind, Verifier]) -> None:
        self._kinds = kinds

    def form(self, spec: AnswerSpec) -> str:
        """A row a line."""
        names = " | ".join(column.name + (f" ({column.unit})" if column.unit else "") for column in spec.columns or ())
        return f"a table, one row a line, with its header: {names}"

    def verify(self, spec: AnswerSpec, answer: str, question: str = "") -> Score:
        """Judge ``answer``. Raises ``BadInput`` for rows that do not fit the columns, equal keys, or a bad cell."""
        columns = spec.columns or ()
        gold = self._gold(spec, columns)
        rows, fault = _rows(answer, columns, words_of(question, *(column.name for column in columns)))
        if fault:
            return Score(False, fault)
        said = "\n".join(sorted(" | ".join(folded(cell) for cell in row) for row in rows))
        wrong = self._differs(columns, gold, rows, question)
        if wrong:
            return Score(False, wrong, said)
        return Score(True, f"read {len(rows)} rows", "\n".join(sorted(" | ".join(row) for row in gold)))

    def rows_right(self, spec: AnswerSpec, answer: str, question: str = "") -> tuple[int, int]:
        """How many of the wanted rows an answer has, each once and right in every cell, and how many rows it has."""
        columns = spec.columns or ()
        rows, _ = _rows(answer, columns, words_of(question, *(column.name for column in columns)))
        right = sum(
            sum(all(self._meets(*cell, question) for cell in zip(columns, wanted, row, strict=True)) for row in rows)
            == 1
            for wanted in self._gold(spec, columns)
        )
        return right, len(rows)

    def _gold(self, spec: AnswerSpec, columns: Sequence[Column]) -> list[Row]:
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
            for column, cell in zip(columns, row, strict=True):
                self._meets(column, cell, cell, "")
        for at, row in enumerate(gold):
            if any(self._matches(columns, other, row, "") for other in gold[:at]):
                raise BadInput(f"two rows have the key of {' | '.join(row)!r}", where="answer.values")
        return gold

    def _differs(self, columns: Sequence[Column], gold: Sequence[Row], rows: Sequence[Row], question: str) -> str:
        """What is wrong with the rows, or an empty text."""
        if len(rows) != len(gold):
            return f"{len(rows)} rows, not {len(gold)}"
        left = list(rows)
        for wanted in gold:
            found = [row for row in left if self._matches(columns, wanted, row, question)]
            if len(found) != 1:
                return f"{len(found)} rows for {wanted[0]!r}"
            for column, cell, said in zip(columns, wanted, found[0], strict=True):
                if not self._meets(column, cell, said, question):
                    return f"{column.name} of {wanted[0]!r} is not {said!r}"
            left.remove(found[0])
        return ""

    def _matches(self, columns: Sequence[Column], wanted: Row, row: Row, question: str) -> bool:
        keyed = any(column.key for column in columns)
        cells = zip(columns, wanted, row, strict=True)
        return all(self._meets(column, cell, said, question) for column, cell, said in cells if column.key or not keyed)

    def _meets(self, column: Column, wanted: str, said: str, question: str) -> bool:
        if not wanted:
            raise BadInput(f"an empty cell in column {column.name!r}", where="answer.values")
        if not said.strip():
            return False
        many = column.kind in ("text_set", "text_list")
        values = tuple(part.strip() for part in wanted.split(";")) if many else (wanted,)
        cell = AnswerSpec(column.kind, values, column.unit, column.tolerance_percent)
        return self._kinds[column.kind].verify(cell, said, question).correct is True


def _rows(answer: str, columns: Sequence[Column], words: Words) -> tuple[list[Row], str]:
    """The rows of an answer with their cells in the columns' order, or why there are none."""
    names, rows, around = _grid(answer, len(columns))
    for line in around:
        if fault := fault_beside(clean(line), (), words):
            return [], fault
    if not rows:
        return [], "no readable table"
    if names is None and _is_header(rows[0], columns):
        names, rows = rows[0], rows[1:]
    if names is None:
        even = all(len(row) == len(columns) for row in rows)
        return (list(rows), "") if even else ([], "rows of another width than the columns")
    heads = [_HEAD.fullmatch(name) for name in names]
    named = [folded(head["name"] if head else name) for head, name in zip(heads, names, strict=True)]
    wanted = [folded(column.name) for column in columns]
    at = [named.index(name) if named.count(name) == 1 else -1 for name in wanted]
    if -1 in at and len(named) == len(wanted):
        at = [place if place >= 0 else number for number, place in enumerate(at)]
    if -1 in at or len(set(at)) != len(at) or any(len(row) != len(names) for row in rows):
        return [], "columns that cannot be told apart"
    units = [(head["inside"] or head["in"] or "").strip() if head else "" for head in heads]
    return [
        tuple(_headed(row[place], units[place], column) for place, column in zip(at, columns, strict=True))
        for row in rows
    ], ""


def _grid(answer: str, width: int) -> tuple[Row | None, list[Row], list[str]]:
    """The header, the rows and the lines around them of the first table that an answer holds."""
    said = LABEL.sub("", _FENCE.sub("\n", answer).strip())
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    text = "\n".join(lines)
    start = min((at for at in (text.find("["), text.find("{")) if at >= 0), default=-1)
    if start >= 0 and "|" not in text:
        try:
            value, end = json.JSONDecoder(parse_float=str, parse_int=str).raw_decode(text, start)
        except (ValueError, RecursionError):
            value, end = None, start
        names, rows = _of_json(value)
        if rows:
            return names, rows, [text[:start], text[end:]]
    barred = [line for line in lines if line.count("|") >= 1]
    if barred:
        rules = [at for at, line in enumerate(barred) if _RULE.fullmatch(line)]
        cells = [tuple(clean(cell) for cell in line.removeprefix("|").removesuffix("|").split("|")) for line in barred]
        around = [line for line in lines if "|" not in line]
        if rules == [1]:
            return cells[0], cells[2:], around
        return None, [] if rules else cells, around
    best: tuple[list[Row], list[str]] = ([], lines)
    for split in (lambda line: line.split("\t"), _by_comma, _by_key):
        cells = [tuple(clean(cell) for cell in split(_BULLET.sub("", line))) for line in lines]
        rows = [row for row in cells if len(row) == width]
        around = [line for line, row in zip(lines, cells, strict=True) if len(row) != width]
        if len(rows) > len(best[0]):
            best = rows, around
    return None, *best


def _of_json(value: Any) -> tuple[Row | None, list[Row]]:
    """A list of objects with the same keys, or a list of lists; either may stand under a single name."""
    if isinstance(value, Mapping) and len(value) == 1:
        value = next(iter(value.values()))
    if not isinstance(value, list) or not value:
        return None, []
    if all(isinstance(row, Mapping) for row in value) and len({tuple(sorted(row)) for row in value}) == 1:
        names = tuple(map(str, value[0]))
        return names, [tuple(_text(row[name]) for name in value[0]) for row in value]
    if all(isinstance(row, list) for row in value):
        return None, [tuple(map(_text, row)) for row in value]
    return None, []


def _text(cell: Any) -> str:
    if isinstance(cell, list):
        return ", ".join(map(_text, cell))
    return {True: "yes", False: "no"}[cell] if isinstance(cell, bool) else clean(str(cell if cell is not None else ""))


def _by_comma(line: str) -> Sequence[str]:
    return next(csv.reader([re.sub(r",\s+", ", ", line)], skipinitialspace=True), [])


def _by_key(line: str) -> Sequence[str]:
    key, *rest = _KEYED.split(line, maxsplit=1)
    return [key, *(re.split(r",\s+", rest[0]) if rest else ())]


def _is_header(row: Row, columns: Sequence[Column]) -> bool:
    names = {folded(column.name) for column in columns}
    return any(folded(head["name"] if (head := _HEAD.fullmatch(cell)) else cell) in names for cell in row)


def _headed(cell: str, told: str, column: Column) -> str:
    """A cell of numbers with the scale and unit that its header tells."""
    if column.kind != "number" or not told or not re.search(r"\d", cell):
        return cell
    words = re.findall(r"[A-Za-z]+|[$€£%]", told)
    scale = next(
        (word for word in words if word.casefold() in SCALES or word.casefold().removesuffix("s") in SCALES), ""
    )
    unit = next((word for word in words if word != scale), "")
    if re.search(r"[A-Za-z%$€£]", cell) or (
        unit
        and unit not in "$€£"
        and unit.casefold() not in KNOWN
        and unit.casefold() != (column.unit or "").casefold()
    ):
        return cell
    front, back = (unit, "") if unit in "$€£" else ("", f" {unit}")
    return f"{front}{cell}{' ' + scale.removesuffix('s').casefold() if len(scale) > 1 else scale}{back}"
