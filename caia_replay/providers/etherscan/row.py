"""An explorer's rows, written out of JSON-RPC objects of recorded tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from caia_replay.errors import Miss

Rpc = Mapping[str, Any]
Row = dict[str, Any]


def field(of: Rpc, name: str) -> Any:
    """A field a row needs. Raises ``Miss``: receipts before Byzantium have no status, nodes left out others."""
    found = of.get(name)
    if found is None:
        known = ", ".join(sorted(key for key in of if of[key] is not None))
        raise Miss("http", f"{name} of {of.get('hash') or of.get('transactionHash')}", "recorded tables", known)
    return found


def transaction_row(transaction: Rpc, receipt: Rpc, moment: str, height: int) -> Row:
    """A row of txlist. ``moment`` is the block's timestamp as a quantity, ``height`` the newest block."""
    succeeded = field(receipt, "status") == "0x1"
    return _common(transaction, receipt, moment, height) | {
        "from": field(transaction, "from"),
        "to": transaction.get("to") or "",
        "value": _number(field(transaction, "value")),
        "input": field(transaction, "input"),
        "contractAddress": receipt.get("contractAddress") or "",
        "isError": "0" if succeeded else "1",
        "txreceipt_status": "1" if succeeded else "0",
    }


def transfer_row(log: Rpc, transaction: Rpc, receipt: Rpc, moment: str, height: int, token: Rpc) -> Row:
    """A row of tokentx, or of tokennfttx where the log has four topics. ``token`` has its three ``token...`` fields."""
    topics = field(log, "topics")
    row = _common(transaction, receipt, moment, height) | {
        "from": "0x" + topics[1][-40:],
        "to": "0x" + topics[2][-40:],
        "contractAddress": field(log, "address"),
        "tokenName": token["tokenName"],
        "tokenSymbol": token["tokenSymbol"],
        "tokenDecimal": token["tokenDecimal"],
        "input": "deprecated",
    }
    if len(topics) == 4:
        return row | {"tokenID": _number(topics[3])}
    return row | {"value": _number(field(log, "data")[:66])}


def log_row(log: Rpc, receipt: Rpc, moment: str) -> Row:
    """A row of getLogs, in which zero is written "0x"."""
    return {
        "address": field(log, "address"),
        "topics": field(log, "topics"),
        "data": field(log, "data"),
        "blockNumber": _hexadecimal(field(log, "blockNumber")),
        "blockHash": field(log, "blockHash"),
        "timeStamp": _hexadecimal(moment),
        "gasPrice": _hexadecimal(field(receipt, "effectiveGasPrice")),
        "gasUsed": _hexadecimal(field(receipt, "gasUsed")),
        "logIndex": _hexadecimal(field(log, "logIndex")),
        "transactionHash": field(log, "transactionHash"),
        "transactionIndex": _hexadecimal(field(log, "transactionIndex")),
    }


def _common(transaction: Rpc, receipt: Rpc, moment: str, height: int) -> Row:
    return {
        "blockNumber": _number(field(transaction, "blockNumber")),
        "blockHash": field(transaction, "blockHash"),
        "timeStamp": _number(moment),
        "hash": field(transaction, "hash"),
        "nonce": _number(field(transaction, "nonce")),
        "transactionIndex": _number(field(transaction, "transactionIndex")),
        "gas": _number(field(transaction, "gas")),
        "gasPrice": _number(field(receipt, "effectiveGasPrice")),
        "gasUsed": _number(field(receipt, "gasUsed")),
        "cumulativeGasUsed": _number(field(receipt, "cumulativeGasUsed")),
        "methodId": field(transaction, "input")[:10],
        "functionName": "",
        "confirmations": str(height - int(field(transaction, "blockNumber"), 16) + 1),
    }


def _number(quantity: str) -> str:
    return str(int(quantity, 16)) if quantity != "0x" else "0"


def _hexadecimal(quantity: str) -> str:
    return "0x" if quantity == "0x0" else quantity
