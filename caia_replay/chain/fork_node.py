"""One chain's Anvil on its upstream, made to stand at one block, its known lies corrected or refused.

Measured on Anvil 1.7.1: ``anvil_reset`` keeps the *first* fork block's base fee and gas limit (and
the coinbase) in the environment of eth_call; nothing but a block override corrects the base fee.
``evm_revert`` leaves coinbase, base fee, clock offset, impersonation and pending transactions
behind, and so does a reset after it. So reads are re-pinned and corrected, and writes get a process
of their own that is thrown away.

BLOBBASEFEE can only be refused: Anvil takes no override of it, and computes it from the header's
excess with figures of its own (chosen by time on the chains it knows, its newest ones elsewhere; one
wei at any block that is neither the pinned nor the newest one). So where the node's blob base fee is
not known to be the chain's, a call is first traced, and is a ``Miss`` if its code reads that fee.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from caia_replay.chain.anvil import AnvilProcess, fork_arguments
from caia_replay.chain.anvil_binary import find_anvil
from caia_replay.chain.blob_fee_probe import BLOB_FEE_TRACER, CLEAR, MOST_STEPS, READ, blob_fee_probe
from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.column import to_hex, word
from caia_replay.chain.fee_history import blob_price
from caia_replay.chain.node_answer import FROM_RECORDS
from caia_replay.chain.rpc_connection import NodeRefusal, RpcConnection
from caia_replay.chain.upstream import Upstream
from caia_replay.errors import ForkFault, Miss, ToolError, WallLimit, one_line

_BLOCK_INTERVAL_S: Final = 12
"""Anvil takes the time of pending and mined blocks from the wall clock unless told an interval."""

EXECUTED: Final = frozenset(("eth_call", "eth_estimateGas"))
"""Methods that run code in the pinned block's environment: call object, block, state, overrides."""

_EXECUTION_FIELDS: Final = frozenset(("timestamp", "baseFeePerGas", "gasLimit", "miner", "mixHash", "excessBlobGas"))
"""What code that runs in a block can see of its header."""

WHOLE_BLOCKS: Final = frozenset(("eth_getBlockByNumber", "eth_getBlockByHash"))
"""Methods that give a block with its transactions, full or by hash."""

_TRANSPORT: Final = ("Transport(", "error sending request")
"""How Anvil words that its upstream did not answer it, in time or at all."""

_QUIET_ROUND_TRIPS: Final = 3
_NO_TRANSACTION: Final = "0x" + "ca" * 32


class UpstreamFault(ForkFault):
    """Anvil gave up on its upstream, as on a question that takes too long: asking again would take as long."""


