"""On-chain tools on a pinned fork: blocks, transactions, balances."""

from __future__ import annotations

import re
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from caia_replay.errors import ToolError
from caia_replay.tools.call_view import CallView
from caia_replay.tools.signature import decode_outputs, encode_call, parse_signature
from caia_replay.world.clock import utc_text

if TYPE_CHECKING:
    from caia_replay.chain.fork_pool import Fork

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_HASH = re.compile(r"0x[0-9a-fA-F]{64}")
_HEIGHT = re.compile(r"[0-9]{1,20}|0x[0-9a-fA-F]{1,16}")
_EXACT = Context(prec=120)

Block = Annotated[int | None, Field(description="Block height; null for the newest block of this moment.")]


def block_query(
    world: CallView,
    block: Annotated[
        int | str | None, Field(description="Block height, 0x block hash, or null for the newest block of this moment.")
    ] = None,
    include_transactions: Annotated[
        bool, Field(description="Whether to list every transaction with sender, recipient, value and gas price.")
    ] = False,
) -> dict[str, Any]:
    """Read one block of the task's chain: header, gas, fees and, on request, its transactions.

    Wei amounts are decimal texts, times are UTC. Example: {"block": 22244135, "include_transactions": false}
    """
    header, absent = _header(world, block, include_transactions)
    shown: dict[str, Any] = {}
    for name, field, read in _HEADER:
        if field in absent:
            continue
        if header.get(field) is not None:
            shown[name] = read(header[field])
    if "timestamp" in shown:
        shown["time_utc"] = utc_text(shown["timestamp"])
    if "transactions" not in absent:
        shown["transaction_count"] = len(header["transactions"])
        if include_transactions:
            shown["transactions"] = [_brief(transaction) for transaction in header["transactions"]]
    else:
        shown["not_recorded"] = sorted({"transactions", *(name for name, field, _ in _HEADER if field in absent)})
    return shown


def transaction_query(
    world: CallView,
    hash: Annotated[str, Field(description="The transaction's 0x hash, 66 characters.")],
    include_logs: Annotated[bool, Field(description="Whether to add the raw event logs.")] = False,
) -> dict[str, Any]:
    """Read one transaction with its receipt: parties, value, gas, fee, status, created contract.

    Wei amounts are decimal texts; status is "success" or "failed". Example: {"hash": "0x…", "include_logs": false}
    """
    wanted = hash.strip().lower()
    if not _HASH.fullmatch(wanted):
        raise ToolError(f"{hash[:100]!r} is no transaction hash; it has 0x and 64 hex digits")
    with world.fork() as fork:
        body = world.require(fork.rpc("eth_getTransactionByHash", [wanted]), "transaction", wanted)
        receipt = world.require(fork.rpc("eth_getTransactionReceipt", [wanted]), "receipt", wanted)
    gas_used, price = int(receipt["gasUsed"], 16), int(receipt["effectiveGasPrice"], 16)
    shown = {
        **_brief(body),
        "block": int(body["blockNumber"], 16),
        "index": int(body["transactionIndex"], 16),
        "status": "success" if int(receipt["status"], 16) else "failed",
        "gas_limit": int(body["gas"], 16),
        "gas_used": gas_used,
        "gas_price_wei": str(price),
        "fee_wei": str(gas_used * price),
        "created_contract": receipt.get("contractAddress"),
        "input": body["input"],
        "log_count": len(receipt["logs"]),
    }
    if include_logs:
        shown["logs"] = [
            {
                "log_index": int(log["logIndex"], 16),
                "address": log["address"],
                "topics": log["topics"],
                "data": log["data"],
            }
            for log in receipt["logs"]
        ]
    return shown


