"""A node's own methods through the explorer, and figures of the whole chain."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.price import E8
from caia_replay.origin.scene import Scene
from caia_replay.origin.services.etherscan_form import Refusal
from caia_replay.origin.services.etherscan_history import History
from caia_replay.origin.services.etherscan_node import ether_price, ether_supply, gas_oracle, node_answer

HEAD = 100


@pytest.fixture(scope="module")
def main(scene: Scene) -> History:
    return History(scene.main)


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


def test_a_call_is_executed(main: History, scene: Scene) -> None:
    """The supply by call is the ledger's."""
    token = scene.assets["dollar"].address
    supply = result(main, "eth_call", to=token, data="0x18160ddd", tag="latest")
    assert int(supply, 16) == scene.main.ledger.supply(token, HEAD)


def test_what_is_later_does_not_exist(main: History) -> None:
    """Blocks and transactions are null, state is an error."""
    late = next(item for item in main.mined if item.block > HEAD).transaction["hash"]
    assert result(main, "eth_getBlockByNumber", tag=hex(HEAD + 1), boolean="true") is None
    assert result(main, "eth_getTransactionByHash", txhash=late) is None
    assert result(main, "eth_getTransactionReceipt", txhash=late) is None
    fields = {"address": "0x" + "12" * 20, "tag": hex(HEAD + 1)}
    assert "error" in node_answer(main, "eth_getCode", fields, HEAD)


def test_faults_are_json_rpcs(main: History, scene: Scene) -> None:
    """A malformed argument, a call that reverts; a method that is not passed on is the vendor's refusal."""
    assert node_answer(main, "eth_getCode", {"address": "0x1"}, HEAD)["error"]["code"] == -32602
    reverting = {"to": scene.assets["dollar"].address, "data": "0x", "tag": "latest"}
    assert node_answer(main, "eth_call", reverting, HEAD)["error"]["code"] == 3
    with pytest.raises(Refusal):
        node_answer(main, "eth_sendRawTransaction", {}, HEAD)


def test_the_supply_is_what_the_genesis_gave_out(main: History, scene: Scene) -> None:
    """In wei; burnt fees are not taken off."""
    assert ether_supply(main)["result"] == str(scene.main.genesis_supply_wei)


def test_the_price_is_the_markets(book: MarketBook, scene: Scene) -> None:
    """In dollars with two digits, of the hour."""
    now = scene.main.calendar.times[HEAD]
    native = next(coin for coin in book.coins if coin.role == "native")
    told, price = ether_price(book, now)["result"], book.prices.price_e8(native, now)
    assert price is not None
    assert told["ethusd"] == f"{price // E8}.{price % E8 // 10**6:02d}"
    assert 0 <= now - int(told["ethusd_timestamp"]) < 3_600


def test_the_gas_oracle_adds_tips_to_the_next_base_fee(main: History) -> None:
    """Which the next block's header names."""
    told = gas_oracle(main, HEAD)["result"]
    base = int(main.blocks[HEAD + 1]["baseFeePerGas"], 16)
    whole, _, part = told["suggestBaseFee"].partition(".")
    assert int(whole) * 10**9 + int(part.ljust(9, "0")) == base
    assert float(told["SafeGasPrice"]) <= float(told["ProposeGasPrice"]) <= float(told["FastGasPrice"])
    assert (told["LastBlock"], len(told["gasUsedRatio"].split(","))) == (str(HEAD), 5)
