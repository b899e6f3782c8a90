"""Exclusive leases on (chain, block): re-pin, act, check the miss counter, release.

Without a lease, a read beside another run's re-pin comes from the wrong block, silently. Without
the miss counter, a transaction that Anvil accepted and could not execute is an empty block.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from types import TracebackType
from typing import Any, Final

from caia_replay.chain import rpc_guard
from caia_replay.chain.chain_source import ChainSource, can_pin
from caia_replay.chain.claim import spans_words
from caia_replay.chain.fork_node import ForkNode, UpstreamFault
from caia_replay.errors import BadInput, ForkFault, Miss, nearest

_CLOSE_TIMEOUT_S: Final = 10.0
_ATTEMPTS: Final = 3
"""A node may also be killed while it takes the place of one that was; one that always dies is a fault."""


_WRITES: Final = frozenset(
    ("anvil_impersonateAccount", "anvil_setBalance", "eth_sendTransaction", "evm_mine", "evm_setNextBlockTimestamp")
)
"""What changes a fork and makes the same of it whenever it is repeated on a fresh one: see ``Fork.return_to``."""


class Fork:
    """A leased fork: one snapshot's chain, standing at ``block`` until the lease ends."""

    def __init__(self, node: ForkNode, block: int, writes: bool) -> None:
        self.snapshot: Final = node.snapshot
        self.block: Final = block
        self.writes: Final = writes
        self._node: ForkNode | None = node
        self._written: list[tuple[str, Sequence[Any]]] = []

    def rpc(self, method: str, params: Sequence[Any] = ()) -> Any:
        """One guarded read. Raises ``ToolError`` when the guard or the node refuses (revert data in its
        words), ``Miss`` when the snapshot lacks anything that the answer needs, ``ForkFault``.

        A node that was killed under the call is replaced and asked again: reads change nothing. One
        that waited too long for its upstream is replaced too, and not asked again: it would wait again.
        A call without ``from`` is made by the zero address, as everywhere; see ``caller``.
        Null for a transaction, receipt or block stays None: whether it provably does not exist is
        the snapshot's to say.
        """
        rpc_guard.check(method, params, self.block)
        attempt = 1
        while True:
            try:
                if attempt > 1:
                    self._leased(method).stand_at(self.block)
                return self._leased(method).read(method, params)
            except ForkFault as fault:
                if self.writes or attempt == _ATTEMPTS or isinstance(fault, UpstreamFault):
                    raise
            attempt += 1

    @cached_property
    def caller(self) -> str:
        """Who a call is made by when nobody in particular makes it, to be told beside its result.

        Nodes take the zero address. The EVM reads the caller's account, so where that is not
        recorded it is the first recorded account without code. Raises ``Miss`` when there is none.
        """
        found = self.snapshot.caller(self.block)
        if found is None:
            raise Miss("account", "one without code, to call from", f"{self.snapshot.name} at block {self.block}")
        return found

    def operate(self, method: str, params: Sequence[Any] = ()) -> Any:
        """One unguarded call for our own code, under a lease with ``writes``. Raises as ``rpc``.

        The node takes a transaction with an explicit gas limit before it knows whether it can run
        it; if it cannot, mining raises ``Miss``, or is ``Miss`` at once with eth_estimateGas before.
        """
        if not self.writes:
            raise ForkFault(f"{method} needs a lease with writes=True, or it would stay in the fork")
        result = self._leased(method).ask(method, params)
        if method in _WRITES:
            self._written.append((method, params))
        return result

    @property
    def step(self) -> int:
        """How many writes the fork has taken, to ``return_to``."""
        return len(self._written)

    def return_to(self, step: int) -> None:
        """Be what the fork was after so many writes: a fresh process takes them again, in the same order.

        evm_revert is no way back: Anvil keeps the later base fee and difficulty over it, so that the blocks mined next
        get other hashes and another prevrandao. Raises ``ForkFault`` and ``Miss`` as a lease and the writes do.
        """
        node, kept = self._leased("return_to"), self._written[:step]
        node.retire()
        node.stand_at(self.block, untouched=True)
        self._written = []
        for method, params in kept:
            self.operate(method, params)

    def require_blob_fee(
        self, call: Mapping[str, Any], at: str, header: Mapping[str, Any], environment: Mapping[str, Any]
    ) -> None:
        """Raise ``Miss`` if ``call`` would read a blob base fee that is not known to be right, as ``rpc`` does.

        For calls by ``operate``, which does not look: in block ``at``, or, with its ``header``, one
        that is yet to be mined; ``environment`` is the call's block override.
        """
        node = self._leased("eth_call")
        if not node.knows_blob_fee(call, at, header):
            node.require_no_blob_fee(call, at, environment)

    def end(self) -> None:
        """Make the fork unusable; the pool calls it when the lease ends."""
        self._node = None

    def _leased(self, method: str) -> ForkNode:
        if self._node is None:
            raise ForkFault(f"{method} was asked after the lease had ended")
        return self._node


