"""Rows written out of JSON-RPC objects, against rows of the vendor's documentation written by hand."""

from __future__ import annotations

import pytest

from caia_replay.errors import Miss
from caia_replay.providers.etherscan_row import log_row, transaction_row, transfer_row

TRANSACTION = {
    "blockNumber": "0x10", "blockHash": "0xbb", "hash": "0xaa", "nonce": "0x1f", "transactionIndex": "0x0",
    "from": "0x01", "to": None, "value": "0xde0b6b3a7640000", "gas": "0x5208", "gasPrice": "0x1",
    "input": "0x60806040aa",
}  # fmt: skip
RECEIPT = {"status": "0x0", "effectiveGasPrice": "0x77", "gasUsed": "0x5207", "cumulativeGasUsed": "0x5209",
           "contractAddress": "0xcc"}  # fmt: skip
LOG = {"address": "0xdd", "topics": ["0xdd", "0x" + "00" * 12 + "11" * 20, "0x" + "00" * 12 + "22" * 20],
       "data": "0x" + "00" * 31 + "ff", "blockNumber": "0x10", "blockHash": "0xbb", "logIndex": "0x0",
       "transactionIndex": "0x0", "transactionHash": "0xaa"}  # fmt: skip
TOKEN = {"tokenName": "Name", "tokenSymbol": "NM", "tokenDecimal": "6", "value": "1"}


def test_a_transaction() -> None:
    """Numbers in decimal digits, the price that was paid, a creation without recipient."""
    assert transaction_row(TRANSACTION, RECEIPT, "0x64", 18) == {
        "blockNumber": "16", "blockHash": "0xbb", "timeStamp": "100", "hash": "0xaa", "nonce": "31",
        "transactionIndex": "0", "from": "0x01", "to": "", "value": "1000000000000000000", "gas": "21000",
        "gasPrice": "119", "gasUsed": "20999", "cumulativeGasUsed": "21001", "input": "0x60806040aa",
        "methodId": "0x60806040", "functionName": "", "contractAddress": "0xcc", "isError": "1",
        "txreceipt_status": "0", "confirmations": "3",
    }  # fmt: skip


def test_a_transfer() -> None:
    """Of an amount, or of one numbered thing."""
    row = transfer_row(LOG, TRANSACTION, RECEIPT, "0x64", 16, TOKEN)
    assert (row["from"], row["to"], row["value"]) == ("0x" + "11" * 20, "0x" + "22" * 20, "255")
    assert (row["tokenName"], row["tokenSymbol"], row["tokenDecimal"]) == ("Name", "NM", "6")
    assert (row["contractAddress"], row["input"], row["confirmations"]) == ("0xdd", "deprecated", "1")
    one = transfer_row(
        {**LOG, "topics": [*LOG["topics"], "0x07"], "data": "0x"}, TRANSACTION, RECEIPT, "0x64", 16, TOKEN
    )
    assert one["tokenID"] == "7"
    assert "value" not in one


def test_an_event() -> None:
    """Numbers are hexadecimal and zero is "0x"."""
    row = log_row(LOG, RECEIPT, "0x64")
    assert (row["timeStamp"], row["gasPrice"], row["gasUsed"]) == ("0x64", "0x77", "0x5207")
    assert (row["logIndex"], row["transactionIndex"], row["blockNumber"]) == ("0x", "0x", "0x10")
    assert row["topics"] == LOG["topics"]


@pytest.mark.parametrize("name", ["status", "effectiveGasPrice", "input", "value"])
def test_a_field_that_was_not_recorded_is_a_miss(name: str) -> None:
    """Receipts before Byzantium have no status; nodes left out the price that was paid. It is neither 0 nor a crash."""
    transaction = {key: value for key, value in TRANSACTION.items() if key != name}
    receipt = {key: value for key, value in RECEIPT.items() if key != name}
    with pytest.raises(Miss) as miss:
        transaction_row(transaction, receipt, "0x64", 18)
    assert miss.value.detail.wanted.startswith(name)
    if name == "effectiveGasPrice":
        for without in (receipt, {**receipt, name: None}):
            with pytest.raises(Miss):
                log_row(LOG, without, "0x64")
