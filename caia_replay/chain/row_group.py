"""One decoded row group: cells and binary search on its Arrow buffers, no Python object per row; a cache of them."""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

Key = tuple[Any, ...]
"""The cells of the leading key columns: ``bytes`` compare as bytes, block numbers as numbers."""


class RowGroup:
    """Some neighbouring rows of a table that is sorted by the columns ``order``. Rows are numbered from 0."""

    def __init__(self, content: pa.Table, order: Sequence[str]) -> None:
        self.content = content
        self.size_bytes = int(content.get_total_buffer_size())
        self._order = tuple(order)
        self._rows = range(content.num_rows)
        self._cells: dict[str, Callable[[int], Any]] = {}
        for field in content.schema:
            if pa.types.is_fixed_size_binary(field.type) and not field.nullable:
                self._cells[field.name] = fixed_reader(content[field.name])
            elif pa.types.is_uint64(field.type) and not field.nullable:
                self._cells[field.name] = uint64_reader(content[field.name])
        readers = [self._cells[name] for name in order]
        self._keys = [_key_reader(readers[:width]) for width in range(len(readers) + 1)]

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def first(self) -> Key:
        """The whole key of the first row. The group must have one."""
        return self._keys[-1](0)

    @property
    def last(self) -> Key:
        """The whole key of the last row. The group must have one."""
        return self._keys[-1](len(self._rows) - 1)

    def cell(self, name: str, row: int) -> Any:
        """A cell of a required fixed-width column: ``bytes`` or ``int``."""
        return self._cells[name](row)

    def left(self, key: Key) -> int:
        """The first row (from 0) whose leading key columns are at or above ``key``; the number of rows if none."""
        return bisect_left(self._rows, key, key=self._keys[len(key)])

    def right(self, key: Key) -> int:
        """The first row whose leading key columns are above ``key``."""
        return bisect_right(self._rows, key, key=self._keys[len(key)])

    def ascending(self, until: str | None = None) -> bool:
        """Whether every row's key is above that of the row before it: sorted, and no key twice.

        With ``until``, rows are intervals from the last key column to that column, and besides that
        no interval may run backwards or reach into the next one of its key.
        """
        above: Any = None
        for name in reversed(self._order):
            cells = _one_array(self.content[name])
            ends = cells if until is None or name != self._order[-1] else _one_array(self.content[until])
            here, after = ends.slice(0, max(len(cells) - 1, 0)), cells.slice(1)
            grows = pc.less(here, after)
            above = grows if above is None else pc.or_(grows, pc.and_(pc.equal(here, after), above))
        forwards = until is None or pc.all(
            pc.less_equal(self.content[self._order[-1]], self.content[until]), min_count=0
        )
        return bool(forwards) and bool(pc.all(above, min_count=0))


def fixed_reader(column: pa.ChunkedArray) -> Callable[[int], bytes]:
    """Cells of a fixed-size binary column without nulls, by row."""
    array = _one_array(column)
    width, data = array.type.byte_width, array.buffers()[1]
    view = memoryview(data) if data is not None else memoryview(b"")
    view = view[array.offset * width :]
    return lambda at: bytes(view[at * width : at * width + width])


def uint64_reader(column: pa.ChunkedArray | pa.UInt64Array) -> Callable[[int], int]:
    """Cells of an unsigned 64-bit column without nulls, by row."""
    array = _one_array(column)
    data = array.buffers()[1]
    view = memoryview(data).cast("B") if data is not None else memoryview(b"")
    numbers = view[array.offset * 8 : (array.offset + len(array)) * 8].cast("Q")
    return numbers.__getitem__


def _one_array(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column


def _key_reader(readers: Sequence[Callable[[int], Any]]) -> Callable[[int], Key]:
    if len(readers) == 3:
        first, second, third = readers
        return lambda at: (first(at), second(at), third(at))
    return lambda at: tuple([read(at) for read in readers])


CACHE_BYTES: Final = 64_000_000
"""What one snapshot keeps of decoded rows, all tables together: 640,000 storage rows."""


class GroupCache:
    """The least recently asked are forgotten first; the newest always stays. Safe between threads."""

    def __init__(self, limit_bytes: int | None = None) -> None:
        self._limit = CACHE_BYTES if limit_bytes is None else limit_bytes
        self._kept: OrderedDict[tuple[str, int], RowGroup] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, table: str, group: int) -> RowGroup | None:
        """A kept group, which is then the newest."""
        with self._lock:
            found = self._kept.get((table, group))
            if found is not None:
                self._kept.move_to_end((table, group))
            return found

    def put(self, table: str, group: int, rows: RowGroup) -> None:
        """Keep a group, and forget old ones until the rest fits."""
        with self._lock:
            before = self._kept.pop((table, group), None)
            self._bytes += rows.size_bytes - (before.size_bytes if before is not None else 0)
            self._kept[table, group] = rows
            while self._bytes > self._limit and len(self._kept) > 1:
                self._bytes -= self._kept.popitem(last=False)[1].size_bytes
