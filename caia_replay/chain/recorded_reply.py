"""Traces and proofs: a node's own recorded words to exactly this question, or a ``Miss``.

No fork is asked for them: Anvil's tracer ignores its options for a hash it has traced before and
traces an unknown one as empty, and the tries of a fork are not the chain's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.recorded_call import recorded_call
from caia_replay.chain.rpc_parameter import at, hash32, named_block, state_block
from caia_replay.errors import Miss, ToolError


def debug_trace(chain: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    """debug_traceTransaction ``[hash, options]``. Raises ``ToolError`` where there provably is no such
    transaction up to ``pin``, as nodes do, and ``Miss`` of kind trace."""
    found = trace(chain, pin, params, "debug_traceTransaction")
    if found is None:
        raise ToolError(f"no transaction {hash32(at(params, 0))} up to block {pin}")
    return found


def trace(chain: ChainSource, pin: int, params: Sequence[Any], method: str = "trace_transaction") -> Any:
    """trace_transaction ``[hash]``; None where there provably is no such transaction up to ``pin``."""
    question = recorded_call(method, params, pin)
    try:
        if chain.transaction(bytes.fromhex(question.params[0][2:]), pin) is None:
            return None
    except Miss:
        pass  # A trace may be recorded where its transaction is not.
    return _reply(chain, pin, "trace", method, params)


def block_traces(chain: ChainSource, pin: int, params: Sequence[Any]) -> list[Any] | None:
    """trace_block ``[block]``: the traces of its transactions one after the other, all there is since Paris.

    None past ``pin``. Raises ``Miss`` unless the transactions and a trace of each are recorded.
    """
    number = named_block(chain, at(params, 0), pin)
    if number is None or number > pin:
        return None
    where = f"{chain.name} at block {pin}"
    if chain.header(number).get("difficulty") != "0x0" or "difficulty" in chain.reconstructed.get(number, ()):
        # A mined block's own reward is in trace_block and in no transaction's trace.
        raise Miss("trace", f"trace_block of block {number}", where)
    found: list[Any] = []
    for transaction in chain.transactions(number):
        traces = trace(chain, pin, [transaction["hash"]])
        if not isinstance(traces, list):
            raise Miss("trace", f"trace_transaction of {transaction['hash']}", where)
        found += traces
    return found


def proof(chain: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    """eth_getProof ``[address, slots, block]``. Raises ``Miss`` of kind proof. Slots are written with all
    their digits in the reply, however they were asked for."""
    block = hex(state_block(chain, at(params, 2), pin))
    return _reply(chain, pin, "proof", "eth_getProof", [*params[:2], block, *params[3:]])


def _reply(chain: ChainSource, pin: int, kind: str, method: str, params: Sequence[Any]) -> Any:
    question = recorded_call(method, params, pin)
    try:
        return chain.reply(method, question.text, pin)
    except Miss as miss:
        raise Miss(kind, f"{method} {question.text}", miss.detail.where, miss.detail.nearest) from miss
