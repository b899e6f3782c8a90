"""Logs, blocks and states of transactions, held against the node."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.origin.scene import Scene
from caia_replay.origin.services.etherscan_event import (
    block_by_time,
    block_countdown,
    block_reward,
    get_logs,
    receipt_status,
    transaction_status,
)
from caia_replay.origin.services.etherscan_form import Refusal
from caia_replay.origin.services.etherscan_history import TRANSFER, History

HEAD = 100
LOG = {"address", "topics", "data", "blockNumber", "blockHash", "timeStamp", "gasPrice", "gasUsed", "logIndex",
       "transactionHash", "transactionIndex"}  # fmt: skip


@pytest.fixture(scope="module")
def main(scene: Scene) -> History:
    return History(scene.main)


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


def test_either_topic_is_enough_with_or(main: History, scene: Scene) -> None:
    """The union, each event once, in order."""
    who = "0x" + scene.people.address("treasury")[2:].rjust(64, "0")
    either = {"topic1": who, "topic2": who, "topic1_2_opr": "or"}
    wanted = sorted({*asked_node(scene, topics=[None, who]), *asked_node(scene, topics=[None, None, who])})
    assert places(get_logs(main, either, HEAD)) == wanted


def test_an_events_row_has_the_vendors_form(main: History) -> None:
    """Numbers are hexadecimal, and zero is "0x"."""
    rows = get_logs(main, {"topic0": TRANSFER, "offset": "50"}, HEAD)["result"]
    assert all(row.keys() == LOG for row in rows)
    assert "0x" in {row["logIndex"] for row in rows}
    assert "0x0" not in {text for row in rows for text in (row["logIndex"], row["transactionIndex"])}


def test_no_events_have_words_of_their_own(main: History) -> None:
    """Not those of transactions; and a question for everything is refused."""
    assert get_logs(main, {"address": "0x" + "12" * 20}, HEAD)["message"] == "No records found"
    with pytest.raises(Refusal):
        get_logs(main, {}, HEAD)


def test_a_block_by_its_moment(main: History, scene: Scene) -> None:
    """Before and after it; a block at the very moment is both; beyond the newest there is none after."""
    times = scene.main.calendar.times

    def number(moment: int, closest: str) -> str:
        return str(block_by_time(main, {"timestamp": str(moment), "closest": closest}, HEAD)["result"])

    assert [number(times[50] + 1, closest) for closest in ("before", "after")] == ["50", "51"]
    assert [number(times[50], closest) for closest in ("before", "after")] == ["50", "50"]
    assert number(times[-1], "before") == str(HEAD)
    for moment, closest in ((times[HEAD] + 1, "after"), (times[0] - 1, "before"), (times[50], "nearest")):
        with pytest.raises(Refusal):
            number(moment, closest)


def test_a_blocks_reward_is_its_tips(main: History, scene: Scene) -> None:
    """Of blocks that exist."""
    content = block_reward(main, {"blockno": "77"}, HEAD)["result"]
    miner = content["blockMiner"]
    before, after = (int(scene.main.ask("eth_getBalance", miner, hex(block)), 16) for block in (76, 77))
    assert (content["blockReward"], content["uncles"]) == (str(after - before), [])
    with pytest.raises(Refusal):
        block_reward(main, {"blockno": str(HEAD + 1)}, HEAD)


def test_how_long_until_a_block(main: History, scene: Scene) -> None:
    """At the pace of the last ten; a past block is refused."""
    times = scene.main.calendar.times
    content = block_countdown(main, {"blockno": str(HEAD + 10)}, HEAD)["result"]
    assert content == {
        "CurrentBlock": str(HEAD), "CountdownBlock": str(HEAD + 10), "RemainingBlock": "10",
        "EstimateTimeInSec": f"{times[HEAD] - times[HEAD - 10]}.0",
    }  # fmt: skip
    with pytest.raises(Refusal) as past:
        block_countdown(main, {"blockno": str(HEAD)}, HEAD)
    assert past.value.content["result"] == "Error! Block number already pass"


def test_how_transactions_ended(main: History) -> None:
    """Success, failure with its reason, and nothing of what nobody knows or what is later."""
    failed = next(item for item in main.mined if item.receipt["status"] != "0x1" and item.block < HEAD)
    good = next(item for item in main.mined if item.receipt["status"] == "0x1" and item.block < HEAD)
    for item, error, words, status in ((failed, "1", "Reverted", "0"), (good, "0", "", "1")):
        asked = {"txhash": item.transaction["hash"]}
        assert transaction_status(main, asked, HEAD)["result"] == {"isError": error, "errDescription": words}
        assert receipt_status(main, asked, HEAD)["result"] == {"status": status}
        assert receipt_status(main, asked, item.block - 1)["result"] == {"status": ""}
    with pytest.raises(Refusal):
        receipt_status(main, {"txhash": "0x12"}, HEAD)
