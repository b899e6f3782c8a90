"""Which JSON-RPC methods an agent may ask a fork, and up to which block.

An allow-list: what is not named here is refused, and the refused families say why.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from caia_replay.errors import ToolError, nearest

BLOCK_AT: Final[Mapping[str, int | None]] = {
    "debug_traceTransaction": None,
    "eth_blockNumber": None,
    "eth_call": 1,
    "eth_chainId": None,
    "eth_estimateGas": 1,
    "eth_feeHistory": 1,
    "eth_getBalance": 1,
    "eth_getBlockByHash": None,
    "eth_getBlockByNumber": 0,
    "eth_getBlockReceipts": 0,
    "eth_getCode": 1,
    "eth_getLogs": None,
    "eth_getProof": 2,
    "eth_getStorageAt": 2,
    "eth_getTransactionByHash": None,
    "eth_getTransactionCount": 1,
    "eth_getTransactionReceipt": None,
    "net_version": None,
    "trace_block": 0,
    "trace_transaction": None,
}
"""Every allowed method, with the position of its block parameter. Traces, proofs and the fee history
are never the node's: they are answered from what was recorded (``node_answer.FROM_RECORDS``)."""

_REFUSED: Final = (
    (("anvil_", "hardhat_", "evm_", "tenderly_"), "it changes the chain by decree, and the recorded world is fixed"),
    (
        ("eth_sendTransaction", "eth_sign", "eth_accounts", "personal_"),
        "it uses keys that a development node unlocks for everyone, and no such account exists on the chain",
    ),
    (("eth_send",), "it would write to a chain that the next call must find unchanged"),
    (
        ("debug_", "trace_", "ots_"),
        "the node's tracers ignore their options and answer from a cache; what was recorded is served by "
        "debug_traceTransaction, trace_transaction and trace_block",
    ),
    (
        ("eth_gasPrice", "eth_maxPriorityFeePerGas", "eth_blobBaseFee"),
        "the node would answer with its own settings; eth_feeHistory says what the chain paid",
    ),
    (
        ("eth_getTransactionByBlock", "eth_getBlockTransactionCount", "eth_getUncle"),
        "the node answers null for some blocks that have it; eth_getBlockByNumber has the same and is exact",
    ),
    (("eth_createAccessList",), "the node runs it with another block's base fee after a re-pin"),
    (("txpool_", "eth_newPending", "eth_pending"), "a recorded chain has no pending transactions"),
    (("eth_new", "eth_getFilter", "eth_uninstall", "eth_subscribe"), "a frozen chain has nothing new to wait for"),
    (
        ("eth_syncing", "eth_coinbase", "eth_mining", "eth_hashrate", "admin_", "miner_", "net_", "web3_", "rpc_"),
        "it is about the node, not about the chain",
    ),
)
"""Prefixes of refused methods, each with its reason."""

MOST_GAS: Final = 50_000_000
"""What nodes open to the public commonly allow one call."""

_GAS: Final = frozenset(("gas", "gaslimit"))
_QUANTITIES: Final = _GAS | {"gasprice", "maxfeepergas", "maxpriorityfeepergas", "maxfeeperblobgas", "nonce", "value"}
"""Fields of a call that are numbers, in lower case: whoever misspells one does not get around its limit."""

_QUANTITY = re.compile(r"0x[0-9a-fA-F]{1,64}")
_NUMBER = re.compile(r"0x[0-9a-fA-F]{1,16}")
_HASH = re.compile(r"0x[0-9a-fA-F]{64}")


def check(method: str, params: Sequence[Any], pin: int) -> None:
    """Raise ``ToolError`` unless ``method`` may be asked with ``params`` on a fork pinned at ``pin``."""
    if method not in BLOCK_AT:
        raise ToolError(f"{method!r:.60} is not available: {_reason(method)}")
    at = BLOCK_AT[method]
    if method in ("eth_call", "eth_estimateGas"):
        executed_at = params[1] if len(params) > 1 else None
        if executed_at is not None and (not isinstance(executed_at, str) or len(executed_at) > 18):
            raise ToolError(f"{method} takes its block as a number or latest, not as a hash")
        _check_numbers(method, params[0] if params else None)
        if any(item is not None for item in params[2:]):
            raise ToolError(f"{method} takes no overrides: they would replace recorded state by invented state")
    if method == "eth_getLogs":
        query = params[0] if params else None
        if not isinstance(query, Mapping):
            raise ToolError("eth_getLogs takes one filter object")
        for name in ("fromBlock", "toBlock"):
            _check_block(query.get(name), pin)
    elif at is not None and len(params) > at:
        _check_block(params[at], pin)


def _check_numbers(method: str, call: Any) -> None:
    """Numbers of a call are 0x and hex digits, as nodes take them: Anvil alone also reads JSON numbers and decimals."""
    for name, value in call.items() if isinstance(call, Mapping) else ():
        word = str(name).lower()
        if word not in _QUANTITIES or value is None:
            continue
        if not (isinstance(value, str) and _QUANTITY.fullmatch(value)):
            raise ToolError(f"{name} of {method} is 0x and hex digits, not {value!r:.60}")
        if word in _GAS and int(value, 16) > MOST_GAS:
            raise ToolError(f"{method} takes at most {MOST_GAS} gas: an endless loop with more would hold up everybody")


def _check_block(value: Any, pin: int) -> None:
    if isinstance(value, Mapping):
        if (value.get("blockNumber") is None) == (value.get("blockHash") is None):
            raise ToolError(f"a block object holds either blockHash or blockNumber, not {sorted(value)!r:.60}")
        value = value["blockNumber"] if value.get("blockHash") is None else value["blockHash"]
    if value is None or value in ("latest", "earliest"):
        return
    if not isinstance(value, str):
        raise ToolError(f"a block is 0x and hex digits, latest or earliest, not {value!r:.60}")
    if _HASH.fullmatch(value):
        return
    if value in ("pending", "safe", "finalized"):
        raise ToolError(f"block {value!r} is unavailable; use a number up to {pin}, or latest")
    if not _NUMBER.fullmatch(value):
        raise ToolError(f"a block is 0x and hex digits, latest or earliest, not {value!r:.60}")
    if int(value, 16) > pin:
        raise ToolError(f"block {int(value, 16)} is later than the pinned block {pin}, which is now")


def _reason(method: str) -> str:
    for prefixes, why in _REFUSED:
        if method.startswith(prefixes):
            return why
    known = nearest(method, BLOCK_AT)
    return f"nearest allowed method: {known}" if known else "only methods that read the chain are"
