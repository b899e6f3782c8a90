"""One block of a chain: header, gas and fees, and on request its transactions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

from pydantic import Field

from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import chain_argument, hash_argument
from caia_replay.tools.chain_height import height_argument
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text

TRANSACTIONS_SHOWN: Final = 200
_HASH_LENGTH: Final = 66


def block_query(
    world: ToolContext,
    block: Annotated[
        int | str | None, Field(description="Block height, 0x block hash, or null for the newest block of this moment.")
    ] = None,
    include_transactions: Annotated[
        bool, Field(description="Whether to list every transaction with sender, recipient, value and gas price.")
    ] = False,
    time: Annotated[
        str | int | None, Field(description="Instead of block: a date or time, for the last block at or before it.")
    ] = None,
    chain: Annotated[str | None, Field(description="The chain's name or id; null: the task's own.")] = None,
    cursor: Annotated[
        int, Field(description="Where to go on in a long list of transactions: 0, or the last next_cursor.")
    ] = 0,
) -> dict[str, Any]:
    """Read one block of a chain: header, gas, fees and, on request, its transactions, 200 at a time.

    Wei amounts are decimal texts, times are UTC. Example: {"block": 22244135, "include_transactions": false,
    "time": null, "chain": null, "cursor": 0}
    """
    name = chain_argument(world, chain)
    if cursor and not include_transactions:
        raise ToolError("cursor leads through a block's transactions: set include_transactions, or cursor to 0")
    header, absent = _header(world, name, block, time, include_transactions)
    shown: dict[str, Any] = {"chain": name}
    for one, field, read in _HEADER:
        if field not in absent and header.get(field) is not None:
            shown[one] = read(header[field])
    if "timestamp" in shown:
        shown["time_utc"] = utc_text(shown["timestamp"])
    if "transactions" in absent:
        shown["unavailable"] = sorted({"transactions", *(one for one, field, _ in _HEADER if field in absent)})
        return shown
    count = shown["transaction_count"] = len(header["transactions"])
    if include_transactions:
        if not 0 <= cursor <= count:
            raise ToolError(f"cursor {cursor} is outside the block, which has {count} transactions")
        if any(isinstance(found, str) for found in header["transactions"]):
            # Their hashes were recorded with the header and they themselves were not: the node then gives hashes.
            raise Miss("transaction", f"the transactions of block {shown['number']}", f"{name} has their hashes alone")
        end = cursor + TRANSACTIONS_SHOWN
        shown["transactions"] = [brief(transaction) for transaction in header["transactions"][cursor:end]]
        shown["next_cursor"] = end if end < count else None
    return shown


def brief(transaction: Mapping[str, Any]) -> dict[str, Any]:
    """What a transaction says before it is run. One that creates a contract calls no function."""
    calls = transaction.get("to") is not None
    return {
        "hash": transaction["hash"],
        "from": transaction["from"],
        "to": transaction.get("to"),
        "value_wei": _amount(transaction["value"]),
        "nonce": int(transaction["nonce"], 16),
        "type": int(transaction.get("type", "0x0"), 16),
        "gas_price_wei": _amount(transaction["gasPrice"]),
        "selector": transaction["input"][:10] if calls and len(transaction["input"]) >= 10 else None,
    }


def _header(
    world: ToolContext, chain: str, block: int | str | None, time: str | int | None, whole: bool
) -> tuple[dict[str, Any], frozenset[str]]:
    """A block as RPC gives it, and the fields of it that are not recorded and must not be shown."""
    if isinstance(block, str) and len("".join(block.split()).strip("'\"`")) == _HASH_LENGTH:
        if time is not None:
            raise ToolError("give block or time, not both")
        wanted = hash_argument(block, "block hash")
        with world.fork(chain=chain) as fork:
            found = world.require(fork.rpc("eth_getBlockByHash", [wanted, whole]), "block", wanted, chain)
        return found, world.unrecorded_fields(int(found["number"], 16), chain)
    height = height_argument(world, chain, block, time)
    absent = world.unrecorded_fields(height, chain)
    if "transactions" in absent and not whole:
        return world.recorded_header(height, chain), absent
    with world.fork(chain=chain) as fork:
        found = fork.rpc("eth_getBlockByNumber", [hex(height), whole])
    return world.require(found, "block", str(height), chain), absent


def _number(value: str) -> int:
    return int(value, 16)


def _amount(value: str) -> str:
    return str(int(value, 16))


def _same(value: str) -> str:
    return value


_HEADER: Final[tuple[tuple[str, str, Callable[[str], Any]], ...]] = (
    ("number", "number", _number),
    ("hash", "hash", _same),
    ("parent_hash", "parentHash", _same),
    ("timestamp", "timestamp", _number),
    ("fee_recipient", "miner", _same),
    ("gas_used", "gasUsed", _number),
    ("gas_limit", "gasLimit", _number),
    ("base_fee_per_gas_wei", "baseFeePerGas", _amount),
    ("blob_gas_used", "blobGasUsed", _number),
    ("excess_blob_gas", "excessBlobGas", _number),
    ("size_bytes", "size", _number),
    ("extra_data", "extraData", _same),
    ("state_root", "stateRoot", _same),
    ("transactions_root", "transactionsRoot", _same),
    ("receipts_root", "receiptsRoot", _same),
)
