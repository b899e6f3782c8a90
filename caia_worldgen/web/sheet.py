"""Figures set out in lines and grids, as dashboards, explorers and research notes print them, with their claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from caia_worldgen.web.page import Claim, Told
from caia_worldgen.web.prose import Written

Cell = Told | str
LINES: Final = ("{}: {}", "- {}: {}", "{} | {}", "{} — {}", "* {} = {}", "• {}  {}", "| {} | {} |", "{}\t{}")
"""How a label and its value stand on a line."""
GRIDS: Final = (
    ("| ", " | ", " |"),
    ("", " | ", ""),
    ("", "\t", ""),
    ("- ", ", ", ""),
    ("", "; ", ""),
    ("> ", " / ", ""),
)
"""What stands before, between and after the cells of a row."""


def listing(rows: Sequence[tuple[str, Cell]], style: str) -> Written:
    """A line for every label and value; ``style`` is one of ``LINES``."""
    lines = [style.format(label, _words(value)) for label, value in rows]
    return Written("\n".join(lines), _claims([value for _, value in rows]))


def grid(head: Sequence[str], rows: Sequence[Sequence[Cell]], style: tuple[str, str, str]) -> Written:
    """A row for the names of the columns, unless there are none, and one for each of ``rows``; ``style`` is one of
    ``GRIDS``."""
    before, between, after = style
    lines = [before + between.join(map(_words, row)) + after for row in ([head] if head else []) + list(rows)]
    return Written("\n".join(lines), _claims([cell for row in rows for cell in row]))


def plain(text: str) -> Written:
    """A text that claims nothing."""
    return Written(text, ())


def _words(cell: Cell) -> str:
    return cell if isinstance(cell, str) else cell.words


def _claims(cells: Sequence[Cell]) -> tuple[Claim, ...]:
    return tuple(cell.claim for cell in cells if not isinstance(cell, str) and cell.claim is not None)
