"""One transaction: parties, fee and status, what it called, which tokens and coins it moved, why it failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field

from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import chain_argument, hash_argument
from caia_replay.tools.block import brief
from caia_replay.tools.chain_call import scaled
from caia_replay.tools.chain_height import shown_block
from caia_replay.tools.interface import (
    NOTHING_KNOWN,
    VERIFIED,
    Interface,
    decoded_call,
    decoded_log,
    recorded_interface,
)
from caia_replay.tools.signature import parse_signature
from caia_replay.tools.solana import CHAIN as SOLANA
from caia_replay.tools.solana import describe_signature, is_signature
from caia_replay.tools.tool_context import ToolContext
from caia_replay.tools.transfer import (
    COIN_DECIMALS,
    failure,
    internal_transfers,
    moved_tokens,
    shown_transfers,
)

ROWS_SHOWN: Final = 100
INPUT_BYTES_SHOWN: Final = 4_096


def transaction_query(
    world: ToolContext,
    hash: Annotated[str, Field(description="The transaction's 0x hash, 66 characters.")],
    include_logs: Annotated[bool, Field(description="Whether to add the event logs, raw and decoded.")] = False,
    include_internal: Annotated[
        bool, Field(description="Whether to add coins that contracts moved and contracts they created.")
    ] = False,
    function: Annotated[
        str | None, Field(description="A signature to decode the input with, such as transfer(address to, uint256 n).")
    ] = None,
    chain: Annotated[str | None, Field(description="The chain's name or id; null: the task's own.")] = None,
    cursor: Annotated[
        int, Field(description="Where to go on in lists of over 100 rows: 0, or the last next_cursor.")
    ] = 0,
) -> dict[str, Any]:
    """Read one transaction with its receipt: parties, value, gas, fee, status, created contract, the call it made
    and the tokens it moved; on request its logs and internal transfers.

    Wei amounts are decimal texts; value, fee and amount are in whole coins. status is "success" or "failed"; of a
    failed one failure says why. call is the input decoded by the contract's verified interface or by function; it is
    null where neither has the input's selector. input is the first 4,096 of its input_bytes bytes. A symbol is what
    a token calls itself, and proves nothing.
    Example: {"hash": "0x…", "include_logs": false, "include_internal": false, "function": null, "chain": null,
    "cursor": 0}
    """
    if is_signature(hash.strip()) and (chain or SOLANA).strip().lower() == SOLANA:
        if function is not None or include_logs or include_internal or cursor:
            raise ToolError(f"of a transaction of {SOLANA} all there is comes at once: give hash and chain alone")
        return describe_signature(world, hash.strip())
    name, wanted = chain_argument(world, chain), hash_argument(hash)
    with world.fork(chain=name) as fork:
        body = world.require(fork.rpc("eth_getTransactionByHash", [wanted]), "transaction", wanted, name)
        receipt = world.require(fork.rpc("eth_getTransactionReceipt", [wanted]), "receipt", wanted, name)
    block, status = int(body["blockNumber"], 16), receipt.get("status")
    gas_used, price = int(receipt["gasUsed"], 16), int(receipt.get("effectiveGasPrice") or body["gasPrice"], 16)
    fee_wei = gas_used * price + _beside_gas(receipt, wanted, name)
    known = _Interfaces(world, name, block)
    shown = {
        **brief(body),
        "chain": name,
        **shown_block(world, name, block),
        "index": int(body["transactionIndex"], 16),
        "status": None if status is None else "success" if int(status, 16) else "failed",
        "value": scaled(int(body["value"], 16), COIN_DECIMALS),
        "gas_limit": int(body["gas"], 16),
        "gas_used": gas_used,
        "gas_price_wei": str(price),
        "fee_wei": str(fee_wei),
        "fee": scaled(fee_wei, COIN_DECIMALS),
        "created_contract": receipt.get("contractAddress"),
        "input": body["input"][: 2 + 2 * INPUT_BYTES_SHOWN],
        "input_bytes": len(body["input"]) // 2 - 1,
        "call": _call(known, body, function),
        "log_count": len(receipt["logs"]),
    }
    lists: dict[str, list[Any]] = {"token_transfers": list(moved_tokens(receipt["logs"]))}
    if include_logs:
        lists["logs"] = receipt["logs"]
    if include_internal:
        shown["internal_source"], lists["internal_transfers"] = internal_transfers(world, name, wanted, block)
    longest = max(map(len, lists.values()))
    if not 0 <= cursor <= longest:
        raise ToolError(f"cursor {cursor} is outside the lists, of which the longest has {longest} rows")
    end = cursor + ROWS_SHOWN
    parts = {one: rows[cursor:end] for one, rows in lists.items()}
    shown |= {f"{one.removesuffix('s')}_count": len(rows) for one, rows in lists.items()} | parts
    shown["token_transfers"] = shown_transfers(world, name, block, parts["token_transfers"])
    if include_logs:
        shown["logs"] = [_log(known, log) for log in parts["logs"]]
    shown["next_cursor"] = end if end < longest else None
    if shown["status"] == "failed":
        shown["failure"] = failure(world, name, body, known.of(body.get("to")), include_internal)
    return shown


class _Interfaces:
    """The verified interfaces of contracts at the end of one block, each asked for once."""

    def __init__(self, world: ToolContext, chain: str, block: int) -> None:
        self._world, self._chain, self._block = world, chain, block
        self._known: dict[str, Interface] = {}

    def of(self, contract: str | None) -> Interface:
        """A contract's; of none an empty one."""
        if contract is None:
            return NOTHING_KNOWN
        if contract not in self._known:
            self._known[contract] = recorded_interface(self._world, self._chain, contract, self._block)
        return self._known[contract]


def _beside_gas(receipt: Mapping[str, Any], wanted: str, chain: str) -> int:
    """What was paid beside gas, in wei: for blobs, and on a roll-up for the chain below."""
    paid = int(receipt.get("l1Fee") or "0x0", 16)
    if blobs := int(receipt.get("blobGasUsed") or "0x0", 16):
        if receipt.get("blobGasPrice") is None:
            raise Miss("receipt", f"the blobs' gas price of {wanted}", chain)
        paid += blobs * int(receipt["blobGasPrice"], 16)
    return paid


def _call(known: _Interfaces, body: Mapping[str, Any], function: str | None) -> dict[str, Any] | None:
    data, to = body["input"], body.get("to")
    if to is None or len(data) < 10:
        if function is not None:
            raise ToolError("the transaction calls no function: leave function null")
        return None
    if function is not None:
        signature = parse_signature(function)
        if "0x" + signature.hash[:4].hex() != data[:10]:
            raise ToolError(
                f"the input has selector {data[:10]}; {signature.canonical} has 0x{signature.hash[:4].hex()}"
            )
        found, source = decoded_call(signature, data), "the signature given"
        if found is None:
            raise ToolError(f"the input does not decode as {signature.canonical}")
    else:
        verified = known.of(to).functions.get(data[:10])
        found, source = decoded_call(verified, data) if verified else None, VERIFIED
    return found and {**found, "decoded_by": source}


def _log(known: _Interfaces, log: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "log_index": int(log["logIndex"], 16),
        "address": log["address"],
        "topics": log["topics"],
        "data": log["data"],
        "decoded": decoded_log(known.of(log["address"]), log["topics"], log["data"]),
    }
