"""Choices that look like chance and are none: by the digest of what is chosen for."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, TypeVar

from caia_replay.canonical import canonical_bytes

T = TypeVar("T")


class Choice:
    """Picks by the digest of ``seed``, plain data: no two targets read alike, and none changes between builds."""

    def __init__(self, *seed: Any) -> None:
        self._seed = canonical_bytes(list(seed))

    def number(self, what: str, below: int) -> int:
        """From 0 to ``below`` - 1; equal for equal ``what``."""
        data = hashlib.sha256(self._seed + b"\0" + what.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(data[:8], "big") % below

    def between(self, what: str, least: int, most: int) -> int:
        """From ``least`` to ``most``, both inside."""
        return least + self.number(what, most - least + 1)

    def one(self, what: str, options: Sequence[T]) -> T:
        """One of the options, of which there is at least one."""
        return options[self.number(what, len(options))]

    def order(self, what: str, options: Sequence[str]) -> list[str]:
        """All of the options in another order."""
        return sorted(options, key=lambda option: (self.number(f"{what}/{option}", 2**63), option))