class ForkPool:
    """One Anvil and one upstream per chain, started when first leased, closed on every way out."""

    def __init__(self, snapshots: Mapping[str, ChainSource]) -> None:
        self._snapshots = dict(snapshots)
        self._locks = {chain: threading.Lock() for chain in snapshots}
        self._holders: dict[str, int] = {}
        self._nodes: dict[str, ForkNode] = {}
        self._closed = False

    def __enter__(self) -> ForkPool:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @contextmanager
    def lease(self, chain: str, block: int, writes: bool = False) -> Iterator[Fork]:
        """The only fork of ``chain``, at ``block``, for nobody else until the ``with`` block ends.

        With ``writes`` the fork is a process of its own that ends with the lease: nothing of it
        remains. Raises ``BadInput`` for an unknown chain, ``Miss`` for a height that cannot be
        pinned, ``ForkFault`` when Anvil does not start or the same thread leases the chain twice.
        """
        snapshot = self._snapshots.get(chain)
        if snapshot is None:
            known = nearest(chain, self._snapshots) or ", ".join(sorted(self._snapshots))
            raise BadInput(f"no snapshot of chain {chain!r:.60}", nearest=known)
        if not can_pin(snapshot.heights, block):
            raise Miss("block", str(block), f"snapshot of {chain}", spans_words(snapshot.heights))
        me = threading.get_ident()
        if self._holders.get(chain) == me:
            raise ForkFault(f"this thread already leases {chain}, and would wait for itself")
        with self._locks[chain]:
            self._holders[chain] = me
            try:
                with self._standing(chain, snapshot, block, writes) as fork:
                    yield fork
            finally:
                del self._holders[chain]

    def pids(self) -> tuple[int, ...]:
        """The process ids of the Anvils that run now."""
        return tuple(pid for node in list(self._nodes.values()) if (pid := node.pid) is not None)

    def close(self) -> None:
        """Stop every Anvil and upstream; may be called twice. A lease still held elsewhere faults."""
        self._closed = True
        with ExitStack() as every:
            for chain in sorted(self._locks, reverse=True):
                every.callback(self._close, chain)

    def _close(self, chain: str) -> None:
        with ExitStack() as again:
            again.callback(self._discard, chain)
            node = self._nodes.pop(chain, None)
            if node is not None:
                # A thread that was just starting its Anvil may yet put it into the closed node.
                again.callback(node.close)
                node.close()
            # A thread that was just starting a node finds it closed, or is waited for here.
            if self._holders.get(chain) != threading.get_ident() and self._locks[chain].acquire(
                timeout=_CLOSE_TIMEOUT_S
            ):
                self._locks[chain].release()

    @contextmanager
    def _standing(self, chain: str, snapshot: ChainSource, block: int, writes: bool) -> Iterator[Fork]:
        if self._closed:
            raise ForkFault("the fork pool is closed")
        node = self._nodes.get(chain)
        if node is None:
            node = self._nodes[chain] = ForkNode(snapshot)
        for attempt in range(_ATTEMPTS):
            try:
                node.stand_at(block, untouched=writes)
                break
            except (ForkFault, Miss) as fault:
                node.retire()
                if isinstance(fault, Miss | UpstreamFault) or attempt == _ATTEMPTS - 1:
                    raise
        fork = Fork(node, block, writes)
        try:
            yield fork
        finally:
            fork.end()
            if writes:
                node.retire()

    def _discard(self, chain: str) -> None:
        node = self._nodes.pop(chain, None)
        if node is not None:
            node.close()
