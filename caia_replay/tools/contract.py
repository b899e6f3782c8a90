"""Contract data on a pinned fork: typed calls, decoded events, raw storage."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import Field

from caia_replay.errors import ToolError
from caia_replay.tools.call_view import CallView
from caia_replay.tools.onchain import address_argument, call_contract
from caia_replay.tools.signature import decode_event, decode_outputs, encode_call, parse_event, parse_signature

_SLOT = re.compile(r"0x[0-9a-fA-F]{1,64}")

Argument = str | int | bool | list[str | int | bool]


def data_query(
    world: CallView,
    contract: Annotated[str, Field(description="The contract's 0x address.")],
    function: Annotated[
        str | None, Field(description="A view function with its return types, such as balanceOf(address)(uint256).")
    ] = None,
    arguments: Annotated[
        list[Argument] | None, Field(description="The function's arguments in order; big integers as decimal text.")
    ] = None,
    event: Annotated[
        str | None,
        Field(description="An event, such as Transfer(address indexed from, address indexed to, uint256 value)."),
    ] = None,
    from_block: Annotated[int | None, Field(description="First block of the event search; null: to_block.")] = None,
    to_block: Annotated[int | None, Field(description="Last block of the event search; null: the newest.")] = None,
    slot: Annotated[str | None, Field(description="A storage slot as 0x text, to read it raw.")] = None,
    block: Annotated[
        int | None, Field(description="Block height to read function or slot at; null: the newest. Not for events.")
    ] = None,
) -> dict[str, Any]:
    """Read a contract: call a view function, list decoded events, or read a storage slot. Give exactly one
    of function, event and slot; the others are null.

    Integers come back as decimal text. Example: {"contract": "0x…", "function": "totalSupply()(uint256)",
    "arguments": [], "event": null, "from_block": null, "to_block": null, "slot": null, "block": null}
    """
    address = address_argument(contract)
    if [function, event, slot].count(None) != 2:
        raise ToolError("give exactly one of function, event and slot; the others null")
    if event is not None:
        if block is not None or arguments:
            raise ToolError("events are read from from_block to to_block; block and arguments must be null")
        return _events(world, address, event, from_block, to_block)
    if from_block is not None or to_block is not None:
        raise ToolError("from_block and to_block are for events; give block instead")
    if function is not None:
        return _call(world, address, function, list(arguments or []), block)
    return _slot(world, address, slot or "", block)


def _call(world: CallView, address: str, function: str, arguments: list[Any], block: int | None) -> dict[str, Any]:
    signature = parse_signature(function)
    if not signature.outputs:
        raise ToolError(f"{function!r} names no return types; write {signature.canonical}(uint256)")
    data = encode_call(signature, arguments)
    with world.fork(block) as fork:
        reply = call_contract(fork, address, data)
        height, caller = fork.block, fork.caller
    return {
        "contract": address,
        "function": signature.canonical,
        "block": height,
        "caller": caller,
        "values": decode_outputs(signature, reply),
    }


def _events(world: CallView, address: str, event: str, first: int | None, last: int | None) -> dict[str, Any]:
    signature = parse_event(event)
    to_block = world.anchor.block if last is None else last
    from_block = to_block if first is None else first
    if not 0 <= from_block <= to_block <= world.anchor.block:
        raise ToolError(f"blocks {from_block} to {to_block} are no range that ends at or before {world.anchor.block}")
    wanted = {
        "address": address,
        "topics": ["0x" + signature.hash.hex()],
        "fromBlock": hex(from_block),
        "toBlock": hex(to_block),
    }
    with world.fork() as fork:
        logs = world.require(fork.rpc("eth_getLogs", [wanted]), "logs", f"{signature.canonical} of {address}")
    events = [
        {
            "block": int(log["blockNumber"], 16),
            "transaction": log["transactionHash"],
            "log_index": int(log["logIndex"], 16),
            "arguments": decode_event(signature, log["topics"], log["data"]),
        }
        for log in logs
    ]
    return {
        "contract": address,
        "event": signature.canonical,
        "from_block": from_block,
        "to_block": to_block,
        "count": len(events),
        "events": events,
    }


def _slot(world: CallView, address: str, slot: str, block: int | None) -> dict[str, Any]:
    if not _SLOT.fullmatch(slot):
        raise ToolError(f"{slot[:80]!r} is no storage slot; write it as 0x text")
    padded = "0x" + slot[2:].lower().rjust(64, "0")
    with world.fork(block) as fork:
        value = world.require(fork.rpc("eth_getStorageAt", [address, padded, "latest"]), "storage", padded)
        return {"contract": address, "slot": padded, "block": fork.block, "value": value}
