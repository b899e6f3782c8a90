"""web3.py on a scratch chain: each request takes the same miss-checked way as ``fork.rpc`` and ``fork.send``.

A ``Miss`` or a refusal by the guard leaves web3 as it is. A refusal by the node is handed over as the
JSON-RPC error it was, so that web3 raises its own ``ContractLogicError`` and the like.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from web3.providers.base import BaseProvider
from web3.types import RPCEndpoint, RPCResponse

from caia_replay.chain import rpc_guard
from caia_replay.chain.scratch_chain import ScratchChain
from caia_replay.errors import ToolError
from caia_replay.interop.rpc_error import rpc_error


class ScratchProvider(BaseProvider):
    """For ``Web3(ScratchProvider(chain))``; sending mines one block, see ``ScratchChain.send``."""

    def __init__(self, chain: ScratchChain) -> None:
        super().__init__()
        self._chain = chain

    def make_request(self, method: RPCEndpoint, params: Any) -> RPCResponse:
        """One request. Raises ``Miss``, ``ForkFault``, and ``ToolError`` for what the guard does not let through."""
        if method == "eth_sendTransaction":
            return self._answer(lambda: self._chain.send(params[0])["transactionHash"])
        rpc_guard.check(method, params, self._chain.block)
        return self._answer(lambda: self._chain.rpc(method, *params))

    def is_connected(self, show_traceback: bool = False) -> bool:
        """Always: nothing but this process is between web3 and the chain."""
        return True

    @staticmethod
    def _answer(ask: Callable[[], Any]) -> RPCResponse:
        try:
            return {"jsonrpc": "2.0", "id": 1, "result": ask()}
        except ToolError as fault:
            return {"jsonrpc": "2.0", "id": 1, "error": rpc_error(fault)}
