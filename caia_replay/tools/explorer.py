"""What explorer and tables say of a contract, for every tool that asks: its interface, and the code behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from caia_replay.canonical import strict_json
from caia_replay.chain.column import to_hex
from caia_replay.core.tool import Served
from caia_replay.errors import Miss, ToolError

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

ETHERSCAN: Final = "https://api.etherscan.io/v2/api"

_NOTHING: Final = ("not verified", "No data found")
# Where a proxy keeps the address of its code (EIP-1967), and code that only points elsewhere (EIP-1167).
_IMPLEMENTATION_SLOT: Final = bytes.fromhex("360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc")
_POINTER: Final = (bytes.fromhex("363d3d373d3d3d363d73"), bytes.fromhex("5af43d82803e903d91602b57fd5bf3"))


def asked_of_contract(world: ToolContext, chain: str, action: str, **more: str) -> Any:
    """The explorer's result; None where it says that nobody verified the contract or that there is no such data.

    Raises ``Miss``, and ``ToolError`` with the explorer's words where it refuses.
    """
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
