"""The explorer out of tables: lists, state, a node's methods, rows, and whose transactions are whose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import Miss
from caia_replay.providers.etherscan.account_index import AccountIndex
from caia_replay.providers.etherscan.height import timestamp
from caia_replay.providers.etherscan.request import question_of
from caia_replay.providers.etherscan.row import log_row, transaction_row, transfer_row
from caia_replay.providers.etherscan.table import Table
from tests.etherscan_law import asked

NOBODY = "0x" + "12" * 20


@pytest.fixture(scope="module")
def chain(shipped: Path) -> Snapshot:
    return Snapshot.open(shipped.parents[1] / "chain_snapshots" / "mini")


@pytest.fixture(scope="module")
def table(chain: Snapshot) -> Table:
    return Table(chain, 40, AccountIndex())


def rows(table: Table, tokens: Any = None, **fields: Any) -> list[dict[str, Any]]:
    return table.rows(question_of(asked(chainid=700_177, **fields)), tokens or {})


def content(table: Table, **fields: Any) -> Any:
    return table.content(question_of(asked(chainid=700_177, **fields)))


def test_what_tables_prove_of_nobody(table: Table) -> None:
    """No rows, transfers too; a moment of thousands of digits is a miss."""
    for action in ("txlist", "tokentx", "tokennfttx"):
        assert rows(table, module="account", action=action, address=NOBODY) == []
    with pytest.raises(Miss):
        content(table, module="block", action="getblocknobytime", closest="before", timestamp="1" * 5_000)


def test_a_tokens_name_is_in_no_table(table: Table, chain: Snapshot) -> None:
    """Rows that name it make the answer; without them it is a miss."""
    log = next(log for receipt in chain.receipts(5) for log in receipt["logs"] if len(log["topics"]) == 3)
    asked_for = {"module": "account", "action": "tokentx", "contractaddress": log["address"], "offset": 5}
    with pytest.raises(Miss) as miss:
        rows(table, **asked_for)
    assert "calls itself" in miss.value.detail.wanted
    named = {log["address"]: {"tokenName": "N", "tokenSymbol": "S", "tokenDecimal": "6"}}
    assert [row["tokenName"] for row in rows(table, named, **asked_for)] == ["N"] * 5


def test_topics_that_are_not_plainly_joined_are_a_miss(table: Table) -> None:
    """No operator, two kinds of them, or no filter at all."""
    topics = {f"topic{at}": "0x" + f"{at + 1:02x}" * 32 for at in range(3)}
    for operators in ({}, {"topic0_1_opr": "and"}, {"topic0_1_opr": "and", "topic1_2_opr": "or"}):
        with pytest.raises(Miss):
            rows(table, module="logs", action="getLogs", **topics, **operators)
    with pytest.raises(Miss):
        rows(table, module="logs", action="getLogs")
    assert rows(table, module="logs", action="getLogs", **topics, topic0_1_opr="and", topic1_2_opr="and") == []


def test_partial_state_is_a_miss_and_not_zero(table: Table, chain: Snapshot) -> None:
    """Balances of accounts that were recorded, no balance of one that was not."""
    sender = chain.transactions(5)[0]["from"]
    wei = content(table, module="account", action="balance", address=sender, tag="latest")["result"]
    assert wei == str(chain.account(bytes.fromhex(sender[2:]), 40).balance)
    for fields in ({"address": NOBODY}, {"address": sender, "tag": "0x5"}, {"address": "0x1"}):
        with pytest.raises(Miss):
            content(table, module="account", action="balance", **fields)
    with pytest.raises(Miss):
        content(table, module="account", action="balancemulti", address=f"{sender},{NOBODY}")


class Old(Snapshot):
    """The same tables with receipts as they were before Byzantium, and transactions without call data."""

    def receipt(self, transaction_hash: bytes, pin: int) -> dict[str, Any] | None:
        found = super().receipt(transaction_hash, pin)
        return found and {name: value for name, value in found.items() if name not in ("status", "effectiveGasPrice")}

    def transaction(self, transaction_hash: bytes, pin: int) -> dict[str, Any] | None:
        found = super().transaction(transaction_hash, pin)
        return found and {name: value for name, value in found.items() if name != "input"}


def test_what_old_receipts_do_not_say_is_a_miss(chain: Snapshot) -> None:
    """Neither state of a transaction, nor a row that has it or the price that was paid."""
    table, mined = Table(Old.open(chain.folder), 40, AccountIndex()), chain.transactions(5)[0]
    for action in ("gettxreceiptstatus", "getstatus"):
        with pytest.raises(Miss) as miss:
            content(table, module="transaction", action=action, txhash=mined["hash"])
        assert miss.value.detail.wanted.startswith("status of ")
    topic = chain.receipts(5)[0]["logs"][0]["topics"][0]
    for fields in ({"action": "txlist", "address": mined["from"]}, {"action": "getLogs", "topic0": topic}):
        with pytest.raises(Miss):
            rows(table, module="logs" if "topic0" in fields else "account", **fields)


@pytest.mark.parametrize(
    ("module", "action"),
    [("account", "txlistinternal"), ("account", "tokenbalance"), ("stats", "tokensupply"), ("stats", "ethprice"),
     ("contract", "getabi"), ("gastracker", "gasoracle"), ("account", "getminedblocks")],
)  # fmt: skip
def test_what_no_table_says_is_a_miss(table: Table, module: str, action: str) -> None:
    """Supplies, internal transactions, sources, prices."""
    question = question_of(asked(chainid=700_177, module=module, action=action, address=NOBODY, contractaddress=NOBODY))
    with pytest.raises(Miss):
        table.rows(question, {}) if question.listing else table.content(question)


@pytest.mark.check
@pytest.mark.real
def test_one_real_block(real_block: Path, real_data: Path) -> None:
    """Its events are all told; which functions were called, and what an account did before, is not."""
    chain = Snapshot.open(real_block.parents[1] / "chain_snapshots" / "mainnet-22244135")
    table = Table(chain, 22_244_135, AccountIndex())
    receipts = json.loads((real_data / "mainnet-22244135" / "receipts.json").read_bytes())
    receipts = receipts["result"] if isinstance(receipts, dict) else receipts
    tether = "0xdac17f958d2ee523a2206206994597c13d831ec7"
    wanted = [log["logIndex"] for receipt in receipts for log in receipt["logs"] if log["address"].lower() == tether]
    window = {"first": 22_244_135, "last": 22_244_135}
    found = rows(table, module="logs", action="getLogs", address=tether, **window)
    assert [row["logIndex"] for row in found] == [text if text != "0x0" else "0x" for text in wanted]
    assert {row["timeStamp"] for row in found} == {hex(timestamp(chain, 22_244_135))}
    with pytest.raises(Miss):
        rows(table, module="logs", action="getLogs", address=tether, first=22_244_134)
    blocks = {"startblock": 22_244_135, "endblock": 22_244_135}
    with pytest.raises(Miss) as miss:
        rows(table, module="account", action="txlist", address=tether, **blocks)
    assert "name of the function" in miss.value.detail.wanted
    plain = next(item for item in chain.transactions(22_244_135) if item["input"] == "0x" and item["to"])
    paid = rows(table, module="account", action="txlist", address=plain["to"], **blocks)
    assert plain["hash"] in [row["hash"] for row in paid]


HEAD = 40


def result(chain: Snapshot, action: str, **fields: Any) -> Any:
    question = question_of(asked(chainid=700_177, module="proxy", action=action, **fields))
    content = Table(chain, HEAD, AccountIndex()).content(question)
    assert (content["jsonrpc"], content["id"]) == ("2.0", 1)
    return content["result"]


def test_state_is_that_of_the_block(chain: Snapshot) -> None:
    """Nonce, code and slots; what is not recorded is a miss."""
    sender = chain.transactions(5)[0]["from"]
    raw = bytes.fromhex(sender[2:])
    for tag, block in (("latest", HEAD), ("0x9", 9)):
        assert result(chain, "eth_getTransactionCount", address=sender, tag=tag) == hex(chain.account(raw, block).nonce)
    assert result(chain, "eth_getCode", address=sender, tag="latest") == "0x"
    contract = next(item["to"] for item in chain.transactions(30) if len(item["input"]) > 10)
    code = result(chain, "eth_getCode", address=contract, tag="latest")
    assert len(code) > 2
    with pytest.raises(Miss):
        result(chain, "eth_getStorageAt", address=contract, position="0xfffff", tag="latest")
    with pytest.raises(Miss):
        result(chain, "eth_getCode", address="0x" + "12" * 20, tag="latest")


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("eth_call", {"to": "0x" + "12" * 20, "data": "0x", "tag": "latest"}),
        ("eth_gasPrice", {}),
        ("eth_getBlockByNumber", {"tag": "latest"}),
        ("eth_getBlockByNumber", {"tag": "pending", "boolean": "true"}),
        ("eth_getCode", {"address": "0x" + "12" * 20, "tag": hex(HEAD + 1)}),
        ("eth_getTransactionCount", {"address": "0x12", "tag": "latest"}),
        ("eth_getTransactionByHash", {"txhash": "0x12"}),
        ("eth_getStorageAt", {"address": "0x" + "12" * 20, "position": "x", "tag": "latest"}),
    ],
)
def test_everything_else_is_a_miss(chain: Snapshot, action: str, fields: dict[str, Any]) -> None:
    """What must be executed, what is malformed, and errors of a node nobody recorded."""
    with pytest.raises(Miss):
        result(chain, action, **fields)


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


def test_a_transaction_and_a_transfer() -> None:
    """Decimal digits, the price that was paid, a creation without recipient; an amount, or one numbered thing."""
    assert transaction_row(TRANSACTION, RECEIPT, "0x64", 18) == {
        "blockNumber": "16", "blockHash": "0xbb", "timeStamp": "100", "hash": "0xaa", "nonce": "31",
        "transactionIndex": "0", "from": "0x01", "to": "", "value": "1000000000000000000", "gas": "21000",
        "gasPrice": "119", "gasUsed": "20999", "cumulativeGasUsed": "21001", "input": "0x60806040aa",
        "methodId": "0x60806040", "functionName": "", "contractAddress": "0xcc", "isError": "1",
        "txreceipt_status": "0", "confirmations": "3",
    }  # fmt: skip
    row = transfer_row(LOG, TRANSACTION, RECEIPT, "0x64", 16, TOKEN)
    assert (row["from"], row["to"], row["value"]) == ("0x" + "11" * 20, "0x" + "22" * 20, "255")
    assert (row["tokenName"], row["tokenSymbol"], row["tokenDecimal"]) == ("Name", "NM", "6")
    assert (row["contractAddress"], row["input"], row["confirmations"]) == ("0xdd", "deprecated", "1")
    one = transfer_row(
        {**LOG, "topics": [*LOG["topics"], "0x07"], "data": "0x"}, TRANSACTION, RECEIPT, "0x64", 16, TOKEN
    )
    assert one["tokenID"] == "7"
    assert "value" not in one


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


def test_every_accounts_transactions_are_found(chain: Snapshot) -> None:
    """Sent, received, and the creating one; in order; past the last block nobody knows."""
    index, whole = AccountIndex(), [(item, receipt) for number in range(61) for item, receipt in zip(
        chain.transactions(number), chain.receipts(number), strict=True)]  # fmt: skip
    parties = {party for item, receipt in whole for party in (item["from"], item["to"], receipt["contractAddress"])}
    for party in sorted(found for found in parties if found):
        wanted = [item["hash"] for item, receipt in whole
                  if party in (item["from"], item["to"], receipt["contractAddress"])
                  and 5 <= int(item["blockNumber"], 16) <= 50]  # fmt: skip
        found = index.transactions(chain, bytes.fromhex(party[2:]), 5, 50)
        assert ["0x" + one.hex() for one in found] == wanted
    assert len(parties) > 10
    with pytest.raises(Miss) as miss:
        AccountIndex().transactions(chain, b"\x12" * 20, 0, 61)
    assert "blocks 0 to 60" in miss.value.detail.nearest
