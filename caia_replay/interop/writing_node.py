"""An Anvil on a recorded chain that takes transactions and cheat methods, with its silent failures made loud.

Anvil takes a transaction that the record cannot run, mines an empty block and says nothing. So each transaction is
mined here, by itself, and is taken back when anything that it needed is missing. What Anvil would make up instead of
asking (null for an unknown hash, fees of its own) comes from the record, or is a miss. Every block is twelve seconds
after its parent. There are no development accounts.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.fork_node import EXECUTED, WHOLE_BLOCKS
from caia_replay.chain.fork_pool import Fork
from caia_replay.chain.node_answer import FROM_RECORDS
from caia_replay.chain.plain_node import PlainNode
from caia_replay.chain.rpc_guard import BLOCK_AT
from caia_replay.chain.rpc_parameter import at, hash32, named_block
from caia_replay.errors import ForkFault, Miss, ToolError

_SENDS: Final = frozenset(("eth_sendRawTransaction", "eth_sendTransaction", "eth_sendUnsignedTransaction"))
_AUTOMINE: Final = frozenset(("anvil_setAutomine", "evm_setAutomine", "hardhat_setAutomine"))
_REFUSED: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("anvil_reset", "hardhat_reset", "anvil_setRpcUrl"), "it stays on its record; use evm_snapshot and evm_revert"
    ),
    **dict.fromkeys(
        ("anvil_setIntervalMining", "evm_setIntervalMining", "hardhat_setIntervalMining"),
        "blocks by the wall clock would differ between two runs; use evm_mine",
    ),
}
_NUMBER: Final = re.compile(r"0x[0-9a-fA-F]{1,16}")


class WritingNode:
    """Answers one call at a time on a lease with ``writes``; safe to share between threads."""

    def __init__(self, fork: Fork, plain: PlainNode) -> None:
        """``plain`` answers what is about blocks before the fork's own.

        Raises ``Miss`` where the block's header was only computed: a block that is mined on it would be made up.
        """
        computed = fork.snapshot.reconstructed.get(fork.block, ())
        if computed:
            where = f"{fork.snapshot.name} at block {fork.block}"
            raise Miss("block", f"{', '.join(sorted(computed))} of block {fork.block}", where)
        self._fork, self._plain = fork, plain
        self._turn = threading.Lock()
        self._automine = True
        self._own: Mapping[str, Callable[[Sequence[Any]], Any]] = {
            "anvil_getAutomine": lambda params: self._automine,
            "anvil_nodeInfo": self._node_info,
            "eth_gasPrice": lambda params: self._base_fee(),
            "eth_maxPriorityFeePerGas": lambda params: "0x0",
            "eth_getTransactionByHash": lambda params: self._by_hash("eth_getTransactionByHash", params),
            "eth_getTransactionReceipt": lambda params: self._by_hash("eth_getTransactionReceipt", params),
        }

    def answer(self, method: str, params: Sequence[Any]) -> Any:
        """The JSON result of one call. Raises ``Miss`` when the record lacks what it needs, and then nothing of it was
        done; ``ToolError`` when the node refuses; ``ForkFault`` when it died."""
        with self._turn:
            if method in _REFUSED:
                raise ToolError(f"{method} is refused: {_REFUSED[method]}")
            if method in _AUTOMINE:
                self._automine = bool(at(params, 0))
                return None
            if method in _SENDS:
                self._require_blob_fee(method == "eth_sendTransaction", params)
                return self._send(method, params)
            if method in self._own:
                return self._own[method](params)
            if self._is_before(method, params):
                return self._plain.answer(method, params)
            self._require_blob_fee(method in EXECUTED, params)
            result = self._fork.operate(method, params)
            if method in WHOLE_BLOCKS and result is not None and int(result["number"], 16) <= self._fork.block:
                return self._plain.answer(method, params)
            return result

    @property
    def _chain(self) -> ChainSource:
        return self._fork.snapshot

    def _send(self, method: str, params: Sequence[Any]) -> Any:
        operate = self._fork.operate
        before = operate("evm_snapshot")
        sent = None
        try:
            sent = operate(method, params)
            if self._automine:
                operate("evm_mine")
        except (Miss, ToolError):
            if sent is not None:
                operate("anvil_dropTransaction", [sent])
            operate("evm_revert", [before])
            raise
        return sent

    def _require_blob_fee(self, executed: bool, params: Sequence[Any]) -> None:
        """Raise ``Miss`` if a call in the newest block reads a blob base fee that Anvil is not known to have right."""
        call = at(params, 0)
        if executed and isinstance(call, Mapping):
            header = self._fork.operate("eth_getBlockByNumber", ["latest", False])
            fee = header.get("baseFeePerGas")
            self._fork.require_blob_fee(call, header["number"], header, {"baseFee": fee} if fee else {})

    def _is_before(self, method: str, params: Sequence[Any]) -> bool:
        """Whether a call is about a block before the fork's own, or about what only records tell."""
        if method == "eth_getLogs":
            query = at(params, 0)
            last = query.get("toBlock") if isinstance(query, Mapping) else None
            named = _NUMBER.fullmatch(last) if isinstance(last, str) else None
            return named is not None and int(named[0], 16) <= self._fork.block
        place = BLOCK_AT.get(method)
        if method in ("debug_traceTransaction", "trace_transaction"):
            return self._is_recorded(params)
        if place is None or at(params, place) in (None, "latest", "pending"):
            return method in FROM_RECORDS and self._head() == self._fork.block
        try:
            number = named_block(self._chain, at(params, place), self._head())
        except Miss:
            return False  # the hash of a block that was mined here
        return number is not None and number < self._fork.block + (method in FROM_RECORDS)

    def _is_recorded(self, params: Sequence[Any]) -> bool:
        try:
            return self._chain.transaction(bytes.fromhex(hash32(at(params, 0))[2:]), self._fork.block) is not None
        except Miss:
            return self._fork.operate("eth_getTransactionByHash", [at(params, 0)]) is None

    def _by_hash(self, method: str, params: Sequence[Any]) -> Any:
        found = self._fork.operate(method, params)
        if found is None and self._fork.operate("eth_getTransactionByHash", params) is None:
            return self._plain.answer(method, params)  # a miss, unless there provably is none
        return found

    def _head(self) -> int:
        return int(self._fork.operate("eth_blockNumber"), 16)

    def _base_fee(self) -> Any:
        """What the next block asks of each transaction. Raises ``ToolError`` before there were base fees."""
        fee = self._fork.operate("eth_getBlockByNumber", ["pending", False]).get("baseFeePerGas")
        if not isinstance(fee, str):
            raise ToolError("eth_gasPrice is the next block's base fee, and this chain has none yet")
        return fee

    def _node_info(self, params: Sequence[Any]) -> Any:
        """Without the address it forks from, which leads nowhere for anybody else."""
        told = self._fork.operate("anvil_nodeInfo")
        if not isinstance(told, dict):
            raise ForkFault("the node told nothing of itself")
        return {**told, "forkConfig": {**(told.get("forkConfig") or {}), "forkUrl": None}}
