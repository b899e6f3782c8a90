"""One chain's Anvil on its upstream, made to stand at one block, with every known lie corrected.

Measured on Anvil 1.7.1: ``anvil_reset`` keeps the *first* fork block's base fee and gas limit (and
the coinbase) in the environment of eth_call; nothing but a block override corrects the base fee.
``evm_revert`` leaves coinbase, base fee, clock offset, impersonation and pending transactions
behind, and so does a reset after it. So reads are re-pinned and corrected, and writes get a process
of their own that is thrown away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from caia_replay.chain.anvil import AnvilProcess, fork_arguments
from caia_replay.chain.anvil_binary import find_anvil
from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.node_answer import FROM_RECORDS
from caia_replay.chain.rpc_connection import NodeRefusal, RpcConnection
from caia_replay.chain.upstream import Upstream
from caia_replay.errors import ForkFault, Miss, ToolError

_BLOCK_INTERVAL_S: Final = 12
"""Anvil takes the time of pending and mined blocks from the wall clock unless told an interval."""

_EXECUTED: Final = frozenset(("eth_call", "eth_estimateGas"))
"""Methods that run code in the pinned block's environment: call object, block, state, overrides."""

_EXECUTION_FIELDS: Final = frozenset(("timestamp", "baseFeePerGas", "gasLimit", "miner", "mixHash", "excessBlobGas"))
"""What code that runs in a block can see of its header."""

_WHOLE_BLOCKS: Final = frozenset(("eth_getBlockByNumber", "eth_getBlockByHash"))
_QUIET_ROUND_TRIPS: Final = 3
_NO_TRANSACTION: Final = "0x" + "ca" * 32


