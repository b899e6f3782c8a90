"""Lookups in a sorted table that decode only the row groups that can hold the key.

Where a key belongs is told by the first and last keys of the row groups. They come from the footer's
statistics, which strangers wrote, so "there is no such row" is never said on their word:

* a group is decoded before anything is said of its rows; its rows must ascend strictly, its first and
  last key must be what the statistics told, and it must lie between what is known of its neighbours;
* a place between two rows is told only when both rows were decoded (in one group, or the last row of
  a group and the first of the next), so the key lies between two rows that are really there;
* statistics that are missing tell nothing, and the group is decoded instead.

So in a table whose rows ascend no statistics can hide a row: a wrong one is ``BadInput`` or does not
matter. That the rows ascend over *all* groups is what ``prove`` reads through once: opening a folder with
``verify`` asks it of every table, and so does every command, ``caia-replay lint`` first of all. Sealing a
folder writes it sorted, with statistics of its own. Only a caller who opens without ``verify`` relies on
what it verified before.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from caia_replay.chain.group_cache import GroupCache
from caia_replay.chain.row_group import Key, RowGroup, fixed_reader, uint64_reader
from caia_replay.chain.table_file import TableFile


class SortedTable:
    """One table, sorted by its key columns and safe to share between threads. Rows are numbered from 0.

    ``file`` is None for a table that a folder of an older schema does not have: it has no rows.
    Raises ``BadInput`` here when the statistics contradict one another.
    """

    def __init__(self, file: TableFile | None, cache: GroupCache) -> None:
        self._file = file
        self._cache = cache
        self._starts = list(accumulate(file.rows if file else (), initial=0))
        self._order = file.order if file else ()
        self._filled = [group for group, rows in enumerate(file.rows if file else ()) if rows]
        stated = [file.stated(group) for group in self._filled] if file else []
        self._first = [first for first, _ in stated]
        self._last = [last for _, last in stated]
        self._seen = [False] * len(self._filled)
        self._proven = False
        self._recent: tuple[int, int, RowGroup] | None = None
        self._hashes: dict[str, tuple[Callable[[int], bytes], Callable[[int], int]]] = {}
        self._lock = threading.Lock()
        for at in range(len(self._filled)):
            self._check_neighbours(at)

    def __len__(self) -> int:
        return self._starts[-1]

    def prove(self) -> None:
        """Read every key once, one group in memory at a time. Raises ``BadInput`` unless all rows ascend strictly."""
        assert self._file is not None or not self._filled
        for at, group in enumerate(self._filled):
            assert self._file is not None
            self._learn(at, RowGroup(self._file.read(group, self._order), self._order))
        self._proven = True

    def cell(self, name: str, row: int) -> Any:
        """A cell of a required fixed-width column: ``bytes`` or ``int``."""
        group, start = self._holding(row)
        return group.cell(name, row - start)

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

        Reads that whole column the first time and keeps it with its order: 40 bytes a row.
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
                read = [self._file.read(group, (name,))[name] for group in self._filled] if self._file else []
                chunks = [chunk for column in read for chunk in column.chunks]
                column = pa.concat_arrays(chunks) if chunks else pa.array([], pa.binary(32))
                self._hashes[name] = (fixed_reader(column), uint64_reader(pc.array_sort_indices(column)))
            return self._hashes[name]

    def _place(self, names: Sequence[str], key: Key, after: bool) -> int:
        assert tuple(names) == self._order[: len(key)] or not self._filled
        below = self._groups_below(key, after)
        if not below:
            if self._filled and not self._seen[0]:
                self._group(0)
            return 0
        group = self._group(below - 1)
        place = group.right(key) if after else group.left(key)
        if place == len(group) and below < len(self._filled) and not self._seen[below]:
            self._group(below)
        return self._starts[self._filled[below - 1]] + place

    def _groups_below(self, key: Key, after: bool) -> int:
        """How many groups begin with a row below ``key``, or with ``after`` not above it."""
        low, high = 0, len(self._filled)
        while low < high:
            middle = (low + high) // 2
            first = self._first[middle]
            width = min(len(first), len(key))
            begin, wanted = first[:width], key[:width]
            if begin == wanted and width < len(key):
                begin, wanted = self._group(middle).first[: len(key)], key
            if begin < wanted or (after and begin == wanted):
                low = middle + 1
            else:
                high = middle
        return low

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
        """The group ``at`` among those with rows, decoded and checked."""
        recent = self._recent
        if recent is not None and recent[0] == at:
            return recent[2]
        assert self._file is not None
        number = self._filled[at]
        group = self._cache.get(self._file.name, number)
        if group is None:
            group = RowGroup(self._file.read(number), self._order)
            self._learn(at, group)
            self._cache.put(self._file.name, number, group)
        self._recent = (at, self._starts[number], group)
        return group

    def _learn(self, at: int, group: RowGroup) -> None:
        """Hold a decoded group against what was told of it, and from now on know its first and last key."""
        assert self._file is not None
        number, first, last = self._filled[at], group.first, group.last
        if first[: len(self._first[at])] != self._first[at] or last[: len(self._last[at])] != self._last[at]:
            raise self._file.fault(number, "does not begin and end with the keys its statistics say")
        if not self._proven and not group.ascending():
            raise self._file.fault(number, "is not sorted by its key, or holds a key twice")
        self._first[at], self._last[at] = first, last
        self._check_neighbours(at)
        self._seen[at] = True

    def _check_neighbours(self, at: int) -> None:
        assert self._file is not None
        if at and not _ascend(self._last[at - 1], self._first[at], len(self._order)):
            raise self._file.fault(self._filled[at], "begins before the row group before it ends")
        if at + 1 < len(self._filled) and not _ascend(self._last[at], self._first[at + 1], len(self._order)):
            raise self._file.fault(self._filled[at + 1], "begins before the row group before it ends")


def _ascend(last: Key, first: Key, width: int) -> bool:
    """Whether a key that begins with ``last`` can be below one that begins with ``first``."""
    known = min(len(last), len(first))
    return last[:known] < first[:known] or (known < width and last[:known] == first[:known])
