"""Copies of recorded chains for one task that is carried out: each a node of its own, that nobody else reads or writes.

An agent has one set of copies and its judge another, made the same way from the same recordings. Time in a copy stands
still but for the blocks that are mined in it: one for each transaction, and those of the task's own acts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from caia_replay.core.execution import Execution, ScriptedTransaction, Sent
from caia_replay.errors import BadInput, CheckFailed, ToolError, nearest
from caia_replay.tools.signature import encode_call, parse_signature

if TYPE_CHECKING:
    from caia_replay.chain.chain_source import ChainSource
    from caia_replay.chain.fork_pool import ForkPool
    from caia_replay.chain.scratch_chain import ScratchChain

NO_DATA: Final = "0x"


@dataclass(frozen=True, slots=True)
class Mined:
    """A transaction as its copy mined it, with its raw JSON-RPC receipt."""

    sent: Sent
    receipt: Mapping[str, Any]


class ChainCopies:
    """``snapshots`` as they stood at the ``height`` of each chain, with the task's own acts before the agent's begun.

    A copy is started when it is first asked for. Close it, or use it as a context manager: no node outlives it.
    """

    def __init__(
        self, snapshots: Mapping[str, ChainSource], execution: Execution, height: Callable[[str], int]
    ) -> None:
        self.execution: Final = execution
        self._snapshots = snapshots
        self._height = height
        self._open = ExitStack()
        self._pool: ForkPool | None = None
        self._chains: dict[str, ScratchChain] = {}
        self.mined: list[Mined] = []
        """What was sent by ``send``, oldest first."""

    def __enter__(self) -> ChainCopies:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End every node that was started; may be called twice."""
        self._chains.clear()
        self._open.close()

    def pids(self) -> tuple[int, ...]:
        """The process ids of the nodes that run now."""
        return () if self._pool is None else self._pool.pids()

    def chain(self, name: str) -> ScratchChain:
        """The copy of one of the task's chains. Raises ``ToolError`` for another one, and ``CheckFailed`` where one of
        the task's acts reverts."""
        if name not in self.execution.chains:
            known = ", ".join(self.execution.chains)
            raise ToolError(f"no transactions on chain {name[:80]!r} in this task; there are: {known}")
        if name not in self._chains:
            self._chains[name] = self._started(name)
        return self._chains[name]

    def send(self, chain: str, sender: str, to: str, value_wei: int, data: str, gas: int | None = None) -> Mined:
        """Mine one transaction. Without ``gas`` it is estimated, and a revert is a ``ToolError`` after which nothing
        was sent; with it a revert is mined. Raises ``Miss`` and ``ForkFault`` as ``ScratchChain.send``."""
        made = _send(self.chain(chain), chain, sender, to, value_wei, data, gas)
        self.mined.append(made)
        return made

    def act(self, act: ScriptedTransaction) -> Mined | None:
        """Make one of the task's own acts. Returns None for one that may fail and would, and one that only waits."""
        return _played(self.chain(act.chain), act)

    def _started(self, name: str) -> ScratchChain:
        from caia_replay.chain.fork_pool import ForkPool
        from caia_replay.chain.scratch_chain import ScratchChain

        if self._pool is None:
            self._pool = self._open.enter_context(ForkPool(self._snapshots))
        made = ScratchChain(self._open.enter_context(self._pool.lease(name, self._height(name), writes=True)))
        for act in self.execution.before:
            if act.chain == name:
                _played(made, act)
        return made


def calldata(function: str, arguments: Any) -> str:
    """A call as 0x text; plain "0x" without a function. Raises ``ToolError`` naming what does not fit."""
    if not function:
        if arguments:
            raise ToolError(f"{len(arguments)} arguments and no function to give them to")
        return NO_DATA
    return encode_call(parse_signature(function), arguments)


def _played(chain: ScratchChain, act: ScriptedTransaction) -> Mined | None:
    if act.wait_s:
        chain.wait(act.wait_s)
    if not act.to:
        return None
    try:
        data = calldata(act.function, act.arguments)
        return _send(chain, act.chain, act.sender, act.to, int(act.value_wei), data, None)
    except ToolError as fault:
        if act.may_fail:
            return None
        raise CheckFailed(
            f"an act of the task's own, {act.function or 'a payment'} by {act.sender}: {fault}"
        ) from fault


def _send(chain: ScratchChain, name: str, sender: str, to: str, value_wei: int, data: str, gas: int | None) -> Mined:
    try:
        receipt = chain.send({"from": sender, "to": to, "value": value_wei, "data": data, "gas": gas})
    except BadInput as fault:
        raise ToolError(str(fault)) from fault
    found = chain.rpc("eth_getTransactionByHash", receipt["transactionHash"])
    used = int(found["gas"], 16)
    return Mined(Sent(name, sender, to, value_wei, data, used, receipt["transactionHash"]), receipt)


def wallet_on(execution: Execution, chain: str) -> str:
    """The wallet's address on a chain. Raises ``ToolError`` where it has none there."""
    found = next((one.address for one in execution.wallets if one.chain == chain), None)
    if found is None:
        there = [one.chain for one in execution.wallets]
        near = nearest(chain, there) or ", ".join(there)
        raise ToolError(f"the wallet has no account on chain {chain[:80]!r}; it has one on: {near}")
    return found
