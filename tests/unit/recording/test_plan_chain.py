from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import Miss, ToolError
from caia_replay.providers.etherscan_height import nearest_block
from caia_replay.recording.plan_chain import KNOWN, PlanChain, PlanFork
from caia_replay.recording.plan_stand_in import StandIn
from caia_replay.tools.signature import decode_event, decode_outputs, parse_event, parse_signature

NOW = 1_746_143_999
USDC = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"


def chain(name: str = "ethereum", newest: int = 22_000_000) -> PlanChain:
    return PlanChain(name, newest, NOW, StandIn("a"))


@given(st.sampled_from([*KNOWN, "nobody's"]), st.integers(0, 10**9), st.lists(st.integers(0, 10**9), min_size=2))
def test_blocks_stand_in_the_order_of_time(name: str, newest: int, heights: list[int]) -> None:
    """A later block is never earlier, the newest is of the task's moment, and none is older than any chain."""
    found = chain(name, newest)
    times = [found.time(height) for height in sorted(min(height, newest) for height in heights)]
    assert times == sorted(times) and found.time(newest) == NOW and times[0] >= 1_438_000_000


def test_a_moment_is_found_among_them() -> None:
    """The tools' own search by time finds a block, and its questions are counted, each header once."""
    found = chain()
    height = nearest_block(found, NOW - 86_400, after=False, newest=found.newest)
    assert abs(found.time(height) - (NOW - 86_400)) < 15
    asked = found.counts["eth_getBlockByNumber"]
    found.header(height)
    assert 10 < asked == found.counts["eth_getBlockByNumber"] < 100


def test_chain_ids_are_the_chains_own() -> None:
    """Of a known chain it is known; of another one it is a stand-in, another one in another run."""
    assert (chain().chain_id, chain("base").chain_id) == (1, 8453)
    assert chain("nobody's").chain_id != PlanChain("nobody's", 1, NOW, StandIn("b")).chain_id


def test_a_view_function_returns_its_types() -> None:
    """What the call's hint or a standard names decodes; anything else is refused, as nobody knows it yet."""
    found = chain()
    own = parse_signature("quote(uint256)(uint256,address,string)")
    found.hint.functions.append(own)
    fork = PlanFork(found, found.newest)
    for signature in (own, parse_signature("decimals()(uint8)"), parse_signature("symbol()(string)")):
        data = "0x" + signature.hash[:4].hex()
        assert decode_outputs(signature, fork.rpc("eth_call", [{"to": USDC, "data": data}, "latest"]))
    with pytest.raises(ToolError, match="not known before"):
        fork.rpc("eth_call", [{"to": USDC, "data": "0x12345678"}, "latest"])
    assert found.counts["eth_getCode"] > 0 and found.counts["eth_getStorageAt"] > 0


def test_logs_decode_as_the_event_that_is_asked() -> None:
    """Topics that were given are kept, the others and the data are of the event's types."""
    found = chain()
    event = found.hint.event = parse_event("Moved(address indexed from, bytes32 indexed key, string what, uint256 n)")
    topic = "0x" + "00" * 12 + USDC[2:]
    query = {"address": USDC, "topics": ["0x" + event.hash.hex(), topic, None], "fromBlock": "0x0", "toBlock": "0x64"}
    logs = PlanFork(found, found.newest).rpc("eth_getLogs", [query])
    assert logs and all(log["topics"][1] == topic for log in logs)
    assert all(decode_event(event, log["topics"], log["data"])["from"] == USDC for log in logs)
    assert found.counts["eth_getLogs"] == 1


def test_a_transaction_calls_what_is_hinted() -> None:
    """Its input is of the function that the call names, and a receipt moves two tokens."""
    found = chain()
    found.hint.called = parse_signature("swap(uint256 amount, address[] path)")
    fork = PlanFork(found, found.newest)
    sent = fork.rpc("eth_getTransactionByHash", ["0x" + "5b" * 32])
    assert sent["input"].startswith("0x" + found.hint.called.hash[:4].hex())
    assert len(fork.rpc("eth_getTransactionReceipt", [sent["hash"]])["logs"]) == 2
    assert int(sent["blockNumber"], 16) < found.newest


def test_an_account_is_asked_for_once_by_three_calls() -> None:
    """Its balance, its nonce and its code, however often a fork reads it."""
    found = chain()
    fork = PlanFork(found, found.newest)
    assert fork.rpc("eth_getBalance", [USDC, "latest"]) == fork.rpc("eth_getBalance", [USDC, "latest"])
    assert found.counts == {"eth_getBalance": 1, "eth_getTransactionCount": 1, "eth_getCode": 1}


def test_what_no_tool_asks_is_a_miss() -> None:
    """Nothing is made up for a method, an account, a code or a slot that tools read by themselves."""
    found = chain()
    for wrong in (
        lambda: PlanFork(found, 1).rpc("eth_sendRawTransaction", ["0x"]),
        lambda: found.account(bytes(20), 1),
        lambda: found.code(bytes(32)),
        lambda: found.storage(bytes(20), bytes(32), 1),
        lambda: found.header(found.newest + 1),
    ):
        with pytest.raises(Miss):
            wrong()
