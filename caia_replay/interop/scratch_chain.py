"""What the ``fork`` fixture gives a test: a chain to write to, web3 over it, and the cheatcodes a test asks for.

Each cheatcode is a method of its own; ``rpc`` and ``web3`` still refuse cheat methods. So a test that calls none sees
recorded and executed state alone.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from caia_replay.chain import scratch_chain
from caia_replay.chain.fork_node import EXECUTED
from caia_replay.errors import BadInput, ForkFault, Miss, ToolError

if TYPE_CHECKING:
    from web3 import Web3

    from caia_replay.chain.fork_pool import Fork

_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_MOST_WEI: Final = (1 << 256) - 1


@dataclass(frozen=True, slots=True)
class _Kept:
    """Where a snapshot stands: the writes before it, the newest block, and what the chain knows beside its node."""

    step: int
    head: int
    block_hash: str
    mined: frozenset[str]
    sender: str | None


class ScratchChain(scratch_chain.ScratchChain):
    """``chain.scratch_chain.ScratchChain``, unusable when the test is over."""

    def __init__(self, fork: Fork) -> None:
        """``fork`` is a lease with ``writes`` that nobody else uses."""
        super().__init__(fork)
        self._sender: str | None = None
        self._snapshots: dict[int, _Kept] = {}
        self._last_id = 0

    @functools.cached_property
    def web3(self) -> Web3:
        """A ``web3.Web3`` over this chain; web3 itself is imported when this is first asked for."""
        from web3 import Web3

        from caia_replay.interop.web3_provider import ScratchProvider

        return Web3(ScratchProvider(self))

    def rpc(self, method: str, *params: Any) -> Any:
        """As ``chain.scratch_chain.ScratchChain.rpc``; a call without ``from`` is the impersonated account's."""
        if method in EXECUTED and params:
            params = (self._with_sender(params[0]), *params[1:])
        return super().rpc(method, *params)

    def send(self, transaction: Mapping[str, Any]) -> dict[str, Any]:
        """As ``chain.scratch_chain.ScratchChain.send``; without ``from`` the impersonated account sends."""
        return super().send(self._with_sender(transaction))

    def deal(self, address: str, wei: int) -> None:
        """Set the balance of a recorded account to ``wei``, at once and without a block.

        Nonce and code stay the recorded ones, so an account that is not recorded is a ``Miss``.
        """
        self._require_sound()
        if isinstance(wei, bool) or not isinstance(wei, int) or not 0 <= wei <= _MOST_WEI:
            raise BadInput(f"a balance is an int of wei from 0 to 2**256 - 1, not {wei!r:.60}")
        self._fork.operate("anvil_setBalance", [_address(address), hex(wei)])

    def warp(self, timestamp: int) -> int:
        """Mine one empty block at ``timestamp``, in Unix seconds and after the newest block's; its number."""
        self._require_sound()
        if isinstance(timestamp, bool) or not isinstance(timestamp, int):
            raise BadInput(f"a timestamp is an int of Unix seconds, not {timestamp!r:.60}")
        now = int(self._newest()["timestamp"], 16)
        if timestamp <= now:
            raise BadInput(f"block {self.block} is of {now} and the next one is later, not of {timestamp}")
        return self.wait(timestamp - now)

    def snapshot(self) -> int:
        """Remember the chain as it stands, and return the id to ``revert`` to, any number of times."""
        self._require_sound()
        self._last_id += 1
        head, mined = self._head, frozenset(self._mined_here)
        self._snapshots[self._last_id] = _Kept(self._fork.step, head, self._newest()["hash"], mined, self._sender)
        return self._last_id

    def revert(self, snapshot_id: int) -> None:
        """Be what the chain was when ``snapshot`` gave this id: blocks, state, clock, fees and who is impersonated.

        Ids that were given later end. Raises ``BadInput`` for an id that is not there.
        """
        self._require_sound()
        there = self._snapshots.get(snapshot_id) if type(snapshot_id) is int else None
        if there is None:
            known = ", ".join(map(str, self._snapshots)) or "none"
            words = f"no snapshot has the id {snapshot_id!r:.40}; there: {known}"
            raise BadInput(words, next_command="fork.snapshot()")
        try:
            self._fork.return_to(there.step)
            if self._newest()["hash"] != there.block_hash:
                raise ForkFault("the same steps made another block")
        except (ForkFault, Miss, ToolError) as fault:
            self._fault = ForkFault(f"the fork is unusable since its revert to snapshot {snapshot_id} failed: {fault}")
            raise self._fault from fault
        self._head, self._mined_here, self._sender = there.head, set(there.mined), there.sender
        self._impersonated.clear()
        self._snapshots = {at: kept for at, kept in self._snapshots.items() if at <= snapshot_id}

    def impersonate(self, address: str | None) -> None:
        """Send and call as this recorded account, contracts too, wherever ``from`` is left out; None ends it.

        The same holds through ``web3``. No key is needed and no balance is given: see ``deal``. An account
        that is not recorded is a ``Miss``.
        """
        self._require_sound()
        if address is not None:
            self._fork.operate("eth_getTransactionCount", [_address(address), "latest"])
        self._sender = address

    def _with_sender(self, transaction: Mapping[str, Any]) -> Mapping[str, Any]:
        if self._sender is None or not isinstance(transaction, Mapping) or transaction.get("from") is not None:
            return transaction
        return {**transaction, "from": self._sender}

    def _newest(self) -> Mapping[str, Any]:
        header: Mapping[str, Any] = self._fork.operate("eth_getBlockByNumber", ["latest", False])
        return header


def _address(value: Any) -> str:
    if not isinstance(value, str) or not _ADDRESS.fullmatch(value):
        raise BadInput(f"an address is 0x and 40 hex digits, not {value!r:.60}")
    return value
