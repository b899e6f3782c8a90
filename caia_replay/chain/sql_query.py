"""SQL over a chain's recorded tables: one SELECT, run in a process of its own that ends with it.

The tables hold the blocks of one range that ends at the pin at the latest, and exist only where they are known whole.
Equal statements over equal tables give equal rows in an equal order.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import BoundedSemaphore
from types import TracebackType
from typing import Any, Final

from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.sql_table import TABLES, SqlTable, sql_table
from caia_replay.errors import BadInput, ForkFault, Miss, ToolError, WallLimit

LIMIT_S: Final = 20.0
MEMORY_BYTES: Final = 4 << 30
"""Of address space; the engine itself is told to keep to a quarter of it."""

_CPU_S: Final = 60
"""After which a worker ends whose parent was killed and does not end it."""
_KEPT_ENVIRONMENT: Final = ("LD_LIBRARY_PATH", "PATH", "PYTHONPATH", "SYSTEMROOT")


@dataclass(frozen=True, slots=True)
class SqlRange:
    """The recorded blocks a statement reads: those of ``source`` from ``first`` to ``last``."""

    source: ChainSource
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class SqlAnswer:
    """``columns`` are {name, type}; ``rows`` some of ``total``, which is a lower bound unless ``counted``.

    ``absent`` are columns by table that no statement can name here: they were not recorded for all of the range.
    """

    columns: list[dict[str, str]]
    rows: list[list[Any]]
    total: int
    counted: bool
    tables: list[str]
    absent: Mapping[str, list[str]]


class MoreTable:
    """A table beside the recorded ones that only one statement knows, made when it is asked for."""

    name: str

    def make(self, folder: Path) -> SqlTable:
        """The table, its rows in files in ``folder``."""
        raise NotImplementedError


_at_once: Final = BoundedSemaphore(2)
"""Engines of one process that work at once. More would only slow each other down, and each has but its own time."""


def run_sql(
    text: str,
    over: SqlRange,
    *,
    limit: int,
    offset: int = 0,
    more: MoreTable | None = None,
    limit_s: float | None = None,
) -> SqlAnswer:
    """The answer to one SELECT over the tables of ``over``, and ``more``.

    Raises ``ToolError`` for what may not or cannot be run, ``Miss`` where a table or a column it names is not known for
    the whole range, ``WallLimit`` after ``limit_s`` (default: ``LIMIT_S``), and ``BadInput`` where the engine is not
    installed.
    """
    if find_spec("duckdb") is None:
        raise BadInput("SQL needs DuckDB, which is not installed", next_command="pip install duckdb")
    names = sorted({*TABLES, *([more.name] if more else [])})
    with (
        _at_once,
        TemporaryDirectory(prefix="caia-replay-sql-") as place,
        _Worker(LIMIT_S if limit_s is None else limit_s) as worker,
    ):
        asked = worker.ask({"sql": text, "tables": names, "memory_bytes": MEMORY_BYTES, "cpu_s": _CPU_S})
        made: dict[str, SqlTable] = {}
        for name in asked["tables"]:
            if more is not None and name == more.name:
                made[name] = more.make(Path(place))
            else:
                made[name] = sql_table(name, over.source, over.first, over.last, Path(place))
        order = {"create": [table.create for table in made.values()], "limit": limit, "offset": offset}
        try:
            value = worker.ask(order)
        except _UnknownColumn as fault:
            raise _explained(fault, made, over) from fault
    absent = {name: sorted(table.absent) for name, table in made.items() if table.absent}
    return SqlAnswer(value["columns"], value["rows"], value["total"], value["counted"], sorted(made), absent)


class _UnknownColumn(ToolError):
    def __init__(self, words: str, column: str) -> None:
        self.column = column
        super().__init__(words)


def _explained(fault: _UnknownColumn, made: Mapping[str, SqlTable], over: SqlRange) -> ToolError | Miss:
    """Why a column is not there: it was not recorded, its numbers are too wide, or there is none of that name."""
    for name, table in made.items():
        if fault.column in table.absent:
            wanted = f"{fault.column} of {name} in all blocks from {over.first} to {over.last}"
            return Miss("block", wanted, over.source.name)
        if fault.column in table.wide:
            return ToolError(
                f"{fault.column} of {name} exceeds 127 bits in blocks {over.first} to {over.last}; "
                f"use {fault.column}_string (exact text) or {fault.column}_f64"
            )
    return ToolError(str(fault))


class _Worker:
    """The engine's process. ``limit_s`` holds for each question to it."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._late = False
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "caia_replay.chain.sql_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env={name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ},
        )

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        process = self._process
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()

    def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Its answer. Raises ``ToolError``, ``WallLimit``, and ``ForkFault`` where it died."""
        assert self._process.stdin is not None and self._process.stdout is not None
        timer = threading.Timer(self._limit_s, self._end)
        timer.start()
        try:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        if self._late:
            raise WallLimit("the SQL statement", self._limit_s)
        if not line:
            raise ForkFault(f"the SQL engine ended with code {self._process.wait()} without an answer")
        fields: dict[str, Any] = json.loads(line)
        if "refused" in fields:
            column = fields.get("column")
            raise _UnknownColumn(fields["refused"], column) if column else ToolError(fields["refused"])
        return fields

    def _end(self) -> None:
        self._late = True
        self._process.kill()
