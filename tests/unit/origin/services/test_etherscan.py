"""The explorer, held against the story's ledger and the node, and how it refuses; nothing is later than the moment."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.scene import Scene
from caia_replay.origin.services.etherscan import Etherscan
from caia_replay.origin.services.etherscan_account import tokentx, txlist
from caia_replay.origin.services.etherscan_event import get_logs
from caia_replay.origin.services.etherscan_history import TRANSFER, History
from caia_replay.origin.services.etherscan_node import node_answer
from caia_replay.origin.services.service import Asked

pytestmark = pytest.mark.check


@pytest.fixture(scope="module")
def explorer(scene: Scene, book: MarketBook) -> Etherscan:
    return Etherscan((scene.main, scene.rollup), book, refused=("not-a-key",))


def said(explorer: Etherscan, now: int, path: str = "/v2/api", **fields: Any) -> Any:
    answer = explorer.answer(Asked("GET", path, {name: str(text) for name, text in fields.items()}), now)
    assert answer.status == 200
    return answer.content


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"chainid": ""}, "Missing or unsupported chainid"), ({"chainid": "1,10"}, "Missing or unsupported chainid"),
        ({"apikey": "not-a-key"}, "Invalid API Key"), ({"module": "nothing"}, "Missing Or invalid Module name"),
        ({"action": "nothing"}, "Missing Or invalid Action name"),
        ({"module": "contract", "action": "verifysourcecode"}, "Missing Or invalid Action name"),
        ({"module": "stats", "action": "dailytx"}, "API Pro endpoint"),
        ({"action": "tokenbalancehistory"}, "API Pro endpoint"), ({"address": "0x12"}, "Invalid address format"),
        ({"path": "/api"}, "deprecated V1 endpoint"),
    ],
)  # fmt: skip
def test_faults_are_told_with_status_200(explorer: Etherscan, scene: Scene, fields: dict[str, Any], words: str) -> None:
    """Status "0", NOTOK, and the vendor's words."""
    asked = {"chainid": scene.main.chain_id, "module": "account", "action": "balance"} | fields
    content = said(explorer, scene.main.calendar.times[-1], **asked)
    assert (content["status"], content["message"]) == ("0", "NOTOK")
    assert words in content["result"]


def test_nothing_is_later_than_the_moment(explorer: Etherscan, scene: Scene) -> None:
    """No time in any list is after it, and the newest block is the last one before it."""
    stage = scene.main
    now = stage.calendar.times[80] + 5
    token, who = scene.assets["dollar"].address, scene.people.address("treasury")
    lists = [
        {"module": "account", "action": "txlist", "address": who},
        {"module": "account", "action": "tokentx", "contractaddress": token},
        {"module": "account", "action": "txlistinternal"},
        {"module": "logs", "action": "getLogs", "address": token},
    ]
    for fields in lists:
        rows = said(explorer, now, chainid=stage.chain_id, **fields)["result"]
        assert rows and all(int(row["timeStamp"], 0) <= now for row in rows)
        late = said(explorer, stage.calendar.times[-1], chainid=stage.chain_id, **fields)["result"]
        assert len(late) > len(rows)
    head = said(explorer, now, chainid=stage.chain_id, module="proxy", action="eth_blockNumber")
    assert head == {"jsonrpc": "2.0", "id": 1, "result": hex(80)}


TXLIST = {"blockNumber", "blockHash", "timeStamp", "hash", "nonce", "transactionIndex", "from", "to", "value", "gas",
          "gasPrice", "input", "methodId", "functionName", "contractAddress", "cumulativeGasUsed", "txreceipt_status",
          "gasUsed", "confirmations", "isError"}  # fmt: skip
TOKENTX = (TXLIST - {"txreceipt_status", "isError"}) | {"tokenName", "tokenSymbol", "tokenDecimal"}
HEAD = 100


@pytest.fixture(scope="module")
def main(scene: Scene) -> History:
    return History(scene.main)