class ForkNode:
    """Not shared between threads: whoever holds the chain's lease uses it."""

    def __init__(self, snapshot: ChainSource) -> None:
        self.snapshot: Final = snapshot
        self._upstream = Upstream(snapshot, snapshot.heights[0][0])
        self._anvil: AnvilProcess | None = None
        self._connection: RpcConnection | None = None
        self._block: int | None = None
        self._base_fee: str | None = None
        self._hardfork = ""
        self._untouched = False
        self._closed = False
        self._upstream.start()

    @property
    def pid(self) -> int | None:
        """Anvil's process id, None while none runs."""
        return self._anvil.pid if self._anvil is not None else None

    @property
    def miss_count(self) -> int:
        """How many questions the snapshot could not answer so far."""
        return self._upstream.miss_count

    def stand_at(self, block: int, untouched: bool = False) -> None:
        """Be pinned at ``block``; ``untouched`` asks for a process that never stood anywhere else.

        A process that is gone or does not obey is replaced once. Raises ``ForkFault`` when Anvil does
        not start or does not obey, ``Miss`` when the block's header is not recorded.
        """
        seasoned = self._anvil is not None
        try:
            self._pin(block, untouched)
        except ForkFault:
            if not seasoned:
                raise
            self.retire()
            self._pin(block, untouched)

    def _pin(self, block: int, untouched: bool) -> None:
        fit = self._anvil is not None and self._anvil.alive and self._hardfork == self._rules(block)
        if untouched and not (self._untouched and self._block == block):
            fit = False
        if fit and self._block == block:
            return
        header = self.snapshot.header(block)
        if not fit:
            self.retire()
            self._start(block)
        else:
            self._block, self._untouched = None, False
            self._upstream.set_pin(block)
            self.demand("anvil_reset", [{"forking": {"jsonRpcUrl": self._upstream.url, "blockNumber": block}}])
        self._base_fee = header.get("baseFeePerGas")
        self.demand("anvil_setBlockTimestampInterval", [_BLOCK_INTERVAL_S])
        self.demand("anvil_setCoinbase", [header["miner"]])
        self.demand("evm_setBlockGasLimit", [header["gasLimit"]])
        self._block = block

    def read(self, method: str, params: Sequence[Any]) -> Any:
        """``ask``, with the pinned block's own base fee where code is executed.

        Traces, proofs and fees come from the records, never from Anvil. A block whose transactions are
        not recorded is a ``Miss``: Anvil would list none.
        """
        if method in FROM_RECORDS:
            self._connect()
            return self._upstream.answer(method, params)
        if method in _EXECUTED:
            self._require_environment()
        if method in _EXECUTED and self._base_fee is not None and self._block is not None:
            at = params[1] if len(params) > 1 else None
            if at in (None, "latest") or (isinstance(at, str) and at.startswith("0x") and int(at, 16) == self._block):
                params = [params[0] if params else {}, "latest", None, {"baseFee": self._base_fee}]
        result = self.ask(method, params)
        if method in _WHOLE_BLOCKS and result is not None:
            self.snapshot.block(int(result["number"], 16), full=False)
        return result

    def ask(self, method: str, params: Sequence[Any] = ()) -> Any:
        """One call. Raises ``Miss`` when it made the upstream miss, whatever Anvil made of that;
        ``ToolError`` with the node's words when it refuses; ``ForkFault`` when it breaks off."""
        before = self._upstream.miss_count
        try:
            result = self._connect().ask(method, params)
        except ForkFault as fault:
            # Anvil panics when a system contract's account is missing while it builds a block.
            self.retire()
            if self._upstream.miss_count == before:
                raise
            raise self._miss(before) from fault
        if self._upstream.miss_count != before:
            self._await_stragglers()
            raise self._miss(before)
        if isinstance(result, NodeRefusal):
            raise result.as_tool_error()
        return result

    def demand(self, method: str, params: Sequence[Any] = ()) -> Any:
        """One call of our own that must succeed. Raises ``ForkFault`` or ``Miss``."""
        try:
            return self.ask(method, params)
        except ToolError as fault:
            raise ForkFault(f"the node refused {method}: {fault}") from fault

    def retire(self) -> None:
        """Stop this Anvil; the next ``stand_at`` starts another."""
        if self._connection is not None:
            self._connection.close()
        if self._anvil is not None:
            self._anvil.stop()
        self._connection = self._anvil = self._block = None

    def close(self) -> None:
        """Stop Anvil, and then the upstream it reads from; for good."""
        self._closed = True
        self.retire()
        self._upstream.close()

    def _start(self, block: int) -> None:
        if self._closed:
            raise ForkFault(f"the fork of {self.snapshot.name} is closed")
        self._upstream.set_pin(block)
        rules, timeout_s = self._rules(block), self.snapshot.timeout_s
        arguments = fork_arguments(self._upstream.url, block, self.snapshot.chain_id, rules, timeout_s)
        self._anvil = AnvilProcess(find_anvil(), arguments)
        self._connection = self._anvil.connect()
        self._hardfork, self._untouched = rules, True

    def _rules(self, block: int) -> str:
        """Anvil takes its rules at the start and for good: other rules need another process."""
        return self.snapshot.hardfork(block)

    def _connect(self) -> RpcConnection:
        if self._connection is None:
            raise ForkFault(f"the fork of {self.snapshot.name} has no running node")
        return self._connection

    def _require_environment(self) -> None:
        """Code may read its block's time, fees and seal: where those were reconstructed, it may not run."""
        block = self._block or 0
        absent = sorted(_EXECUTION_FIELDS.intersection(self.snapshot.reconstructed.get(block, ())))
        if absent:
            raise Miss("block", f"{', '.join(absent)} of block {block}", f"{self.snapshot.name} at block {block}")

    def _await_stragglers(self) -> None:
        """Let what a missed call still has on the way arrive, or the next call would be blamed for it.

        Anvil asks for one account in several requests at once and answers its client on the first
        error. A transaction nobody recorded is always asked upstream, so a few such round trips
        that bring no further miss mean that the way is clear.
        """
        quiet, seen = 0, self._upstream.miss_count
        while quiet < _QUIET_ROUND_TRIPS:
            self._connect().ask("eth_getTransactionByHash", [_NO_TRANSACTION])
            quiet = quiet + 1 if self._upstream.miss_count == seen else 0
            seen = self._upstream.miss_count

    def _miss(self, at: int) -> Miss:
        detail = self._upstream.miss(at)
        return Miss(detail.kind, detail.wanted, detail.where, detail.nearest)
