"""Lookups in a sorted table that decode only the row groups that can hold the key.

"There is no such row" is an answer here, and the file was written by strangers. So when a table is
opened, every key is read once, a row group at a time: all rows must ascend strictly, and where a row is
true for an interval of blocks, no two intervals of one key may share a block. What that reading saw of
the first key of each group tells later where a key belongs; the statistics in the footer are never
asked. ``SealedFile`` sees to it that later groups are decoded from the bytes that were read then.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from caia_replay.chain.column import to_hex
from caia_replay.chain.row_group import GroupCache, Key, RowGroup, fixed_reader, uint64_reader
from caia_replay.chain.table_file import TableFile
from caia_replay.errors import BadInput


class SortedTable:
    """One table, sorted by its key columns and safe to share between threads. Rows are numbered from 0.

    ``file`` is None for a table that a folder of an older schema does not have: it has no rows.
    Reads every key once, one group in memory at a time. Raises ``BadInput`` unless all rows ascend
    strictly and no interval runs backwards or overlaps the next one of its key.
    """

    def __init__(self, file: TableFile | None, cache: GroupCache) -> None:
        self._file = file
        self._cache = cache
        self._starts = list(accumulate(file.rows if file else (), initial=0))
        self._order = file.order if file else ()
        self._filled = [group for group, rows in enumerate(file.rows if file else ()) if rows]
        self._first = list(_first_keys(file, self._filled)) if file else []
        self._recent: tuple[int, int, RowGroup] | None = None
        self._hashes: dict[str, tuple[Callable[[int], bytes], Callable[[int], int]]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self._starts[-1]

    def cell(self, name: str, row: int) -> Any:
        """A cell of a required fixed-width column: ``bytes`` or ``int``."""
        group, start = self._holding(row)
        return group.cell(name, row - start)

    def column(self, name: str) -> Sequence[Any]:
        """One column as a sequence that reads what is asked of it."""
        return _Column(self, name)

    def row(self, at: int) -> dict[str, Any]:
        """One whole row by column name."""
        return self.rows(at, at + 1)[0]

    def rows(self, start: int, stop: int) -> list[dict[str, Any]]:
        """The rows from ``start`` up to, not including, ``stop``."""
        return [cells for part in self.parts(start, stop) for cells in part.to_pylist()]

    def parts(self, start: int, stop: int) -> Iterator[pa.Table]:
        """The rows from ``start`` up to ``stop`` as Arrow tables, one for each row group they lie in."""
        while start < stop:
            group, begin = self._holding(start)
            part = group.content.slice(start - begin, stop - start)
            yield part
            start += part.num_rows

    def columns(self, names: Sequence[str]) -> Iterator[pa.Table]:
        """Some columns of all rows, a row group at a time, past the cache: for who looks at every row."""
        for group in self._filled:
            assert self._file is not None
            yield self._file.read(group, names)

    def fault(self, row: int, what: str) -> BadInput:
        """A row that cannot be true, to be raised: its table, row group and file, and ``what`` is wrong."""
        assert self._file is not None
        return self._file.fault(bisect_right(self._starts, row) - 1, what)

    def left(self, names: Sequence[str], key: Key) -> int:
        """The first row whose leading key columns ``names`` are not below ``key``."""
        return self._place(names, key, after=False)

    def right(self, names: Sequence[str], key: Key) -> int:
        """The first row whose leading key columns ``names`` are above ``key``."""
        return self._place(names, key, after=True)

    def span(self, names: Sequence[str], key: Key) -> tuple[int, int]:
        """Start and stop of the rows whose leading key columns equal ``key``."""
        return self.left(names, key), self.right(names, key)

    def by_hash(self, name: str, wanted: bytes) -> int | None:
        """The row whose ``name`` is ``wanted`` in a 32-byte column the table is not sorted by, or None.

        Reads that whole column the first time and keeps it with its order: 40 bytes a row. Raises
        ``BadInput`` when two rows hold the same: which of them is meant, nobody could say.
        """
        cell_at, row_at = self._hash_index(name)
        place = bisect_right(range(len(self)), wanted, key=lambda at: cell_at(row_at(at))) - 1
        if place < 0:
            return None
        row = row_at(place)
        return row if cell_at(row) == wanted else None

    def _hash_index(self, name: str) -> tuple[Callable[[int], bytes], Callable[[int], int]]:
        with self._lock:
            if name not in self._hashes:
                chunks = [chunk for part in self.columns((name,)) for chunk in part[name].chunks]
                column = pa.concat_arrays(chunks) if chunks else pa.array([], pa.binary(32))
                places = pc.array_sort_indices(column)
                cell_at, row_at = fixed_reader(column), uint64_reader(places)
                ascending = column.take(places)
                same = pc.index(pc.equal(ascending.slice(1), ascending.slice(0, max(len(column) - 1, 0))), True).as_py()
                if same >= 0:
                    row = row_at(same + 1)
                    raise self.fault(row, f"holds the {name} 0x{cell_at(row).hex()}, which another row holds too")
                self._hashes[name] = (cell_at, row_at)
            return self._hashes[name]

    def _place(self, names: Sequence[str], key: Key, after: bool) -> int:
        assert tuple(names) == self._order[: len(key)] or not self._filled
        bisect = bisect_right if after else bisect_left
        below = bisect(self._first, key, key=lambda first: first[: len(key)])
        if not below:
            return 0
        group = self._group(below - 1)
        return self._starts[self._filled[below - 1]] + (group.right(key) if after else group.left(key))

    def _holding(self, row: int) -> tuple[RowGroup, int]:
        """The group that holds ``row``, and the number of its first row."""
        recent = self._recent
        if recent is not None:
            at, start, group = recent
            if 0 <= row - start < len(group):
                return group, start
        at = bisect_right(self._filled, bisect_right(self._starts, row) - 1) - 1
        return self._group(at), self._starts[self._filled[at]]

    def _group(self, at: int) -> RowGroup:
        """The group ``at`` among those with rows, decoded."""
        recent = self._recent
        if recent is not None and recent[0] == at:
            return recent[2]
        assert self._file is not None
        number = self._filled[at]
        group = self._cache.get(self._file.name, number)
        if group is None:
            group = RowGroup(self._file.read(number), self._order)
            self._cache.put(self._file.name, number, group)
        self._recent = (at, self._starts[number], group)
        return group


class _Column(Sequence[Any]):
    """A column of a table, cell by cell."""

    def __init__(self, table: SortedTable, name: str) -> None:
        self._table, self._name = table, name

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, at: Any) -> Any:
        return self._table.cell(self._name, range(len(self._table))[at])


def _first_keys(file: TableFile, filled: Sequence[int]) -> Iterator[Key]:
    """The first key of each group, all of them read and compared. Raises ``BadInput``."""
    until = file.until
    reached: Key | None = None
    for number in filled:
        group = RowGroup(file.read(number, (*file.order, *((until,) if until else ()))), file.order)
        if not group.ascending(until):
            overlap = ", or has intervals of one key that overlap or run backwards" if until else ""
            raise file.fault(number, f"is not sorted by its key, or holds a key twice{overlap}")
        if reached is not None and group.first <= reached:
            raise file.fault(number, "begins before the row group before it ends")
        reached = (*group.last[:-1], group.cell(until, len(group) - 1)) if until else group.last
        yield group.first


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
