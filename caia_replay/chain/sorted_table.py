"""Binary search on the Arrow buffers of a sorted table: no Python object per row is kept.

Opening costs nothing per row, and a lookup costs its logarithm, from ten rows to a million.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


class SortedTable:
    """One parsed table, sorted by its key columns. Rows are numbered from 0."""

    def __init__(self, content: pa.Table) -> None:
        self.content = content
        self._cells: dict[str, Callable[[int], Any]] = {}
        self._order: dict[str, Callable[[int], int]] = {}
        for field in content.schema:
            if pa.types.is_fixed_size_binary(field.type) and not field.nullable:
                self._cells[field.name] = _fixed_reader(content[field.name].combine_chunks(), field.type.byte_width)
            elif pa.types.is_uint64(field.type) and not field.nullable:
                self._cells[field.name] = _uint64_reader(content[field.name].combine_chunks())

    def __len__(self) -> int:
        return int(self.content.num_rows)

    def cell(self, name: str, row: int) -> Any:
        """A cell of a required fixed-width column: ``bytes`` or ``int``."""
        return self._cells[name](row)

    def row(self, at: int) -> dict[str, Any]:
        """One whole row by column name."""
        return self.rows(at, at + 1)[0]

    def rows(self, start: int, stop: int) -> list[dict[str, Any]]:
        """The rows from ``start`` up to, not including, ``stop``."""
        return self.content.slice(start, stop - start).to_pylist()  # type: ignore[no-any-return]

    def left(self, names: Sequence[str], key: tuple[Any, ...]) -> int:
        """The first row whose leading key columns ``names`` are not below ``key``."""
        return bisect_left(range(len(self)), key, key=self._key(names))

    def right(self, names: Sequence[str], key: tuple[Any, ...]) -> int:
        """The first row whose leading key columns ``names`` are above ``key``."""
        return bisect_right(range(len(self)), key, key=self._key(names))

    def span(self, names: Sequence[str], key: tuple[Any, ...]) -> tuple[int, int]:
        """Start and stop of the rows whose leading key columns equal ``key``."""
        return self.left(names, key), self.right(names, key)

    def by_hash(self, name: str, wanted: bytes) -> int | None:
        """The row whose ``name`` is ``wanted`` in a column the table is not sorted by, or None."""
        if name not in self._order:
            order = pc.sort_indices(self.content, sort_keys=[(name, "ascending")])
            self._order[name] = _uint64_reader(order)
        order_at, cell_at = self._order[name], self._cells[name]
        place = bisect_left(range(len(self)), wanted, key=lambda at: cell_at(order_at(at)))
        if place == len(self):
            return None
        row = order_at(place)
        return row if cell_at(row) == wanted else None

    def _key(self, names: Sequence[str]) -> Callable[[int], tuple[Any, ...]]:
        readers = tuple(self._cells[name] for name in names)
        return lambda at: tuple([read(at) for read in readers])


def _fixed_reader(array: pa.FixedSizeBinaryArray, width: int) -> Callable[[int], bytes]:
    data = array.buffers()[1]
    view = memoryview(data) if data is not None else memoryview(b"")
    view = view[array.offset * width :]
    return lambda at: bytes(view[at * width : at * width + width])


def _uint64_reader(array: pa.UInt64Array) -> Callable[[int], int]:
    data = array.buffers()[1]
    view = memoryview(data).cast("B") if data is not None else memoryview(b"")
    numbers = view[array.offset * 8 : (array.offset + len(array)) * 8].cast("Q")
    return numbers.__getitem__
