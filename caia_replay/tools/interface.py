"""What explorer and tables say of a contract, for every tool that asks: its interface, the code behind it, and what
that makes of calldata and logs; nothing is decoded that its hash does not prove.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from eth_abi import abi
from eth_abi.exceptions import DecodingError, ParseError

from caia_replay.canonical import strict_json
from caia_replay.chain.column import to_hex
from caia_replay.core.tool import Served
from caia_replay.errors import Miss, ToolError
from caia_replay.tools.signature import Parameter, Signature, decode_event, parse_event, plain

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

ETHERSCAN: Final = "https://api.etherscan.io/v2/api"

_NOTHING: Final = ("not verified", "No data found")
# Where a proxy keeps the address of its code (EIP-1967), and code that only points elsewhere (EIP-1167).
_IMPLEMENTATION_SLOT: Final = bytes.fromhex("360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc")
_POINTER: Final = (bytes.fromhex("363d3d373d3d3d363d73"), bytes.fromhex("5af43d82803e903d91602b57fd5bf3"))

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


def asked_of_contract(world: ToolContext, chain: str, action: str, **more: str) -> Any:
    """The explorer's result; None where it says that nobody verified the contract or that there is no such data.

    Raises ``Miss``, and ``ToolError`` with the explorer's words where it refuses.
    """
    for address in more.values():
        with suppress(Miss):  # so that a recording of later holds the code that the explorer's word is about
            world.chain(chain).account(bytes.fromhex(address[2:]), world.newest(chain))
    value = world.ask(ETHERSCAN, chainid=world.chain(chain).chain_id, module="contract", action=action, **more)
    if not isinstance(value, dict):
        raise misshapen(", ".join(more.values()))
    if value.get("status") == "1":
        if value.get("result") is None:
            raise misshapen(", ".join(more.values()))
        return value["result"]
    words = f"{value.get('message')} {value.get('result')}"
    if any(word in words for word in _NOTHING):
        return None
    raise ToolError(f"the explorer refused: {words[:300]}")


def verified_entries(world: ToolContext, chain: str, contract: str) -> list[dict[str, Any]] | None:
    """The entries of a verified interface; None where nobody verified one. Raises ``Miss`` and ``ToolError``."""
    value = asked_of_contract(world, chain, "getabi", address=contract)
    if value is None:
        return None
    try:
        entries = strict_json(value) if isinstance(value, str) else None
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise ValueError("no list of objects")
    except (ValueError, TypeError) as fault:
        raise misshapen(contract) from fault
    return entries


def implementation(world: ToolContext, chain: str, contract: str, block: int) -> str | None:
    """The address of the code a proxy stands for at the end of ``block``; None for any other contract, and where that
    is not recorded."""
    source, address = world.chain(chain), bytes.fromhex(contract[2:])
    world.touch(Served.DERIVED)
    try:
        code = source.code(source.account(address, block).code_hash)
        if code.startswith(_POINTER[0]) and code.endswith(_POINTER[1]):
            return to_hex(code[len(_POINTER[0]) :][:20])
        word = source.storage(address, _IMPLEMENTATION_SLOT, block) if code else bytes(32)
    except Miss:
        return None
    return to_hex(word[-20:]) if any(word) else None


def misshapen(what: str) -> Miss:
    """The miss for a recorded answer about ``what`` that has not the explorer's shape."""
    return Miss("http", f"the explorer's word on {what}", "what was recorded has another shape")


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
    """A log (``topics`` and ``data`` in 0x-hex) as ``{"event", "arguments", "decoded_by"}``: by the verified interface,
    else as an event of a token standard. None where the topic is unknown or the data do not decode."""
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
