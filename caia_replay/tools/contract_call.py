"""A contract's state on a pinned fork: view functions, allowances, raw storage."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from caia_replay.errors import ToolError
from caia_replay.tools.argument import address_argument
from caia_replay.tools.chain_call import call_contract, read_contract
from caia_replay.tools.signature import Signature, decode_outputs, encode_call

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

_SLOT: Final = re.compile(r"0x[0-9a-fA-F]{1,64}|[0-9]{1,78}")


def describe_call(
    world: ToolContext, chain: str, contract: str, signature: Signature, arguments: list[Any], block: int
) -> dict[str, Any]:
    """The values a view function returns at the end of ``block``."""
    data = encode_call(signature, arguments)
    with world.fork(block, chain) as fork:
        reply = call_contract(fork, contract, data)
        height, caller = fork.block, fork.caller
    return {
        "contract": contract,
        "chain": chain,
        "function": signature.canonical,
        "block": height,
        "caller": caller,
        "values": decode_outputs(signature, reply),
        "names": [None if found.name.startswith("arg") else found.name for found in signature.outputs],
    }


def describe_allowance(
    world: ToolContext, chain: str, contract: str, arguments: list[Any], block: int
) -> dict[str, Any]:
    """What an owner allowed a spender to move of an ERC-20 token."""
    if len(arguments) != 2 or not all(isinstance(found, str) for found in arguments):
        raise ToolError("allowance takes arguments [owner, spender], two 0x addresses")
    owner, spender = (address_argument(found) for found in arguments)
    with world.fork(block, chain) as fork:
        raw = read_contract(fork, contract, "allowance(address,address)(uint256)", [owner, spender])
        height = fork.block
    fields = {"contract": contract, "chain": chain, "owner": owner, "spender": spender, "block": height}
    return {**fields, "raw": raw, "unlimited": int(raw) == (1 << 256) - 1}


def describe_slot(world: ToolContext, chain: str, contract: str, slot: str, block: int) -> dict[str, Any]:
    """A storage slot's 32 bytes at the end of ``block``."""
    text = slot.strip()
    number = int(text, 16 if text.startswith("0x") else 10) if _SLOT.fullmatch(text) else 1 << 256
    if number >= 1 << 256:
        raise ToolError(f"{slot[:80]!r} is no storage slot; write it as 0x text")
    padded = f"0x{number:064x}"
    with world.fork(block, chain) as fork:
        value = world.require(fork.rpc("eth_getStorageAt", [contract, padded, "latest"]), "storage", padded)
        return {"contract": contract, "chain": chain, "slot": padded, "block": fork.block, "value": value}
