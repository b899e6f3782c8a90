"""The account module, held against the story's ledger and the node."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.origin.scene import Scene
from caia_replay.origin.services.etherscan_account import (
    balance,
    balancemulti,
    getminedblocks,
    tips_wei,
    tokenbalance,
    tokennfttx,
    tokensupply,
    tokentx,
    txlist,
    txlistinternal,
)
from caia_replay.origin.services.etherscan_form import Refusal
from caia_replay.origin.services.etherscan_history import History

TXLIST = {"blockNumber", "blockHash", "timeStamp", "hash", "nonce", "transactionIndex", "from", "to", "value", "gas",
          "gasPrice", "input", "methodId", "functionName", "contractAddress", "cumulativeGasUsed", "txreceipt_status",
          "gasUsed", "confirmations", "isError"}  # fmt: skip
TOKENTX = (TXLIST - {"txreceipt_status", "isError"}) | {"tokenName", "tokenSymbol", "tokenDecimal"}
INTERNAL = {"blockNumber", "timeStamp", "hash", "from", "to", "value", "contractAddress", "input", "type", "gas",
            "gasUsed", "traceId", "isError", "errCode"}  # fmt: skip
HEAD = 100


@pytest.fixture(scope="module")
def main(scene: Scene) -> History:
    return History(scene.main)


def rows(content: Any) -> list[dict[str, Any]]:
    assert content["status"] == "1"
    found: list[dict[str, Any]] = content["result"]
    return found


def test_balances_are_the_nodes(main: History, scene: Scene) -> None:
    """In wei, in decimal digits, at the end of the newest block."""
    who, other = scene.people.address("treasury"), scene.people.address("scammer")
    wei = [str(int(scene.main.ask("eth_getBalance", account, hex(HEAD)), 16)) for account in (who, other)]
    assert balance(main, {"address": who}, HEAD)["result"] == wei[0]
    both = balancemulti(main, {"address": f"{who},{other.upper().replace('X', 'x')}", "tag": "latest"}, HEAD)["result"]
    assert both == [{"account": who, "balance": wei[0]}, {"account": other.lower(), "balance": wei[1]}]


def test_another_moments_balance_is_the_paid_tiers(main: History, scene: Scene) -> None:
    """So are more than twenty accounts refused."""
    who = scene.people.address("treasury")
    with pytest.raises(Refusal) as paid:
        balance(main, {"address": who, "tag": "0x5"}, HEAD)
    assert "API Pro" in paid.value.content["result"]
    with pytest.raises(Refusal):
        balancemulti(main, {"address": ",".join([who] * 21)}, HEAD)


def test_tokens_agree_with_the_ledger(main: History, scene: Scene) -> None:
    """Supply and balance by call are the story's own."""
    ledger, who = scene.main.ledger, scene.people.address("treasury")
    for role in ("dollar", "lend"):
        token = scene.assets[role].address
        fields = {"contractaddress": token, "address": who}
        assert tokensupply(main, fields, HEAD)["result"] == str(ledger.supply(token, HEAD))
        assert tokenbalance(main, fields, HEAD)["result"] == str(ledger.balance(token, who, HEAD))


def test_what_is_no_token_holds_nothing(main: History, scene: Scene) -> None:
    """The vendor says zero of a contract that refuses, and of an account."""
    who = scene.people.address("treasury")
    for address in (scene.main.contracts["router"].address, who):
        assert tokensupply(main, {"contractaddress": address}, HEAD)["result"] == "0"


def test_an_accounts_transactions_are_those_of_the_blocks(main: History, scene: Scene) -> None:
    """Sent, received and creating ones, with the vendor's fields, nothing left out."""
    for address in (scene.people.address("treasury"), scene.main.contracts["router"].address):
        found = rows(txlist(main, {"address": address}, HEAD))
        blocks = [scene.main.ask("eth_getBlockByNumber", hex(number), True) for number in range(HEAD + 1)]
        wanted = []
        for item in (item for block in blocks for item in block["transactions"]):
            receipt = scene.main.ask("eth_getTransactionReceipt", item["hash"])
            if address in (item["from"], item["to"], receipt["contractAddress"]):
                wanted.append(item["hash"])
        assert [row["hash"] for row in found] == wanted
        assert all(row.keys() == TXLIST for row in found)
        assert {row["blockNumber"]: row["confirmations"] for row in found}[found[0]["blockNumber"]] == str(
            HEAD - int(found[0]["blockNumber"]) + 1
        )


def test_a_creation_names_the_contract_and_no_recipient(main: History, scene: Scene) -> None:
    """The first transaction of a deployed contract."""
    address = scene.main.contracts["router"].address
    first = rows(txlist(main, {"address": address, "page": "1", "offset": "1"}, HEAD))[0]
    assert (first["to"], first["contractAddress"], first["methodId"]) == ("", address, "0x60c06040")


def test_failed_transactions_say_so(main: History) -> None:
    """isError is the opposite of the receipt's status."""
    failed = next(item for item in main.mined if item.receipt["status"] != "0x1" and item.block <= HEAD)
    found = rows(txlist(main, {"address": failed.transaction["from"]}, HEAD))
    row = next(row for row in found if row["hash"] == failed.transaction["hash"])
    assert (row["isError"], row["txreceipt_status"]) == ("1", "0")


