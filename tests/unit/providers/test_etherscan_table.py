"""Answers out of tables: of the shipped six-task chain, whose state is partial, and of one real block."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import Miss
from caia_replay.providers.etherscan_account_index import AccountIndex
from caia_replay.providers.etherscan_height import timestamp
from caia_replay.providers.etherscan_question import question_of
from caia_replay.providers.etherscan_table import Table
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


def test_lists_end_at_the_newest_block(table: Table, chain: Snapshot) -> None:
    """Nothing above it, whatever the range."""
    sender = chain.transactions(5)[0]["from"]
    found = rows(table, module="account", action="txlist", address=sender)
    assert found
    assert max(int(row["blockNumber"]) for row in found) <= 40
    assert rows(table, module="account", action="txlist", address=sender, startblock=41) == []
    logs = rows(table, module="logs", action="getLogs", first=30, topic0=chain.receipts(5)[0]["logs"][0]["topics"][0])
    assert logs
    assert {30 <= int(row["blockNumber"], 16) <= 40 for row in logs} == {True}


def test_nobody_has_no_rows(table: Table) -> None:
    """Which complete tables prove, for transfers too."""
    for action in ("txlist", "tokentx", "tokennfttx"):
        assert rows(table, module="account", action=action, address=NOBODY) == []


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


def test_states_of_transactions(table: Table, chain: Snapshot) -> None:
    """Of one that is there, of one that provably is not, of one that is later."""
    there, later = chain.transactions(5)[0]["hash"], chain.transactions(50)[0]["hash"]
    states = [content(table, module="transaction", action="gettxreceiptstatus", txhash=one)["result"]["status"]
              for one in (there, "0x" + "12" * 32, later)]  # fmt: skip
    assert states == ["1", "", ""]
    assert content(table, module="transaction", action="getstatus", txhash=there)["result"]["isError"] == "0"


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


def test_a_moment_of_thousands_of_digits_is_a_miss(table: Table) -> None:
    """Python refuses to read it; so does this."""
    with pytest.raises(Miss):
        content(table, module="block", action="getblocknobytime", closest="before", timestamp="1" * 5_000)


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
