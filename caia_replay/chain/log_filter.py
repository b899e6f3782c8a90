"""What eth_getLogs means by its filter, apart from where the logs come from.

``address``: absent or an empty list matches every log, otherwise any of the listed. ``topics`` is
positional: null or an empty list matches anything (also no topic at all, as in Anvil and reth),
a hash matches itself, a list matches any of its members.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from caia_replay.chain.column import ADDRESS, HASH, UNFIT, to_hex
from caia_replay.errors import ToolError


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Addresses (20 bytes) and, per topic position, hashes (32 bytes); empty matches everything."""

    addresses: frozenset[bytes] = frozenset()
    topics: tuple[frozenset[bytes], ...] = ()

    @classmethod
    def from_rpc(cls, address: Any, topics: Any) -> LogFilter:
        """Read the two fields of a JSON-RPC filter object. Raises ``ToolError`` for anything else."""
        addresses = _alternatives(address, ADDRESS.encode, "address")
        if topics is None:
            return cls(addresses)
        if not isinstance(topics, Sequence) or isinstance(topics, str) or len(topics) > 4:
            raise ToolError("topics must be a list of at most four positions")
        return cls(addresses, tuple(_alternatives(topic, HASH.encode, "topic") for topic in topics))

    def select(self, logs: pa.Table) -> pa.Table:
        """The rows of ``logs`` that match, in their order."""
        mask: Any = None
        wanted = [("address", self.addresses, 20)]
        wanted += [(f"topic{at}", topic, 32) for at, topic in enumerate(self.topics)]
        for name, values, width in wanted:
            if values:
                fits = pc.is_in(logs[name], value_set=pa.array(sorted(values), pa.binary(width)))
                mask = fits if mask is None else pc.and_(mask, fits)
        return logs if mask is None else logs.filter(mask)

    def to_rpc(self) -> dict[str, Any]:
        """The two fields of a JSON-RPC filter object; what matches everything is left out."""
        fields: dict[str, Any] = {}
        if self.addresses:
            fields["address"] = sorted(to_hex(address) for address in self.addresses)
        if any(self.topics):
            fields["topics"] = [sorted(to_hex(item) for item in topic) or None for topic in self.topics]
        return fields

    def words(self) -> str:
        """The filter in canonical words, for miss messages."""
        addresses = ",".join("0x" + value.hex() for value in sorted(self.addresses)) or "any"
        topics = ["|".join("0x" + value.hex() for value in sorted(topic)) or "any" for topic in self.topics]
        return f"address {addresses} topics [{', '.join(topics)}]"


def _alternatives(value: Any, encode: Callable[[Any], Any], name: str) -> frozenset[bytes]:
    if value is None:
        return frozenset()
    found: set[bytes] = set()
    for item in value if isinstance(value, Sequence) and not isinstance(value, str) else [value]:
        if item is None:
            return frozenset()
        cell: Any = encode(item.lower()) if isinstance(item, str) else UNFIT
        if cell is UNFIT:
            raise ToolError(f"{name} {item!r:.80} is not 0x and hex digits of the right length")
        found.add(cell)
    return frozenset(found)
