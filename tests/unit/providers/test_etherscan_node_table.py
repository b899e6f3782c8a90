"""A node's methods out of the shipped six-task chain's tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import Miss
from caia_replay.providers.etherscan_node_table import node_content
from caia_replay.providers.etherscan_question import question_of
from tests.etherscan_law import asked

HEAD = 40


@pytest.fixture(scope="module")
def chain(shipped: Path) -> Snapshot:
    return Snapshot.open(shipped.parents[1] / "chain_snapshots" / "mini")


def result(chain: Snapshot, action: str, **fields: Any) -> Any:
    content = node_content(chain, question_of(asked(chainid=700_177, module="proxy", action=action, **fields)), HEAD)
    assert (content["jsonrpc"], content["id"]) == ("2.0", 1)
    return content["result"]


def test_blocks_and_transactions_are_the_tables_own(chain: Snapshot) -> None:
    """Whole or by hash; "latest" is the newest at the moment; what is later is null."""
    assert result(chain, "eth_blockNumber") == hex(HEAD)
    assert result(chain, "eth_getBlockByNumber", tag="latest", boolean="true") == chain.block(HEAD, True)
    assert result(chain, "eth_getBlockByNumber", tag="0x5", boolean="false") == chain.block(5, False)
    assert result(chain, "eth_getBlockByNumber", tag=hex(HEAD + 1), boolean="true") is None
    assert result(chain, "eth_getBlockTransactionCountByNumber", tag="0x5") == hex(len(chain.transactions(5)))
    assert result(chain, "eth_getUncleByBlockNumberAndIndex", tag="0x5", index="0x0") is None
    there, later = chain.transactions(5)[0]["hash"], chain.transactions(HEAD + 1)[0]["hash"]
    assert result(chain, "eth_getTransactionByHash", txhash=there)["hash"] == there
    assert result(chain, "eth_getTransactionReceipt", txhash=there)["transactionHash"] == there
    assert result(chain, "eth_getTransactionByHash", txhash=later) is None
    assert result(chain, "eth_getTransactionReceipt", txhash=later) is None


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
