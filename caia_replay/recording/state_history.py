"""Values of keys at the ends of blocks, joined into the intervals for which they hold.

Every block of the chain is traced, so a key that no transaction touches keeps its value. Two kinds
of sightings come in block order and check each other:

    found(key, block, value)   the first touch in ``block`` found this: the value up to block - 1
    left(key, block, value)    read at the end of ``block``: the value from there on

What is found must be what was left before; if not, the chain was changed outside its
transactions, and the unbroken interval between the two would be an invention.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from caia_replay.errors import CheckFailed

Key = TypeVar("Key")
Value = TypeVar("Value")


class StateHistory(Generic[Key, Value]):
    """Intervals of one kind of key. ``what`` names the kind in errors."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._closed: list[tuple[Key, int, int, Value]] = []
        self._open: dict[Key, tuple[int, Value]] = {}

    def __contains__(self, key: Key) -> bool:
        return key in self._open

    def __iter__(self) -> Iterator[Key]:
        return iter(self._open)

    def __len__(self) -> int:
        return len(self._open)

    def found(self, key: Key, block: int, value: Value, words: str, untouched_since: int = 0) -> None:
        """The key's value at the end of ``block - 1``; on first sight also of every block before it
        from ``untouched_since`` on.

        ``words`` names the key in the ``CheckFailed`` raised when another value was left there.
        """
        if key not in self._open and untouched_since >= block:
            return
        since, known = self._open.setdefault(key, (untouched_since, value))
        if known != value:
            raise CheckFailed(
                f"{self._what} {words} is {_plain(known)} after block {since} "
                f"and {_plain(value)} before block {block}, "
                "though no transaction between them touches it: the origin was edited outside transactions"
            )

    def left(self, key: Key, block: int, value: Value) -> None:
        """The key's value at the end of ``block``, in which it was touched."""
        if key in self._open:
            since, known = self._open[key]
            if known == value:
                return
            if since < block:
                self._closed.append((key, since, block - 1, known))
        self._open[key] = (block, value)

    def intervals(self, head: int) -> Iterator[tuple[Key, int, int, Value]]:
        """Every interval (key, first block, last block, value); the open ones end at ``head``."""
        yield from self._closed
        for key, (since, value) in self._open.items():
            yield key, since, head, value


def _plain(value: object) -> str:
    """Bytes as hex, tuples item by item."""
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_plain, value)) + ")"
    return "0x" + value.hex() if isinstance(value, bytes) else str(value)