def balance_query(
    world: CallView,
    address: Annotated[str, Field(description="The account's 0x address.")],
    token: Annotated[
        str | None, Field(description="An ERC-20 contract's 0x address; null for the native coin.")
    ] = None,
    block: Block = None,
) -> dict[str, Any]:
    """Read an account's balance of the native coin or of an ERC-20 token, at the end of a block.

    ``raw`` is in the smallest unit, ``amount`` is raw / 10^decimals; both exact decimal texts.
    Example: {"address": "0x…", "token": null, "block": null}
    """
    holder = address_argument(address)
    with world.fork(block) as fork:
        height = fork.block
        if token is None:
            raw, decimals = int(fork.rpc("eth_getBalance", [holder, "latest"]), 16), 18
        else:
            contract = address_argument(token)
            raw = int(_read(fork, contract, "balanceOf(address)(uint256)", [holder]))
            decimals = int(_read(fork, contract, "decimals()(uint8)", []))
    return {
        "address": holder,
        "token": None if token is None else contract,
        "block": height,
        "raw": str(raw),
        "decimals": decimals,
        "amount": scaled(raw, decimals),
    }


def call_contract(fork: Fork, contract: str, data: str) -> str:
    """An eth_call from ``fork.caller`` at the lease's block.

    No data back means no code or no such function there, and is a ``ToolError``.
    """
    reply: str = fork.rpc("eth_call", [{"from": fork.caller, "to": contract, "data": data}, "latest"])
    if reply == "0x":
        raise ToolError(f"{contract} returned no data: it has no code or no such function at this block")
    return reply


def address_argument(address: str) -> str:
    """An address argument in lower case. Raises ``ToolError`` for anything else, never guesses a checksum."""
    if not _ADDRESS.fullmatch(address.strip()):
        raise ToolError(f"{address[:100]!r} is no address; it has 0x and 40 hex digits")
    return address.strip().lower()


def scaled(raw: int, decimals: int) -> str:
    """``raw / 10**decimals`` as an exact decimal text without trailing zeros."""
    text = format(_EXACT.scaleb(Decimal(raw), -decimals), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _read(fork: Fork, contract: str, signature: str, arguments: list[Any]) -> str:
    parsed = parse_signature(signature)
    value: str = decode_outputs(parsed, call_contract(fork, contract, encode_call(parsed, arguments)))[0]
    return value


def _header(world: CallView, block: int | str | None, whole: bool) -> tuple[dict[str, Any], frozenset[str]]:
    """A block as RPC gives it, and the fields of it that are not recorded and must not be shown."""
    if isinstance(block, str):
        block = block.strip()
    if isinstance(block, str) and _HASH.fullmatch(block):
        block = block.lower()
        with world.fork() as fork:
            found = world.require(fork.rpc("eth_getBlockByHash", [block, whole]), "block", block)
        return found, world.unrecorded_fields(int(found["number"], 16))
    height = _height(world, block)
    absent = world.unrecorded_fields(height)
    if "transactions" in absent and not whole:
        return world.recorded_header(height), absent
    with world.fork() as fork:
        return world.require(fork.rpc("eth_getBlockByNumber", [hex(height), whole]), "block", str(height)), absent


def _height(world: CallView, block: int | str | None) -> int:
    if block is None or block == "latest":
        return world.anchor.block
    if isinstance(block, str):
        if not _HEIGHT.fullmatch(block):
            raise ToolError(f"{block[:100]!r} is no block height or hash")
        height = int(block, 16) if block.startswith("0x") else int(block)
    else:
        height = block
    if not 0 <= height <= world.anchor.block:
        raise ToolError(f"block {height} does not exist at this moment; the newest is {world.anchor.block}")
    return height


def _number(value: str) -> int:
    return int(value, 16)


def _amount(value: str) -> str:
    return str(int(value, 16))


def _same(value: str) -> str:
    return value


_HEADER = (
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


def _brief(transaction: dict[str, Any]) -> dict[str, Any]:
    return {
        "hash": transaction["hash"],
        "from": transaction["from"],
        "to": transaction.get("to"),
        "value_wei": _amount(transaction["value"]),
        "nonce": int(transaction["nonce"], 16),
        "type": int(transaction.get("type", "0x0"), 16),
        "gas_price_wei": _amount(transaction["gasPrice"]),
        "selector": transaction["input"][:10] if len(transaction["input"]) >= 10 else None,
    }
