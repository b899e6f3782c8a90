"""The explorer, held against the story's ledger and the node, and how it refuses; nothing is later than the moment."""

from __future__ import annotations

from typing import Any

import pytest

from caia_worldgen.market.book import MarketBook
from caia_worldgen.scene import Scene
from caia_worldgen.services.etherscan import Etherscan
from caia_worldgen.services.etherscan_account import tokentx
from caia_worldgen.services.etherscan_history import History
from caia_worldgen.services.service import Asked

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


@pytest.mark.parametrize("role", ["dollar", "lend"])
def test_transfers_add_up_to_the_ledger(main: History, scene: Scene, role: str) -> None:
    """What came in less what went out is what the story says a holder has."""
    token, who = scene.assets[role].address, scene.people.address("treasury")
    found = rows(tokentx(main, {"contractaddress": token, "address": who}, HEAD))
    total = sum(int(row["value"]) * ((row["to"] == who) - (row["from"] == who)) for row in found)
    assert total == scene.main.ledger.balance(token, who, HEAD)
    assert all(row.keys() == TOKENTX for row in found)
    assert {row["tokenDecimal"] for row in found} == {str(scene.assets[role].decimals)}