class ForkNode:
    """Not shared between threads: whoever holds the chain's lease uses it."""

    def __init__(self, snapshot: ChainSource) -> None:
        self.snapshot: Final = snapshot
        self._upstream = Upstream(snapshot, snapshot.heights[0][0])
        self._anvil: AnvilProcess | None = None
        self._connection: RpcConnection | None = None
        self._block: int | None = None
        self._base_fee: str | None = None
        self._blob_fee_told: str | None = None
        self._header: Mapping[str, Any] = {}
        self._tells_blob_fee = False
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

        A process that is gone is replaced. Raises ``ForkFault`` when Anvil does not start or does not
        obey (``retire`` and a second try may help), ``Miss`` when the block's header is not recorded.
        """
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
        self._base_fee, self._blob_fee_told = header.get("baseFeePerGas"), None
        self._header, self._tells_blob_fee = header, False
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
        if method in EXECUTED:
            self._require_environment()
            params = self._in_pinned_block(params)
        result = self.ask(method, params)
        if method in WHOLE_BLOCKS and result is not None:
            self.snapshot.block(int(result["number"], 16), full=False)
        return result

    def _in_pinned_block(self, params: Sequence[Any]) -> Sequence[Any]:
        """The call with the pinned block's fee; as it is where it names another block, which Anvil forwards."""
        call, at = params[0] if params else {}, params[1] if len(params) > 1 else None
        number = self._block if at in (None, "latest") else 0 if at == "earliest" else int(at, 16)
        if self._block is None or number != self._block:
            return params
        environment = {} if self._base_fee is None else {"baseFee": self._base_fee}
        # What the node takes for the blob fee depends on the pin alone: once it is right, it is right until the next.
        self._tells_blob_fee = self._tells_blob_fee or self.knows_blob_fee(call, "latest", self._header, keep=True)
        if not self._tells_blob_fee:
            self.require_no_blob_fee(call, "latest", environment)
        return [call, "latest", None, environment]

    def knows_blob_fee(self, call: Any, at: str, header: Mapping[str, Any], keep: bool = False) -> bool:
        """Whether code of ``call`` in block ``at``, whose header is given, is told the chain's own blob base fee.

        The node is asked by way of the call's own accounts, which it needs anyway; with ``keep`` it is
        asked once while this pin holds.
        """
        price = blob_price(self.snapshot, self._block or 0, header)
        if price is None or not int(header.get("excessBlobGas", "0x0"), 16):
            return price is not None  # without excess every fraction gives the least price
        probe = blob_fee_probe(call)
        if probe is None:
            return False
        value = self._blob_fee_told if keep else None
        if value is None:
            value = self.demand("eth_call", [probe[0], at, probe[1]])
            self._blob_fee_told = value if keep else None
        return bool(value == to_hex(word(price)))

    def require_no_blob_fee(self, call: Mapping[str, Any], at: str, environment: Mapping[str, Any]) -> None:
        """Raise ``Miss`` if code that ``call`` runs reads the blob base fee, or runs too long to be followed.

        ``environment`` is the block override of the call. Raises as ``ask`` what the call would.
        """
        block = self._block if at == "latest" else int(at, 16)
        options = {"tracer": BLOB_FEE_TRACER, "blockOverrides": environment}
        found = self.ask("debug_traceCall", [call, at, options])
        if found != CLEAR:
            why = "" if found == READ else f" (a call of over {MOST_STEPS} steps may read it)"
            where = f"{self.snapshot.name} at block {block}"
            raise Miss("block", f"blob base fee of block {block}{why}", where)

    def ask(self, method: str, params: Sequence[Any] = ()) -> Any:
        """One call. Raises ``Miss`` when it made the upstream miss, whatever Anvil made of that;
        ``ToolError`` with the node's words when it refuses; ``ForkFault`` when it breaks off, ``WallLimit`` when it
        takes too long, and ``UpstreamFault`` when it gave up waiting: what is still on the way must not reach the
        next call.
        """
        before = self._upstream.miss_count
        try:
            result = self._connect().ask(method, params)
        except ForkFault as fault:
            # Anvil panics when a system contract's account is missing while it builds a block.
            self.retire()
            if self._upstream.miss_count == before:
                raise
            raise self._miss(before) from fault
        except WallLimit:
            self.retire()  # what it still computes must not reach the next call
            raise
        gave_up = isinstance(result, NodeRefusal) and self._is_transport(result.message)
        if gave_up:
            self.retire()
        if self._upstream.miss_count != before:
            if not gave_up:
                self._await_stragglers()
            raise self._miss(before)
        if isinstance(result, NodeRefusal):
            if gave_up:
                raise UpstreamFault(f"the node gave up on its upstream during {method}: {one_line(result.message)}")
            raise result.as_tool_error()
        return result

    def _is_transport(self, message: str) -> bool:
        # A contract's revert may hold any words, but it does not know our address.
        ours = f"127.0.0.1:{self._upstream.port}"
        return ours in message and any(words in message for words in _TRANSPORT)

    def demand(self, method: str, params: Sequence[Any] = ()) -> Any:
        """One call of our own that must succeed. Raises ``ForkFault`` or ``Miss``."""
        try:
            return self.ask(method, params)
        except ToolError as fault:
            raise ForkFault(f"the node refused {method}: {fault}") from fault

    def retire(self) -> None:
        """Stop this Anvil; the next ``stand_at`` starts another."""
        connection, anvil = self._connection, self._anvil  # another thread may be closing us
        self._connection = self._anvil = self._block = None
        if connection is not None:
            connection.close()
        if anvil is not None:
            anvil.stop()

    def close(self) -> None:
        """Stop Anvil, and then the upstream it reads from; for good."""
        self._closed = True
        try:
            self.retire()
        finally:
            self._upstream.close()

    def _start(self, block: int) -> None:
        if self._closed:
            raise ForkFault(f"the fork of {self.snapshot.name} is closed")
        self._upstream.set_pin(block)
        rules, timeout_s = self._rules(block), self.snapshot.timeout_s
        arguments = fork_arguments(self._upstream.url, block, self.snapshot.chain_id, rules, timeout_s)
        try:
            anvil = AnvilProcess(find_anvil(), arguments)
        except ForkFault as fault:
            if self._is_transport(str(fault)):
                raise UpstreamFault(self._upstream.fault or str(fault)) from fault
            raise
        self._hardfork, self._untouched = rules, True
        self._anvil, self._connection = anvil, anvil.connect()
        if self._closed:  # by another thread, while the process started
            self.retire()
            raise ForkFault(f"the fork of {self.snapshot.name} is closed")

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