def rows(content: Any) -> list[dict[str, Any]]:
    assert content["status"] == "1"
    found: list[dict[str, Any]] = content["result"]
    return found


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


@pytest.mark.parametrize("role", ["dollar", "lend"])
def test_transfers_add_up_to_the_ledger(main: History, scene: Scene, role: str) -> None:
    """What came in less what went out is what the story says a holder has."""
    token, who = scene.assets[role].address, scene.people.address("treasury")
    found = rows(tokentx(main, {"contractaddress": token, "address": who}, HEAD))
    total = sum(int(row["value"]) * ((row["to"] == who) - (row["from"] == who)) for row in found)
    assert total == scene.main.ledger.balance(token, who, HEAD)
    assert all(row.keys() == TOKENTX for row in found)
    assert {row["tokenDecimal"] for row in found} == {str(scene.assets[role].decimals)}


def places(content: Any) -> list[tuple[int, int]]:
    return [(int(row["blockNumber"], 16), int(row["logIndex"][2:] or "0", 16)) for row in content["result"]]


def asked_node(scene: Scene, **wanted: Any) -> list[tuple[int, int]]:
    found = scene.main.ask("eth_getLogs", {"fromBlock": "0x0", "toBlock": hex(HEAD), **wanted})
    return [(int(log["blockNumber"], 16), int(log["logIndex"], 16)) for log in found]


def test_events_are_the_nodes(main: History, scene: Scene) -> None:
    """By address, by topic, by both joined with "and": what eth_getLogs says, a thousand at most."""
    token, who = scene.assets["dollar"].address, scene.people.address("treasury")
    sender = "0x" + who[2:].rjust(64, "0")
    both = {"topic0": TRANSFER, "topic1": sender, "topic0_1_opr": "and"}
    assert places(get_logs(main, {"address": token}, HEAD)) == asked_node(scene, address=token)[:1_000]
    assert places(get_logs(main, both, HEAD)) == asked_node(scene, topics=[TRANSFER, sender])
    page = places(get_logs(main, {"topic0": TRANSFER, "page": "2", "offset": "7"}, HEAD))
    assert page == asked_node(scene, topics=[TRANSFER])[7:14]


def result(history: History, action: str, **fields: str) -> Any:
    content = node_answer(history, action, fields, HEAD)
    assert (content["jsonrpc"], content["id"]) == ("2.0", 1)
    return content["result"]


def test_answers_are_the_nodes_own(main: History, scene: Scene) -> None:
    """At the newest block of the moment, or at an older one."""
    token, who = scene.assets["dollar"].address, scene.people.address("treasury")
    ask = scene.main.ask
    assert result(main, "eth_blockNumber") == hex(HEAD)
    assert result(main, "eth_getBlockByNumber", tag="0x32", boolean="true") == ask("eth_getBlockByNumber", "0x32", True)
    assert result(main, "eth_getCode", address=token) == ask("eth_getCode", token, hex(HEAD))
    assert result(main, "eth_getTransactionCount", address=who, tag="0x32") == ask(
        "eth_getTransactionCount", who, "0x32"
    )
    assert result(main, "eth_getStorageAt", address=token, position="0x2", tag="latest") == ask(
        "eth_getStorageAt", token, "0x2", hex(HEAD)
    )
    hash_ = main.mined[50].transaction["hash"]
    assert result(main, "eth_getTransactionByHash", txhash=hash_) == ask("eth_getTransactionByHash", hash_)
    assert result(main, "eth_getTransactionReceipt", txhash=hash_) == ask("eth_getTransactionReceipt", hash_)
    assert result(main, "eth_getUncleByBlockNumberAndIndex", tag="0x5", index="0x0") is None
    count = result(main, "eth_getBlockTransactionCountByNumber", tag="0x32")
    assert int(count, 16) == len(main.blocks[0x32]["transactions"])
