"""Row groups that were decoded lately, up to a number of bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final

from caia_replay.chain.row_group import RowGroup

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
