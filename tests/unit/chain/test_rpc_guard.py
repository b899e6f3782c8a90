"""Behaviour of the method guard."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.chain import rpc_guard
from caia_replay.chain.node_answer import FROM_RECORDS
from caia_replay.errors import ToolError

ADDRESS = "0x" + "11" * 20


@pytest.mark.parametrize(
    "method",
    [
        "anvil_setBalance",
        "hardhat_setCode",
        "evm_snapshot",
        "evm_mine",
        "eth_sendTransaction",
        "eth_accounts",
        "eth_sign",
        "eth_signTypedData_v4",
        "eth_sendRawTransaction",
        "debug_traceCall",
        "debug_traceBlockByNumber",
        "trace_replayTransaction",
        "eth_gasPrice",
        "eth_blobBaseFee",
        "txpool_content",
        "eth_newFilter",
        "eth_coinbase",
        "web3_clientVersion",
        "eth_createAccessList",
        "personal_sign",
        "eth_callMany",
        "eth_getTransactionByBlockNumberAndIndex",
        "",
    ],
)
def test_what_is_not_a_read_is_refused_with_a_reason(method: str) -> None:
    """Cheats, keys, writes, tracers, node settings and unknown words never reach the node."""
    with pytest.raises(ToolError, match=r"not available: .{10}"):
        rpc_guard.check(method, [], 10)


@settings(max_examples=40)
@given(
    method=st.sampled_from(sorted(k for k, v in rpc_guard.BLOCK_AT.items() if v is not None)), ahead=st.integers(-9, 9)
)
def test_a_block_past_the_pin_is_refused_in_every_method(method: str, ahead: int) -> None:
    """The pinned block and earlier ones pass, later ones do not, wherever the parameter stands."""
    at = rpc_guard.BLOCK_AT[method]
    assert at is not None
    for block in (
        hex(10 + ahead),
        *([] if method in ("eth_call", "eth_estimateGas") else [{"blockNumber": hex(10 + ahead)}]),
    ):
        params: list[Any] = [*[ADDRESS, "0x0", False][:at], block]
        if ahead > 0:
            with pytest.raises(ToolError, match="later than the pinned block 10"):
                rpc_guard.check(method, params, 10)
        else:
            rpc_guard.check(method, params, 10)


@pytest.mark.parametrize("value", ["pending", "safe", "finalized", "0xzz", "", 5, True, [], "0x" + "f" * 40, -1])
def test_a_block_that_is_not_recorded_or_not_a_block_is_refused(value: Any) -> None:
    """Tags that the node would make up, and things that are no block, are told."""
    with pytest.raises(ToolError):
        rpc_guard.check("eth_getBalance", [ADDRESS, value], 10)


def test_logs_past_the_pin_are_refused() -> None:
    """Both ends of a log range count."""
    rpc_guard.check("eth_getLogs", [{"fromBlock": "0x0", "toBlock": "0xa"}], 10)
    for query in ({"fromBlock": "0xb"}, {"toBlock": "0xb"}, {"toBlock": "pending"}):
        with pytest.raises(ToolError):
            rpc_guard.check("eth_getLogs", [query], 10)
    with pytest.raises(ToolError):
        rpc_guard.check("eth_getLogs", [], 10)


def test_overrides_and_blocks_by_hash_are_refused_in_executed_methods() -> None:
    """A call runs on recorded state in the pinned block, or not at all."""
    for method in ("eth_call", "eth_estimateGas"):
        rpc_guard.check(method, [{}, "latest"], 10)
        rpc_guard.check(method, [{}], 10)
        for params in (
            [{}, "latest", {ADDRESS: {}}],
            [{}, "latest", None, {}],
            [{}, "0x" + "1" * 64],
            [{}, {"blockHash": "0x"}],
        ):
            with pytest.raises(ToolError):
                rpc_guard.check(method, params, 10)


def test_a_block_object_says_which_block() -> None:
    """One that names none would be read as the newest, one that names two as either."""
    block_hash = "0x" + "1" * 64
    rpc_guard.check("eth_getBalance", [ADDRESS, {"blockHash": block_hash}], 10)
    for value in ({}, {"blockHash": None}, {"blockHash": block_hash, "blockNumber": "0x1"}, {"blockHash": "0x1z"}):
        with pytest.raises(ToolError):
            rpc_guard.check("eth_getBalance", [ADDRESS, value], 10)


def test_what_only_records_can_answer_is_allowed() -> None:
    """Every method that is served from records, and no other tracer; the refusal names them."""
    for method in FROM_RECORDS:
        rpc_guard.check(method, [], 10)
    with pytest.raises(ToolError, match="debug_traceTransaction, trace_transaction and trace_block"):
        rpc_guard.check("debug_traceCall", [], 10)
    with pytest.raises(ToolError, match="eth_feeHistory says what the chain paid"):
        rpc_guard.check("eth_gasPrice", [], 10)
