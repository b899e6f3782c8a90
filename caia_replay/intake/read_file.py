"""Files of raw questions, read as a stranger's: CSV, JSON, JSON Lines and plain text; all of one or nothing.

CSV has a header line with a column for the question; comma, semicolon or tab between cells. JSON is a list of objects
or texts, or an object whose one list is that. JSON Lines has an object or a text a line. In plain text a question is
a paragraph: blank lines stand between questions; where there is no blank line, each line is a question.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.errors import BadInput, nearest
from caia_replay.intake.question import Question, check_writable
from caia_replay.store.plain_file import read_text

MAX_BYTES: Final = 64 * 2**20
MAX_ROWS: Final = 50_000
LONGEST: Final = 20_000
"""Characters of a question."""
LONGEST_CELL: Final = 100_000
"""Characters of any other cell."""
FIELDS: Final = Path(__file__).with_name("fields.toml")
KINDS: Final = ("csv", "json", "jsonl", "text")
_KIND_OF: Final = {".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".txt": "text"}


class _Number(str):
    """A number of JSON as the text it was: 1.10 is not 1.1."""


def _loaded(text: str) -> Any:
    """JSON with its numbers as they were written. Raises ``ValueError`` as ``strict_json``."""
    strict_json(text)
    return json.loads(text, parse_float=_Number, parse_int=_Number)


Row = tuple[str, Mapping[str, Any] | str]
"""Where a row stands, for messages, and what it says."""


def read_questions(path: Path, kind: str | None = None) -> list[Question]:
    """The questions of a file in its order. ``kind`` is one of ``KINDS``; None: as its name's ending says.

    Raises ``BadInput`` naming the first row that cannot be taken and how many there are: one without a question, with
    too many cells, or with what no text file holds.
    """
    kind = kind or _KIND_OF.get(path.suffix.lower(), "")
    if not kind:
        raise BadInput(
            f"what kind of file is {path.suffix or path.name!r:.40}?",
            where=path,
            next_command="--kind csv|json|jsonl|text",
        )
    text = read_text(path, MAX_BYTES)
    found, faults = list[Question](), list[str]()
    for place, row in _ROWS[kind](text, path):
        try:
            found.append(_question(row))
        except ValueError as fault:
            faults.append(f"{place}: {fault}")
        if len(found) + len(faults) > MAX_ROWS:
            raise BadInput(f"more than {MAX_ROWS} rows", where=path, next_command="split the file")
    if faults:
        rest = f" (and {len(faults) - 1} more rows)" if len(faults) > 1 else ""
        raise BadInput(f"{faults[0]}{rest}; nothing was added", where=path, next_command="mend them, then add again")
    if not found:
        raise BadInput("holds no question", where=path)
    return found


def _csv(text: str, path: Path) -> Iterator[Row]:
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(",;\t", key=lambda mark: (len(_header(first, mark)), mark == ","))
    csv.field_size_limit(MAX_BYTES)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as fault:
            raise BadInput(
                f"line {start}: {fault}; nothing was added", where=path, next_command="save it as CSV"
            ) from None
        if cells is None:
            break
        if not any(cell.strip() for cell in cells):
            continue
        if header is None:
            header = _checked_header([cell.strip() for cell in cells], path)
        elif len(cells) > len(header) and any(cell.strip() for cell in cells[len(header) :]):
            raise BadInput(
                f"line {start}: {len(cells)} cells, and the header has {len(header)}; nothing was added",
                where=path,
                next_command="put texts with a separator in quotation marks",
            )
        else:
            yield f"line {start}", dict(zip(header, cells))


def _header(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter), [])


def _checked_header(header: list[str], path: Path) -> list[str]:
    names = [_folded(name) for name in header]
    if not set(names) & {*_names()["question"]}:
        raise BadInput(
            "no column is called 'question'", where=path, nearest=nearest("question", filter(None, header)),
            next_command="name the columns in the first line",
        )  # fmt: skip
    if twice := sorted({name for name in header if name and header.count(name) > 1}):
        raise BadInput(f"two columns are called {twice[0]!r:.60}", where=path, next_command="give each its own name")
    return [name or f"column {at}" for at, name in enumerate(header, start=1)]


def _json(text: str, path: Path) -> Iterator[Row]:
    try:
        content = _loaded(text)
    except ValueError as fault:
        raise BadInput(f"is no JSON: {fault!s:.200}", where=path) from None
    if isinstance(content, dict):
        lists = [value for value in content.values() if isinstance(value, list)]
        content = lists[0] if len(lists) == 1 else content
    if not isinstance(content, list):
        raise BadInput("is no JSON list of questions, nor an object with one list", where=path)
    yield from ((f"item {at}", item) for at, item in enumerate(content, start=1))


def _json_lines(text: str, path: Path) -> Iterator[Row]:
    for at, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield f"line {at}", _loaded(line)
            except ValueError as fault:
                raise BadInput(f"line {at} is no JSON: {fault!s:.200}; nothing was added", where=path) from None


def _text(text: str, path: Path) -> Iterator[Row]:
    lines = [line.rstrip() for line in text.strip().splitlines()]
    blocks = re.split(r"\n(?:[ \t]*\n)+", "\n".join(lines)) if "" in lines else lines
    yield from ((f"question {at}", block.strip()) for at, block in enumerate(blocks, start=1) if block.strip())


_ROWS: Final = {"csv": _csv, "json": _json, "jsonl": _json_lines, "text": _text}


def _question(row: Mapping[str, Any] | str) -> Question:
    """A row's question. Raises ``ValueError`` saying in words why it cannot be taken."""
    if type(row) is str:
        row = {"question": row}
    if not isinstance(row, Mapping):
        raise ValueError("is neither a text nor an object")
    said = {str(name).strip(): _plain(value) for name, value in row.items()}
    said = {name: value for name, value in said.items() if value}
    by_name, fields = {_folded(name): name for name in reversed(said)}, dict[str, str]()
    for field, names in _names().items():
        if column := next((by_name[name] for name in names if name in by_name), None):
            fields[field] = said.pop(column)
    if not fields.get("question"):
        raise ValueError("has no question")
    if len(fields["question"]) > LONGEST:
        raise ValueError(f"its question has more than {LONGEST} characters")
    if long := next((name for name, value in {**fields, **said}.items() if len(value) > LONGEST_CELL), None):
        raise ValueError(f"{long!r:.60} has more than {LONGEST_CELL} characters")
    question = Question(**fields, more=said)
    if fault := check_writable(question):
        raise ValueError(fault)
    return question


def _plain(value: Any) -> str:
    """A cell as text; lists and objects as JSON, null as nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (dict, list)):
        return canonical_bytes(value).decode("utf-8", "surrogatepass") if value else ""
    return str(value).strip()


@cache
def _names() -> dict[str, list[str]]:
    found = tomllib.loads(FIELDS.read_text("utf-8"))
    return {field: [_folded(name) for name in names] for field, names in found.items()}


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).casefold()
