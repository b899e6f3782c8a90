"""The process SQL runs in: ``python -m caia_replay.chain.sql_worker``, one statement, two lines each way.

    asked   {"sql", "tables", "memory_bytes", "cpu_s"}  told  {"tables"}: those that the statement reads
    asked   {"create", "limit", "offset"}               told  {"columns", "rows", "total", "counted"}

``create`` has one CREATE TABLE for each table. What is wrong with a statement is told as {"refused"}, beside the
column where one was not found. A process of its own, because the engine does not keep its memory limit for values
and does not hear an interrupt while it makes one: here the system holds the limit, and the parent ends it in time.
Should the parent itself be killed, ``cpu_s`` ends it.
"""

from __future__ import annotations

import json
import math
import re
import resource
import sys
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from caia_replay.chain.sql_statement import Statement
from caia_replay.errors import ToolError, one_line

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST_COUNTED: Final = 1_000_000
MOST_TEXT: Final = 100_000
"""Characters of all rows that are handed out at once."""

_EXACT_FLOAT: Final = 1 << 53
_PLAIN: Final = frozenset(
    ("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
     "UHUGEINT", "FLOAT", "DOUBLE", "VARCHAR", "BLOB", "NULL")
)  # fmt: skip
"""Types whose values come as they are; of any other the engine writes the text."""
_AS_TEXT: Final = ("HUGEINT", "UHUGEINT", "DECIMAL")
_COLUMN: Final = re.compile(r'(?:column|named|key) "([^"]+)"')
_MOMENT: Final = re.compile(r"([0-9]{4,6}-[0-9]{2}-[0-9]{2}) ([0-9:.]+)")
_TOO_LARGE: Final = "the statement needs more memory than it may use; ask for less at once"
_SETTINGS: Final = {
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
    "temp_directory": "",
    "preserve_insertion_order": True,
    "default_null_order": "nulls_last",
    "enable_external_access": False,  # after the directory, which it fixes
}


def main() -> int:
    """Serve one statement; 0 also where it was refused."""
    asked = json.loads(sys.stdin.readline())
    resource.setrlimit(resource.RLIMIT_AS, (asked["memory_bytes"], asked["memory_bytes"]))
    resource.setrlimit(resource.RLIMIT_CPU, (asked["cpu_s"], asked["cpu_s"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    import duckdb

    engine = duckdb.connect(":memory:")
    try:
        statement = Statement(engine, asked["sql"], frozenset(asked["tables"]))
        _tell({"tables": statement.tables})
        order = json.loads(sys.stdin.readline())
        _prepare(engine, order["create"], asked["memory_bytes"])
        try:
            _run(engine, statement, order)
        except duckdb.Error as fault:
            _tell(_refusal(fault))
    except ToolError as fault:
        _tell({"refused": str(fault)})
    except RecursionError:
        _tell({"refused": "the statement is nested too deeply; write it with fewer operators in one expression"})
    except (MemoryError, duckdb.OutOfMemoryException):
        _tell({"refused": _TOO_LARGE})
    return 0


def _prepare(engine: DuckDBPyConnection, creates: list[str], memory_bytes: int) -> None:
    """The tables, then every door shut: what fails here is no fault of the statement's."""
    engine.execute("SET TimeZone = 'UTC'")
    engine.execute("SET threads = 1")  # of two, sums of floats come out differently from time to time
    engine.execute(f"SET memory_limit = '{memory_bytes // 4} bytes'")
    for create in creates:
        engine.execute(create)
    for name, value in _SETTINGS.items():
        engine.execute(f"SET {name} = {repr(value) if isinstance(value, str) else json.dumps(value)}")
    engine.execute("SET lock_configuration = true")


def _run(engine: DuckDBPyConnection, statement: Statement, order: dict[str, Any]) -> None:
    described = engine.execute(f"DESCRIBE {statement.text}").fetchall()
    columns = [(str(row[0]), str(row[1])) for row in described]
    engine.execute(_readable(statement.ordered(len(columns)), [kind for _, kind in columns]))
    _tell(_answer(engine, columns, order["limit"], order["offset"]))


def _readable(text: str, kinds: list[str]) -> str:
    """The same rows with every value in a form that can be fetched exactly."""
    if all(_is_plain(kind) for kind in kinds):
        return text
    names = [f"c{at}" for at in range(len(kinds))]
    shown = [name if _is_plain(kind) else f"CAST({name} AS VARCHAR)" for name, kind in zip(names, kinds, strict=True)]
    return f"SELECT {', '.join(shown)} FROM ({text}) AS answer({', '.join(names)})"


def _is_plain(kind: str) -> bool:
    return kind in _PLAIN or (kind.startswith("DECIMAL") and not kind.endswith("]"))


def _answer(engine: DuckDBPyConnection, columns: list[tuple[str, str]], limit: int, offset: int) -> dict[str, Any]:
    kinds = [kind for _, kind in columns]
    rows: list[list[Any]] = []
    total = 0
    while total < MOST_COUNTED and (part := engine.fetchmany(2_000)):
        for row in part:
            if offset <= total < offset + limit:
                rows.append([_cell(value, kind) for value, kind in zip(row, kinds, strict=True)])
            total += 1
    size = sum(len(str(cell)) for row in rows for cell in row)
    if size > MOST_TEXT:
        raise ToolError(f"these {len(rows)} rows have {size} characters; at most {MOST_TEXT} are told at once")
    shown = [{"name": name, "type": kind} for name, kind in columns]
    return {"columns": shown, "rows": rows, "total": total, "counted": total < MOST_COUNTED}


def _cell(value: Any, kind: str) -> Any:
    """A value as JSON: wide and decimal numbers as exact texts, what is no number by its name, bytes as 0x text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, (int, Decimal)):
        wide = kind.startswith(_AS_TEXT) or not -_EXACT_FLOAT <= value <= _EXACT_FLOAT
        return format(value, "f") if isinstance(value, Decimal) else (str(value) if wide else value)
    if isinstance(value, bytes):
        return "0x" + value.hex()
    found = _MOMENT.fullmatch(value) if kind.startswith("TIMESTAMP") else None
    return f"{found[1]}T{found[2]}Z" if found else str(value)


def _refusal(fault: Exception) -> dict[str, Any]:
    """An engine's error in its own words, without the place in a text that nobody wrote so."""
    kind = type(fault).__name__
    if kind in ("InternalException", "FatalException", "IOException"):
        return {"refused": "the engine cannot run this statement; write it another way"}
    words = one_line(re.split(r"\n+(?:LINE \d|Possible solutions|Candidate bindings)", str(fault))[0])
    if kind == "OutOfMemoryException":
        words = _TOO_LARGE
    found = _COLUMN.search(words) if kind == "BinderException" else None
    return {"refused": words, "column": found[1].lower() if found else None}


def _tell(reply: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
