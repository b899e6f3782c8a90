"""What a contract's recorded interface makes of calldata and logs; nothing is decoded that its hash does not prove."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from eth_abi import abi
from eth_abi.exceptions import DecodingError, ParseError

from caia_replay.errors import Miss, ToolError
from caia_replay.tools.explorer import implementation, verified_entries
from caia_replay.tools.signature import Parameter, Signature, decode_event, parse_event, plain

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

VERIFIED: Final = "the contract's verified interface"
STANDARD: Final = "a standard event of this hash"

_STANDARD_EVENTS: Final = (
    "Transfer(address indexed from, address indexed to, uint256 value)",
    "Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
    "Approval(address indexed owner, address indexed spender, uint256 value)",
    "Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)",
    "ApprovalForAll(address indexed owner, address indexed operator, bool approved)",
    "TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
    "TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, "
    "uint256[] values)",
)


@dataclass(frozen=True, slots=True)
class Interface:
    """Functions and errors by selector, events by topic and number of indexed arguments."""

    functions: Mapping[str, Signature]
    errors: Mapping[str, Signature]
    events: Mapping[tuple[str, int], Signature]


NOTHING_KNOWN: Final = Interface({}, {}, {})


def recorded_interface(world: ToolContext, chain: str, contract: str, block: int) -> Interface:
    """The verified interface of a contract and, where it is a proxy at the end of ``block``, of the code behind it.

    Empty where the explorer knows none, or none was recorded: that is not told apart, and proves nothing.
    """
    entries = _verified(world, chain, contract)
    code = implementation(world, chain, contract, block)
    if code is not None:
        entries = [*entries, *_verified(world, chain, code)]
    return read_interface(entries)


def read_interface(entries: Iterable[Any]) -> Interface:
    """An ABI's functions and events; of two with one hash the first. Entries of unknown shape are left out."""
    functions: dict[str, Signature] = {}
    errors: dict[str, Signature] = {}
    events: dict[tuple[str, int], Signature] = {}
    for entry in entries:
        try:
            kind, anonymous = entry["type"], entry.get("anonymous")
            if kind in ("function", "error", "event"):
                made = Signature(str(entry["name"]), _parameters(entry["inputs"]), ())
        except (KeyError, TypeError, AttributeError):
            continue
        if kind == "event" and not anonymous:
            _add_event(events, made)
        elif kind in ("function", "error"):
            (functions if kind == "function" else errors).setdefault("0x" + made.hash[:4].hex(), made)
    return Interface(functions, errors, events)


def decoded_call(signature: Signature, data: str) -> dict[str, Any] | None:
    """Calldata, or revert data, as a function's name and arguments; None where it does not decode so."""
    if data[:10].lower() != "0x" + signature.hash[:4].hex():
        return None
    try:
        values = abi.decode([parameter.type for parameter in signature.inputs], bytes.fromhex(data[10:]))
    except (DecodingError, ParseError, ValueError, TypeError, OverflowError):
        return None
    return {
        "function": signature.canonical,
        "arguments": {found.name: plain(value) for found, value in zip(signature.inputs, values, strict=True)},
    }


def decoded_log(interface: Interface, topics: Sequence[str], data: str) -> dict[str, Any] | None:
    """A log as an event's name and arguments, by the interface or as a standard event; None where neither fits."""
    if not topics:
        return None
    key = (topics[0].lower(), len(topics) - 1)
    for source, events in ((VERIFIED, interface.events), (STANDARD, _standard())):
        if key in events:
            try:
                arguments = dict(decode_event(events[key], topics, data))
            except (ToolError, ParseError, TypeError):
                continue
            return {"event": events[key].canonical, "arguments": arguments, "decoded_by": source}
    return None


def _add_event(events: dict[tuple[str, int], Signature], made: Signature) -> None:
    events.setdefault(("0x" + made.hash.hex(), sum(item.indexed for item in made.inputs)), made)


def _standard() -> Mapping[tuple[str, int], Signature]:
    events: dict[tuple[str, int], Signature] = {}
    for text in _STANDARD_EVENTS:
        _add_event(events, parse_event(text))
    return events


def _parameters(entries: Iterable[Mapping[str, Any]]) -> tuple[Parameter, ...]:
    """Parameters in order; one without a name is called by its place, of two with one name the later has a dash."""
    found: list[Parameter] = []
    for at, entry in enumerate(entries):
        name = str(entry.get("name") or f"arg{at}")
        while name in {parameter.name for parameter in found}:
            name += "_"
        found.append(Parameter(_type(entry), name, entry.get("indexed") is True))
    return tuple(found)


def _type(entry: Mapping[str, Any]) -> str:
    kind = str(entry["type"])
    if not kind.startswith("tuple"):
        return kind
    return f"({','.join(_type(part) for part in entry['components'])}){kind.removeprefix('tuple')}"


def _verified(world: ToolContext, chain: str, contract: str) -> list[dict[str, Any]]:
    try:
        return verified_entries(world, chain, contract) or []
    except (Miss, ToolError):
        return []
