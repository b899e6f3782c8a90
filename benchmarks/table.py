"""``python -m benchmarks``: groups of rows, printed as they are measured."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from benchmarks.row import Row
from caia_replay.errors import BadInput, nearest


def _chain() -> Iterator[Row]:
    from benchmarks import chain, fork, lookup, many_forks

    for source in (chain, fork, many_forks):
        yield from source.rows("mini-6")
    yield from lookup.rows()


def _http() -> Iterator[Row]:
    from benchmarks import http, narrow

    yield from http.rows()
    yield from narrow.rows("synthetic-178")


def _search() -> Iterator[Row]:
    from benchmarks.search import rows

    return rows()


def _tools() -> Iterator[Row]:
    from benchmarks import sandbox, tool_call

    yield from tool_call.rows("synthetic-178")
    yield from sandbox.rows()


def _scoring() -> Iterator[Row]:
    from benchmarks.scoring import rows

    return rows()


def _harness() -> Iterator[Row]:
    from benchmarks import doors, harness, live_runs

    yield from harness.rows("mini-6")
    yield from doors.rows("mini-6")
    yield from live_runs.rows("synthetic-178")


def _suite() -> Iterator[Row]:
    from benchmarks.suite import rows

    return rows("synthetic-178")


def _attack() -> Iterator[Row]:
    from benchmarks.attack import rows

    return rows("synthetic-178")


def _execution() -> Iterator[Row]:
    from benchmarks.execution import rows

    return rows("synthetic-execution")


def _recording() -> Iterator[Row]:
    from benchmarks import planning, recording

    yield from planning.rows()
    yield from recording.rows()


def _build() -> Iterator[Row]:
    from benchmarks.world_build import rows

    return rows()


GROUPS: dict[str, Callable[[], Iterator[Row]]] = {
    "chain": _chain,
    "http": _http,
    "search": _search,
    "tools": _tools,
    "scoring": _scoring,
    "harness": _harness,
    "suite": _suite,
    "attack": _attack,
    "execution": _execution,
    "recording": _recording,
    "build": _build,
}
ON_REQUEST = {"build"}
"""Groups of minutes, measured only when they are named."""


def run(groups: tuple[str, ...], as_json: bool) -> bool:
    """Measure the groups (default: all but those on request), print them; return whether every limit was kept."""
    for name in groups:
        if name not in GROUPS:
            known = nearest(name, GROUPS) or ", ".join(GROUPS)
            raise BadInput(f"no group {name!r}", nearest=known, next_command="python -m benchmarks --help")
    chosen = groups or tuple(name for name in GROUPS if name not in ON_REQUEST)
    measured = [(name, row) for name in chosen for row in GROUPS[name]()]
    if as_json:
        print(json.dumps([{"group": name, **row.plain()} for name, row in measured], indent=2))
    else:
        Console(width=None if sys.stdout.isatty() else 120).print(_table(measured))
    return all(row.ok for _, row in measured)


def _table(measured: list[tuple[str, Row]]) -> Table:
    table = Table(title="measured side by side, medians", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for name, justify in (("group", "left"), ("row", "left"), ("value", "right"), ("floor", "right")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for name in ("ratio", "limit", "ok"):
        table.add_column(name, justify="right")
    for group, row in measured:
        sign = ">=" if row.at_least else "<="
        table.add_row(
            group,
            row.name,
            f"{row.value:,.1f} {row.unit}",
            f"{row.floor:,.1f} {row.unit}",
            f"{row.ratio:.2f}",
            "told" if row.limit is None else f"{sign} {row.limit:g}",
            "-" if row.limit is None else "yes" if row.ok else "NO",
        )
    return table
