"""What a fleet has paid, completion by completion, in one file that all its processes add to.

A line a completion, appended by one write: no process waits for another, a kill loses nothing that was written, and who
asks reads only what came since it asked last. Amounts are billionths of a dollar, rounded up.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable
from decimal import ROUND_CEILING, Decimal
from pathlib import Path
from threading import Lock
from typing import Final

from caia_replay.core.model import Price, Usage
from caia_replay.errors import Interrupted

SPENT: Final = "spent.log"
_NANO: Final = 10**9
_LINE: Final = re.compile(rb"\+([0-9]{1,18}) ([A-Za-z0-9._-]{1,600});\n")
_PIECE: Final = 1 << 20


class Spent:
    """The file, read as far as it goes."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = os.open(folder / SPENT, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._at = 0
        self._rest = b""
        self._nano: Counter[str] = Counter()
        self._lock = Lock()

    def add(self, usd: Decimal, entry: str) -> None:
        """Tell of a completion that was paid for."""
        nano = int((usd * _NANO).to_integral_value(ROUND_CEILING))
        line = b"+%d %s;\n" % (nano, entry.encode("ascii"))
        if os.write(self._file, line) < len(line):  # half a line counts as none: a full disk
            raise OSError(28, "No space left on device", SPENT)

    def by_entry(self) -> dict[str, Decimal]:
        """What every entry has paid by now."""
        with self._lock:
            while piece := os.pread(self._file, _PIECE, self._at):
                self._at += len(piece)
                whole, end, self._rest = (self._rest + piece).rpartition(b"\n")
                for nano, entry in _LINE.findall(whole + end):
                    self._nano[entry.decode("ascii")] += int(nano)
            return {entry: Decimal(nano) / _NANO for entry, nano in self._nano.items()}

    def total(self) -> Decimal:
        """What the whole fleet has paid by now, in dollars."""
        return sum(self.by_entry().values(), Decimal(0))


class FleetPurse:
    """The purse of one entry: its completions are paid by ``price``, up to the ``ceiling`` of the whole fleet."""

    def __init__(
        self, spent: Spent, entry: str, price: Price | None, ceiling: Decimal | None, is_stopped: Callable[[], bool]
    ) -> None:
        self._spent, self._entry, self._price, self._ceiling = spent, entry, price, ceiling
        self._is_stopped = is_stopped

    @property
    def is_empty(self) -> bool:
        """Whether the ceiling is reached."""
        return self._ceiling is not None and self._spent.total() >= self._ceiling

    def require(self) -> None:
        """Raise ``Interrupted`` where the fleet was asked to stop, or the ceiling is reached."""
        if self._is_stopped():
            raise Interrupted("asked to stop")
        if self.is_empty:
            raise Interrupted(f"the ceiling of {self._ceiling} USD is reached")

    def pay(self, usage: Usage) -> None:
        """Tell what a completion cost."""
        if self._price is not None:
            self._spent.add(self._price.cost_usd(usage), self._entry)
