"""Keys of a secure trie by their paths: those that are known, and guessed ones that stand anywhere.

A node proves a path of its trie only for a key, and a key cannot be worked out from its path. For a
few leading digits one is found by trying: among 16 ** 4 hashes some begin with any given three.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import Final

from eth_hash.auto import keccak

from caia_replay.chain.secure_trie import path_of

_FIRST_GUESSES: Final = 1 << 12
_MOST_GUESSES: Final = 1 << 20
"""Enough for any five digits, nearly always; about ten seconds of hashing."""


class Guesses:
    """Keys of ``width`` bytes that nobody chose: the numbers from 0 on, as many as were needed so far."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._made: list[tuple[str, bytes]] = []

    def below(self, prefix: str) -> bytes | None:
        """A key whose path begins with ``prefix``; None when it is too long to be met."""
        while True:
            at = bisect_left(self._made, (prefix, b""))
            if at < len(self._made) and self._made[at][0].startswith(prefix):
                return self._made[at][1]
            have = len(self._made)
            if have >= _MOST_GUESSES or len(prefix) > 6:
                return None
            more = (number.to_bytes(self._width, "big") for number in range(have, max(2 * have, _FIRST_GUESSES)))
            self._made = sorted([*self._made, *((keccak(key).hex(), key) for key in more)])


class TrieKeys:
    """Known keys by path; ``guesses`` fill in where none of them stands."""

    def __init__(self, guesses: Guesses) -> None:
        self._guesses = guesses
        self._known: dict[str, bytes] = {}
        self._paths: dict[bytes, str] = {}
        self._sorted: list[str] = []

    def path(self, key: bytes) -> str:
        """The path of a key, which is known from here on."""
        path = self._paths.get(key)
        if path is None:
            path = self._paths[key] = path_of(key)
            self._known[path] = key
            insort(self._sorted, path)
        return path

    def known(self, path: str) -> bytes | None:
        """The known key that stands at a path."""
        return self._known.get(path)

    def below(self, prefix: str) -> bytes | None:
        """Some key whose path begins with ``prefix``; None when none can be found."""
        at = bisect_left(self._sorted, prefix)
        if at < len(self._sorted) and self._sorted[at].startswith(prefix):
            return self._known[self._sorted[at]]
        return self._guesses.below(prefix)