def test_order_range_and_pages(main: History, scene: Scene) -> None:
    """The newest first is the exact reverse; pages are parts; blocks are inclusive."""
    who = {"address": scene.people.address("treasury")}
    whole = rows(txlist(main, who, HEAD))
    assert rows(txlist(main, {**who, "sort": "desc"}, HEAD)) == whole[::-1]
    assert rows(txlist(main, {**who, "page": "2", "offset": "3"}, HEAD)) == whole[3:6]
    first, last = (whole[at]["blockNumber"] for at in (2, -2))
    part = rows(txlist(main, {**who, "startblock": first, "endblock": last}, HEAD))
    assert part == [row for row in whole if int(first) <= int(row["blockNumber"]) <= int(last)]


def test_no_transactions_have_words_of_their_own(main: History) -> None:
    """An empty list has status "0"."""
    nobody = {"address": "0x" + "12" * 20}
    for action in (txlist, txlistinternal, tokentx, tokennfttx, getminedblocks):
        assert action(main, nobody, HEAD) == {"status": "0", "message": "No transactions found", "result": []}


def test_past_the_window_is_refused(main: History, scene: Scene) -> None:
    """Page times offset is at most ten thousand."""
    with pytest.raises(Refusal) as far:
        txlist(main, {"address": scene.people.address("treasury"), "page": "11", "offset": "1000"}, HEAD)
    assert far.value.content["message"].startswith("Result window is too large")
    assert far.value.content["result"] is None


@pytest.mark.parametrize("role", ["dollar", "lend"])
def test_transfers_add_up_to_the_ledger(main: History, scene: Scene, role: str) -> None:
    """What came in less what went out is what the story says a holder has."""
    token, who = scene.assets[role].address, scene.people.address("treasury")
    found = rows(tokentx(main, {"contractaddress": token, "address": who}, HEAD))
    total = sum(int(row["value"]) * ((row["to"] == who) - (row["from"] == who)) for row in found)
    assert total == scene.main.ledger.balance(token, who, HEAD)
    assert all(row.keys() == TOKENTX for row in found)
    assert {row["tokenDecimal"] for row in found} == {str(scene.assets[role].decimals)}


def test_tokens_of_a_kind_have_numbers(main: History, scene: Scene) -> None:
    """A collectible's rows have tokenID in place of value, and owners as the contract says."""
    token = scene.main.contracts["relics collection"].address
    found = rows(tokennfttx(main, {"contractaddress": token}, HEAD))
    assert all(row.keys() == (TOKENTX - {"value"}) | {"tokenID"} for row in found)
    last = found[-1]
    word = scene.main.ask("eth_call", {"to": token, "data": f"0x6352211e{int(last['tokenID']):064x}"}, hex(HEAD))
    assert word[-40:] == last["to"][2:]
    with pytest.raises(Refusal):
        tokentx(main, {}, HEAD)


def test_internal_transactions_move_what_the_balance_says(main: History, scene: Scene) -> None:
    """Coins in and out of a contract, by transactions and inside them, are its balance."""
    wrapped = scene.main.contracts["wrapped token"].address
    inside = rows(txlistinternal(main, {"address": wrapped}, HEAD))
    outside = rows(txlist(main, {"address": wrapped}, HEAD))
    moved = [row for row in (*inside, *outside) if row["isError"] == "0"]
    total = sum(int(row["value"]) * ((row["to"] == wrapped) - (row["from"] == wrapped)) for row in moved)
    assert str(total) == balance(main, {"address": wrapped}, HEAD)["result"]
    assert all(row.keys() == INTERNAL for row in inside)


def test_internal_transactions_of_one_and_of_a_range(main: History) -> None:
    """By hash without hash and trace; by blocks all there are; of a later transaction none."""
    every = rows(txlistinternal(main, {"startblock": "5", "endblock": "60"}, HEAD))
    assert {5 <= int(row["blockNumber"]) <= 60 for row in every} == {True}
    one = rows(txlistinternal(main, {"txhash": every[0]["hash"]}, HEAD))
    assert one[0].keys() == INTERNAL - {"hash", "traceId"}
    assert txlistinternal(main, {"txhash": every[-1]["hash"]}, 4)["result"] == []


def test_mined_blocks_are_the_newest_first(main: History, scene: Scene) -> None:
    """With what their fee recipient was paid; blocks have no uncles."""
    miner = main.blocks[1]["miner"]
    found = rows(getminedblocks(main, {"address": miner, "page": "1", "offset": "5"}, HEAD))
    assert [int(row["blockNumber"]) for row in found] == list(range(HEAD, HEAD - 5, -1))
    before, after = (int(scene.main.ask("eth_getBalance", miner, hex(block)), 16) for block in (HEAD - 1, HEAD))
    assert tips_wei(main, HEAD) == after - before == int(found[0]["blockReward"])
    assert getminedblocks(main, {"address": miner, "blocktype": "uncles"}, HEAD)["result"] == []
