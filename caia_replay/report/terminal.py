"""What all that is printed shares: tables, shares and counts, text and JSON harmless in a terminal, progress bars."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderResult
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.table import Table

WIDEST = 200
"""Columns of a table that goes to no terminal: nothing in it is cut off there."""


def tell(*parts: str | Table) -> None:
    """Print lines and tables, whoever wrote the words in them: what is not printable is replaced, nothing is markup."""
    console = Console(width=None if sys.stdout.isatty() else WIDEST, markup=False, emoji=False)
    for part in parts:
        if isinstance(part, str):
            print(_harmless(part))
        else:
            console.print(_Harmless(part))


def _harmless(text: str) -> str:
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


class _Harmless:
    """A table whose cells are told as ``tell`` does, and its colours kept."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._table, options):
            is_text = not segment.control and segment.text != "\n"
            yield Segment(_harmless(segment.text), segment.style) if is_text else segment


def plain_table(words: Iterable[str], figures: Iterable[str], *, no_wrap: bool = True) -> Table:
    """A table without frame: columns of words, and columns of figures, on the right, which are cut off or wrapped."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for title in words:
        table.add_column(title, no_wrap=True)
    for title in figures:
        table.add_column(title, justify="right", no_wrap=no_wrap)
    return table


def percent(fraction: float | None, none: str = "unscored") -> str:
    """A share from 0 to 1 as people read it, ``none`` where there is none."""
    return none if fraction is None else f"{100 * fraction:.1f} %"


def cell_name(folder: str) -> str:
    """A cell by its subfolder: its arm, and its condition where that is not the usual one."""
    return folder if folder.endswith("-no-tools") else folder.removesuffix("-tools")


def count(number: int, thing: str) -> str:
    """``1 run``, ``2 runs``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def printed_json(value: Any) -> str:
    """``value`` as indented JSON, equal to it when read; what is not printable is written as JSON's own escapes.

    JSON itself asks that of control characters below 0x20 alone, and leaves out DEL, C1, bidirectional marks, letters
    without width and half letters (lone surrogates).
    """
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return "".join(letter if letter.isprintable() or letter == "\n" else _escape(letter) for letter in text)


def _escape(letter: str) -> str:
    units = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


@contextmanager
def progress_bar(total: int, doing: str = "replaying") -> Iterator[Callable[[int], None]]:
    """A bar over ``total`` runs, or run folders, on stderr; yields the function to call with how many more are done."""
    console = Console(stderr=True)
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(doing, total=total)
        yield lambda count: bar.advance(task, count)
