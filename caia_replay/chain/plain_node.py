"""The JSON-RPC methods of an archive node whose newest block is the pin, for tools that fork a chain by themselves.

State, blocks and logs come from rows (``node_answer``). Calls are executed by Anvil on those rows, in the block that
they name. What a node says of itself is said in our own name: nothing is pending, there are no peers and no keys, and
a filter has nothing new to tell, since no block follows the pin. A transaction that no row names is a ``Miss`` unless
the record proves that there is none: null would say so.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from eth_hash.auto import keccak

from caia_replay.chain import rpc_guard
from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.column import to_hex
from caia_replay.chain.fee_history import blob_price
from caia_replay.chain.fork_node import EXECUTED
from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.node_answer import answer
from caia_replay.chain.rpc_parameter import at, hash32, named_block, state_block
from caia_replay.errors import Miss, ToolError, nearest

OWN: Final[Mapping[str, Any]] = {
    "eth_accounts": [],
    "eth_hashrate": "0x0",
    "eth_maxPriorityFeePerGas": "0x0",
    "eth_mining": False,
    "eth_syncing": False,
    "net_listening": True,
    "net_peerCount": "0x0",
    "web3_clientVersion": "caia-replay",
}
"""What a node says of itself: it has no keys and no peers, and on a frozen chain nobody outbids anybody."""

_MOST_FILTERS: Final = 10_000
_WRITES: Final = ("eth_send", "eth_sign", "personal_", "anvil_", "hardhat_", "evm_", "tenderly_")


class UnknownMethod(ToolError):
    """No node of this kind serves the method; clients that only try it out go on without it."""


class PlainNode:
    """One chain up to ``pin``. Safe to share between threads; calls that are executed wait for each other."""

    def __init__(self, chain: ChainSource, pin: int, pool: ForkPool) -> None:
        """``pool`` forks ``chain``, under its own name."""
        self.chain: Final = chain
        self.pin: Final = pin
        self._pool = pool
        self._filters: dict[str, Sequence[Any] | None] = {}
        self._made = 0
        self._lock = threading.Lock()
        self._methods: Mapping[str, Callable[[Sequence[Any]], Any]] = {
            "eth_blobBaseFee": lambda params: self._blob_fee(),
            "eth_gasPrice": lambda params: self._gas_price(),
            "eth_getBlockByHash": lambda params: self._block(params, bool(at(params, 1))),
            "eth_getBlockByNumber": lambda params: self._block(params, bool(at(params, 1))),
            "eth_getBlockTransactionCountByHash": lambda params: self._count(params, "transactions"),
            "eth_getBlockTransactionCountByNumber": lambda params: self._count(params, "transactions"),
            "eth_getFilterChanges": lambda params: self._filter(params) and [],
            "eth_getFilterLogs": self._filter_logs,
            "eth_getTransactionByBlockHashAndIndex": self._by_index,
            "eth_getTransactionByBlockNumberAndIndex": self._by_index,
            "eth_getTransactionByHash": lambda params: self.chain.transaction(_hash(params), self.pin),
            "eth_getTransactionCount": self._nonce,
            "eth_getTransactionReceipt": lambda params: self.chain.receipt(_hash(params), self.pin),
            "eth_getUncleCountByBlockHash": lambda params: self._count(params, "uncles"),
            "eth_getUncleCountByBlockNumber": lambda params: self._count(params, "uncles"),
            "eth_newBlockFilter": lambda params: self._new_filter(None),
            "eth_newFilter": self._new_filter,
            "eth_newPendingTransactionFilter": lambda params: self._new_filter(None),
            "eth_uninstallFilter": self._drop_filter,
            "web3_sha3": _sha3,
        }
        self.methods: Final = frozenset(
            (*OWN, *self._methods, *rpc_guard.BLOCK_AT, "eth_gasPrice", "eth_getAccountInfo")
        )

    def answer(self, method: str, params: Sequence[Any]) -> Any:
        """The JSON result of one call. Raises ``Miss``, ``ToolError`` (``UnknownMethod`` for one that is not served),
        ``ForkFault`` and ``WallLimit``."""
        if method in OWN:
            return OWN[method]
        if method in EXECUTED:
            return self._execute(method, params)
        own = self._methods.get(method)
        if own is not None:
            return own(params)
        if method.startswith(_WRITES):
            raise UnknownMethod(
                f"{method} is not served: this is an archive node, which takes no transactions and no cheat methods; "
                "next: the same command with --node anvil before --"
            )
        if method not in self.methods:
            near = nearest(method, self.methods)
            raise UnknownMethod(f"{method!r:.60} is not served{f'; nearest: {near}' if near else ''}")
        return answer(self.chain, self.pin, method, params)

    def _execute(self, method: str, params: Sequence[Any]) -> Any:
        number = state_block(self.chain, at(params, 1), self.pin)
        with self._pool.lease(self.chain.name, number) as fork:
            return fork.rpc(method, [at(params, 0), "latest", *params[2:]])

    def _nonce(self, params: Sequence[Any]) -> Any:
        # Nobody's transaction waits here, so what is pending is what was mined.
        block = None if at(params, 1) == "pending" else at(params, 1)
        return answer(self.chain, self.pin, "eth_getTransactionCount", [at(params, 0), block])

    def _blob_fee(self) -> str:
        price = blob_price(self.chain, self.pin, self.chain.header(self.pin))
        if price is None:
            raise Miss("block", f"blob base fee of block {self.pin}", self.chain.name)
        return hex(price)

    def _gas_price(self) -> str:
        """The base fee of the newest block, which every transaction pays. Raises ``Miss`` where it is not recorded."""
        fee = self.chain.header(self.pin).get("baseFeePerGas")
        if not isinstance(fee, str) or "baseFeePerGas" in self.chain.reconstructed.get(self.pin, ()):
            raise Miss("block", f"base fee of block {self.pin}", self.chain.name)
        return fee

    def _block(self, params: Sequence[Any], full: bool) -> dict[str, Any] | None:
        """A block as it was recorded. Raises ``Miss`` where a part of its header was only computed."""
        number = named_block(self.chain, at(params, 0), self.pin)
        if number is None or number > self.pin:
            return None
        computed = self.chain.reconstructed.get(number)
        if computed:
            raise Miss("block", f"{number}, of which {', '.join(computed)} were not recorded", self.chain.name)
        return self.chain.block(number, full)

    def _count(self, params: Sequence[Any], name: str) -> str | None:
        block = self._block(params, full=False)
        if block is not None and not isinstance(block.get(name), list):
            raise Miss("block", f"{name} of block {block['number']}", self.chain.name)
        return None if block is None else hex(len(block[name]))

    def _by_index(self, params: Sequence[Any]) -> Any:
        block, index = self._block(params, full=True), at(params, 1)
        try:
            place = int(index, 16)
        except (TypeError, ValueError):
            raise ToolError(f"a transaction's index is 0x and hex digits, not {index!r:.60}") from None
        return None if block is None or not 0 <= place < len(block["transactions"]) else block["transactions"][place]

    def _new_filter(self, params: Sequence[Any] | None) -> str:
        if params is not None and not isinstance(at(params, 0), Mapping):
            raise ToolError("eth_newFilter takes one filter object")
        with self._lock:
            if len(self._filters) >= _MOST_FILTERS:
                raise ToolError(f"{_MOST_FILTERS} filters are open; eth_uninstallFilter ends one")
            self._made += 1
            name = hex(self._made)
            self._filters[name] = params
        return name

    def _filter(self, params: Sequence[Any]) -> tuple[Sequence[Any] | None]:
        try:
            return (self._filters[at(params, 0)],)
        except (KeyError, TypeError):
            raise ToolError(f"no filter {at(params, 0)!r:.60}") from None

    def _filter_logs(self, params: Sequence[Any]) -> Any:
        (query,) = self._filter(params)
        if query is None:
            raise ToolError(f"filter {at(params, 0)} is not one of logs")
        return answer(self.chain, self.pin, "eth_getLogs", query)

    def _drop_filter(self, params: Sequence[Any]) -> bool:
        with self._lock:
            name = at(params, 0)
            return isinstance(name, str) and self._filters.pop(name, _NONE) is not _NONE


_NONE: Final[Any] = object()


def _hash(params: Sequence[Any]) -> bytes:
    return bytes.fromhex(hash32(at(params, 0))[2:])


def _sha3(params: Sequence[Any]) -> str:
    try:
        return to_hex(bytes(keccak(bytes.fromhex(at(params, 0).removeprefix("0x")))))
    except (AttributeError, ValueError):
        raise ToolError("web3_sha3 takes 0x and an even number of hex digits") from None
