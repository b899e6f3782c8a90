"""The recorded row that is nearest to a question nobody recorded, in words for people."""

from __future__ import annotations

from typing import Any

from caia_replay.chain.column import to_hex
from caia_replay.chain.sorted_table import SortedTable


def nearest_row(table: SortedTable, names: tuple[str, ...], key: tuple[Any, ...]) -> str:
    """The neighbour, of the place where ``key`` would stand, that shares more of it; in words.

    ``from_block`` is only the last part of a key and never counts as shared.
    """
    if not len(table):
        return f"no {names[0]} is recorded at all"
    place = table.right(names, key)
    beside = [at for at in (place - 1, place) if 0 <= at < len(table)]
    shown = tuple(name for name in names if name != "from_block")

    def shared(at: int) -> int:
        return sum(table.cell(name, at) == part for name, part in zip(shown, key, strict=False))

    at = max(beside, key=shared)
    cells = [table.cell(name, at) for name in shown]
    words = ", ".join(f"{n} {to_hex(c) if isinstance(c, bytes) else c}" for n, c in zip(shown, cells, strict=True))
    if "from_block" not in names:
        return words
    return f"{words}, known for blocks {table.cell('from_block', at)} to {table.cell('to_block', at)}"
