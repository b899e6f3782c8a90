"""The explorer as a whole: who is asked for what, how it refuses, and that nothing is later than the moment."""

from __future__ import annotations

import json
from typing import Any

import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.scene import Scene
from caia_replay.origin.services.etherscan import Etherscan
from caia_replay.origin.services.service import Asked


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
        ({"chainid": ""}, "Missing or unsupported chainid"),
        ({"chainid": "1,10"}, "Missing or unsupported chainid"),
        ({"apikey": "not-a-key"}, "Invalid API Key"),
        ({"module": "nothing"}, "Missing Or invalid Module name"),
        ({"action": "nothing"}, "Missing Or invalid Action name"),
        ({"module": "contract", "action": "verifysourcecode"}, "Missing Or invalid Action name"),
        ({"module": "stats", "action": "dailytx"}, "API Pro endpoint"),
        ({"action": "tokenbalancehistory"}, "API Pro endpoint"),
        ({"address": "0x12"}, "Invalid address format"),
        ({"path": "/api"}, "deprecated V1 endpoint"),
    ],
)
def test_faults_are_told_with_status_200(explorer: Etherscan, scene: Scene, fields: dict[str, Any], words: str) -> None:
    """Status "0", NOTOK, and the vendor's words."""
    asked = {"chainid": scene.main.chain_id, "module": "account", "action": "balance"} | fields
    content = said(explorer, scene.main.calendar.times[-1], **asked)
    assert (content["status"], content["message"]) == ("0", "NOTOK")
    assert words in content["result"]


def test_too_many_requests_are_told_with_status_200(explorer: Etherscan) -> None:
    """This vendor's 429."""
    answer = explorer.busy(Asked("GET", "/v2/api", {}))
    assert (answer.status, answer.content["result"]) == (200, "Max rate limit reached")


def test_each_chain_has_an_explorer_of_its_own(explorer: Etherscan, scene: Scene) -> None:
    """The chain id alone tells them apart; names of parameters may be spelled in any case."""
    for stage in (scene.main, scene.rollup):
        content = said(explorer, stage.calendar.times[20], ChainId=stage.chain_id, module="proxy",
                       action="eth_getBlockByNumber", tag="latest", boolean="false")  # fmt: skip
        assert content["result"]["hash"] == stage.ask("eth_getBlockByNumber", hex(20), False)["hash"]


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


def test_before_the_genesis_there_is_no_answer(explorer: Etherscan, scene: Scene) -> None:
    """A refusal, not an empty list."""
    content = said(explorer, 5, chainid=scene.main.chain_id, module="account", action="txlistinternal")
    assert content["status"] == "0"
    assert content["message"] == "NOTOK"


def test_equal_questions_have_equal_answers(explorer: Etherscan, scene: Scene, book: MarketBook) -> None:
    """Another explorer of the same chains says the same bytes."""
    other = Etherscan((scene.main, scene.rollup), book)
    fields = {"chainid": scene.rollup.chain_id, "module": "account", "action": "txlistinternal"}
    now = scene.rollup.calendar.times[-1]
    assert json.dumps(said(explorer, now, **fields)) == json.dumps(said(other, now, **fields))
