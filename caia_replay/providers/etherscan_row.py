"""An explorer's rows, written out of JSON-RPC objects of recorded tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Rpc = Mapping[str, Any]
Row = dict[str, Any]


def transaction_row(transaction: Rpc, receipt: Rpc, moment: str, height: int) -> Row:
    """A row of txlist. ``moment`` is the block's timestamp as a quantity, ``height`` the newest block."""
    succeeded = receipt["status"] == "0x1"
    row = _common(transaction, receipt, moment, height)
    row.update(
        {
            "from": transaction["from"],
            "to": transaction.get("to") or "",
            "value": _number(transaction["value"]),
            "input": transaction["input"],
            "contractAddress": receipt.get("contractAddress") or "",
            "isError": "0" if succeeded else "1",
            "txreceipt_status": "1" if succeeded else "0",
        }
    )
    return row


def transfer_row(log: Rpc, transaction: Rpc, receipt: Rpc, moment: str, height: int, token: Rpc) -> Row:
    """A row of tokentx, or of tokennfttx where the log has four topics. ``token`` has its three ``token...`` fields."""
    topics = log["topics"]
    row = _common(transaction, receipt, moment, height)
    row.update(
        {
            "from": "0x" + topics[1][-40:],
            "to": "0x" + topics[2][-40:],
            "contractAddress": log["address"],
            "tokenName": token["tokenName"],
            "tokenSymbol": token["tokenSymbol"],
            "tokenDecimal": token["tokenDecimal"],
            "input": "deprecated",
        }
    )
    if len(topics) == 4:
        row["tokenID"] = _number(topics[3])
    else:
        row["value"] = _number(log["data"][:66])
    return row


def log_row(log: Rpc, receipt: Rpc, moment: str) -> Row:
    """A row of getLogs, in which zero is written "0x"."""
    return {
        "address": log["address"],
        "topics": log["topics"],
        "data": log["data"],
        "blockNumber": _hexadecimal(log["blockNumber"]),
        "blockHash": log["blockHash"],
        "timeStamp": _hexadecimal(moment),
        "gasPrice": _hexadecimal(receipt["effectiveGasPrice"]),
        "gasUsed": _hexadecimal(receipt["gasUsed"]),
        "logIndex": _hexadecimal(log["logIndex"]),
        "transactionHash": log["transactionHash"],
        "transactionIndex": _hexadecimal(log["transactionIndex"]),
    }


def _common(transaction: Rpc, receipt: Rpc, moment: str, height: int) -> Row:
    return {
        "blockNumber": _number(transaction["blockNumber"]),
        "blockHash": transaction["blockHash"],
        "timeStamp": _number(moment),
        "hash": transaction["hash"],
        "nonce": _number(transaction["nonce"]),
        "transactionIndex": _number(transaction["transactionIndex"]),
        "gas": _number(transaction["gas"]),
        "gasPrice": _number(receipt["effectiveGasPrice"]),
        "gasUsed": _number(receipt["gasUsed"]),
        "cumulativeGasUsed": _number(receipt["cumulativeGasUsed"]),
        "methodId": transaction["input"][:10],
        "functionName": "",
        "confirmations": str(height - int(transaction["blockNumber"], 16) + 1),
    }


def _number(quantity: str) -> str:
    return str(int(quantity, 16)) if quantity != "0x" else "0"


def _hexadecimal(quantity: str) -> str:
    return "0x" if quantity == "0x0" else quantity
