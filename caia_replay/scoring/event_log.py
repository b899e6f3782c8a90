"""Events that transactions made happen: signatures of elementary types, logs read by them, and what a check wants."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from eth_abi import abi
from eth_abi.exceptions import DecodingError, ParseError
from eth_abi.grammar import BasicType, normalize, parse
from eth_utils.crypto import keccak

from caia_replay.core.execution import EventCheck, Receipt
from caia_replay.errors import BadInput

_HEX: Final = re.compile(r"0x[0-9a-f]*", re.IGNORECASE)
_EVENT: Final = re.compile(r"\s*(?:event\s+)?([A-Za-z_$][\w$]*)\s*\(([^()]*)\)\s*;?\s*")
_SHOWN: Final = 100
"""Characters of a value that a reason repeats: a contract's own text may be long."""


def event_fault(check: EventCheck, receipts: Sequence[Receipt]) -> str:
    """Why none of the wallet's successful transactions made the event happen, in a line; "" where one did. Raises
    ``BadInput`` for an event that does not parse, or has no parameter that the check names."""
    event = _event(check.event)
    for name in check.values:
        if name not in event.names:
            known = ", ".join(event.names)
            raise BadInput(f"{event.canonical} has no parameter {name!r:.60}", where="events", nearest=known)
    emitted = list(_emitted(check, event, receipts))
    if any(all(event.alike(name, log[name], want) for name, want in check.values.items()) for log in emitted):
        return ""
    wanted = ", ".join(f"{name} {want}" for name, want in check.values.items()) or "any"
    last = ", ".join(f"{name} {emitted[-1][name]!s:.{_SHOWN}}" for name in check.values) if emitted else ""
    found = f"{len(emitted)} of the wallet's" + (f", the last with {last}" if last else "")
    return f"{check.contract} on {check.chain}: {event.canonical}: {found}; wanted one with {wanted}"


def _emitted(check: EventCheck, event: _Event, receipts: Sequence[Receipt]) -> Iterator[Mapping[str, str]]:
    for receipt in receipts:
        if not receipt.own or receipt.sent.chain != check.chain or not int(receipt.raw["status"], 16):
            continue
        for log in receipt.raw["logs"]:
            if log["address"].lower() == check.contract.lower() and (values := event.read(log)) is not None:
                yield values


def alike(found: str, wanted: str) -> bool:
    """Equal as text; addresses, bytes and booleans in any case."""
    both = (found, wanted)
    any_case = all(_HEX.fullmatch(one) or one.lower() in ("true", "false") for one in both)
    return found.lower() == wanted.lower() if any_case else found == wanted


@dataclass(frozen=True, slots=True)
class _Event:
    """An event of elementary types: ``names``, ``types`` and which are ``indexed``, in order."""

    canonical: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    indexed: tuple[bool, ...]

    def read(self, log: Mapping[str, Any]) -> Mapping[str, str] | None:
        """A log's values by name, as text; None for another event's. An indexed text or bytes is its hash."""
        topics = log["topics"]
        if not topics or topics[0] != "0x" + keccak(text=self.canonical).hex() or len(topics) != 1 + sum(self.indexed):
            return None
        kinds = dict(zip(self.names, self.types, strict=True))
        kept = dict(zip((name for name, one in zip(self.names, self.indexed) if one), topics[1:], strict=True))
        plain = [name for name in self.names if name not in kept]
        try:
            values = dict(zip(plain, abi.decode([kinds[name] for name in plain], _bytes(log["data"])), strict=True))
            for name, topic in kept.items():
                hashed = kinds[name] in ("string", "bytes")
                values[name] = _bytes(topic) if hashed else abi.decode([kinds[name]], _bytes(topic))[0]
        except (DecodingError, ValueError, OverflowError):
            return None
        return {name: _text(value) for name, value in values.items()}

    def alike(self, name: str, found: str, wanted: str) -> bool:
        """Texts letter by letter, all else as ``alike``."""
        at = self.names.index(name)
        return found == wanted if self.types[at] == "string" and not self.indexed[at] else alike(found, wanted)


@lru_cache(maxsize=256)
def _event(text: str) -> _Event:
    fault = BadInput(f"{text!r:.200} is no event, such as Paid(address indexed to, uint256 amount)", where="events")
    head = _EVENT.fullmatch(text)
    if head is None:
        raise fault
    names: list[str] = []
    types: list[str] = []
    indexed: list[bool] = []
    for part in head[2].split(",") if head[2].strip() else []:
        kind, *rest = part.split() or [""]
        words = [word for word in rest if word != "indexed"]
        normal: Callable[[str], str] = normalize
        try:
            kind = normal(kind)
            read = parse(kind)
            read.validate()
        except (ParseError, ValueError, TypeError):
            raise fault from None
        # Nested types would let a contract's data decide how long decoding takes.
        if not isinstance(read, BasicType) or read.arrlist or len(words) > 1 or len(rest) > len(words) + 1:
            raise fault
        names.append(words[0] if words else f"arg{len(names)}")
        types.append(kind)
        indexed.append(len(rest) > len(words))
    if len(set(names)) < len(names):
        raise fault
    return _Event(f"{head[1]}({','.join(types)})", tuple(names), tuple(types), tuple(indexed))


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text[2:])


def _text(value: Any) -> str:
    return "0x" + value.hex() if isinstance(value, bytes) else str(value)
