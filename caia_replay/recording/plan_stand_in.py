"""Stand-ins: values that take the place of what nobody asked yet, other ones in every dry run.

They are made of a run's letter and of what they stand for, so that a run is the same every time. Texts and hexadecimal
values bear a mark; numbers and moments bear none and are told apart by their being others in another run.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any, Final

from eth_abi.grammar import BasicType, TupleType, parse

MARK: Final = re.compile(r"zqstand[a-z][0-9a-f]{7}(?:\.example)?|0x5ea1ed[0-9a-f]{34,58}", re.IGNORECASE)
"""Every marked stand-in, wherever it is written."""
GAP: Final = "{…}"
"""What is shown where a stand-in was."""

_DAY_S: Final = 86_400


class StandIn:
    """The stand-ins of one dry run. ``run`` is one letter."""

    def __init__(self, run: str) -> None:
        self.run = run
        self._numbers: dict[str, int] = {}

    def word(self, what: str) -> str:
        """A name, slug, id or handle: fifteen Latin letters and digits."""
        return f"zqstand{self.run}{self._digest(what).hex()[:7]}"

    def number(self, what: str) -> int:
        """A whole number with nine digits."""
        found = self._numbers.get(what)
        if found is None:
            found = self._numbers[what] = 100_000_000 + int.from_bytes(self._digest(what)[:4]) % 899_999_999
        return found

    def address(self, what: str) -> str:
        """An address of 20 bytes."""
        return "0x5ea1ed" + self._digest(what).hex()[:34]

    def hash(self, what: str) -> str:
        """A hash of 32 bytes."""
        return "0x5ea1ed" + self._digest(what).hex()[:58]

    def seconds(self, what: str, first_day: int, last_day: int) -> int:
        """A length of time between so many days, never of whole hours."""
        days = first_day + int.from_bytes(self._digest(what)[:4]) % max(1, last_day - first_day)
        return days * _DAY_S + 3_601 + self._digest(what)[5] * 131

    def abi_value(self, kind: str, what: str = "") -> Any:
        """A value of a Solidity type, as eth_abi encodes it."""
        return self._abi(parse(kind), what or kind)

    def _abi(self, kind: Any, what: str) -> Any:
        if kind.is_array:
            count = kind.arrlist[-1][0] if kind.arrlist[-1] else 2
            return [self._abi(kind.item_type, f"{what}.{at}") for at in range(min(count, 64))]
        if isinstance(kind, TupleType):
            return tuple(self._abi(part, f"{what}.{at}") for at, part in enumerate(kind.components))
        assert isinstance(kind, BasicType)
        if kind.base in ("uint", "int"):
            bits = int(kind.sub or 256)
            return self.number(what) % (2 ** (bits - 1)) if bits > 8 else 6 + self._digest(what)[0] % 13
        if kind.base == "address":
            return self.address(what)
        if kind.base == "bytes":
            data = bytes.fromhex(self.hash(what)[2:])
            return data[: int(kind.sub)] if kind.sub else data
        return {"bool": True, "string": self.word(what)}.get(kind.base, 0)

    def _digest(self, what: str) -> bytes:
        return sha256(f"{self.run} {what}".encode("utf-8", "replace")).digest()


def without_marks(text: str) -> str:
    """``text`` with a gap for every marked stand-in."""
    return MARK.sub(GAP, text)
