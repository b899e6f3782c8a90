"""What a node standing at the pinned block would answer, from recorded rows alone.

Pure: a snapshot, a pin, a method and its parameters give a result, a ``Miss``, or a ``ToolError``
for parameters that make no sense. Nothing past the pin exists, by number or by hash. Which heads
were safe or final at a moment is not recorded, so those tags are a ``Miss`` in every method.

Traces and proofs are a node's own recorded words to exactly this question. No fork is asked for them: Anvil's tracer
ignores its options for a hash it has traced before and traces an unknown one as empty, and the tries of a fork are
not the chain's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from caia_replay.canonical import canonical_bytes
from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.column import to_hex
from caia_replay.chain.fee_history import fee_history
from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.recorded_call import recorded_call
from caia_replay.chain.rpc_parameter import address, any_number, at, hash32, named_block, slot_word, state_block
from caia_replay.chain.state_row import AccountRow
from caia_replay.errors import Miss, ToolError

FROM_RECORDS: Final = frozenset(
    ("debug_traceTransaction", "eth_feeHistory", "eth_getProof", "trace_block", "trace_transaction")
)
"""Methods that no fork may answer."""


def answer(snapshot: ChainSource, pin: int, method: str, params: Sequence[Any]) -> Any:
    """The JSON result of one call. Raises ``Miss`` or ``ToolError``."""
    serve = _METHODS.get(method)
    if serve is None:
        words = canonical_bytes(list(params)).decode("utf-8", "replace")
        raise Miss("state", f"{method} {words:.200}", _where(snapshot, pin), ", ".join(sorted(_METHODS)))
    return serve(snapshot, pin, params)


def _account(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> AccountRow:
    return snapshot.account(_address(params), state_block(snapshot, at(params, 1), pin))


def _account_info(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    row = _account(snapshot, pin, params)
    return {"balance": hex(row.balance), "nonce": hex(row.nonce), "code": to_hex(snapshot.code(row.code_hash))}


def _storage(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    slot = bytes.fromhex(slot_word(at(params, 1))[2:])
    block = state_block(snapshot, at(params, 2), pin)
    return to_hex(snapshot.storage(_address(params), slot, block))


def _block_by_number(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    number = any_number(at(params, 0), pin, _where(snapshot, pin))
    return None if number > pin else _block(snapshot, number, bool(at(params, 1)))


def _block_by_hash(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    number = snapshot.number_of(_hash(params), pin)
    return None if number is None else _block(snapshot, number, bool(at(params, 1)))


def _block(snapshot: ChainSource, number: int, full: bool) -> dict[str, Any]:
    try:
        return snapshot.block(number, full)
    except Miss:
        # Anvil forks from a header alone, and asks for the whole block when it is re-pinned. Leaving
        # the field out says that it is not known; ForkNode.read refuses the empty list made of that.
        return snapshot.header(number)


def _transaction(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    # A hash nobody recorded is null, never a miss: Anvil asks for its own pending transactions too.
    try:
        return snapshot.transaction(_hash(params), pin)
    except Miss:
        return None


def _receipt(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    try:
        return snapshot.receipt(_hash(params), pin)
    except Miss:
        return None


def _block_receipts(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    number = named_block(snapshot, at(params, 0), pin)
    return None if number is None or number > pin else snapshot.receipts(number)


def _logs(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    query = at(params, 0)
    if not isinstance(query, Mapping):
        raise ToolError("eth_getLogs takes one filter object")
    wanted = LogFilter.from_rpc(query.get("address"), query.get("topics"))
    if query.get("blockHash") is not None:
        found = state_block(snapshot, {"blockHash": query["blockHash"]}, pin)
        return snapshot.logs(found, found, wanted)
    where = _where(snapshot, pin)
    first = any_number(query.get("fromBlock"), pin, where)
    last = min(any_number(query.get("toBlock"), pin, where), pin)
    return snapshot.logs(first, last, wanted) if first <= last else []


def _gas_price(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    # Only Anvil's own default fee comes from here; rpc_guard refuses the question to agents.
    fee = snapshot.header(pin).get("baseFeePerGas")
    if fee is None:
        raise Miss("state", "eth_gasPrice", _where(snapshot, pin), "the header has no base fee")
    return fee


def _debug_trace(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    """debug_traceTransaction ``[hash, options]``. Raises ``ToolError`` where there provably is no such
    transaction up to ``pin``, as nodes do, and ``Miss`` of kind trace."""
    found = _trace(snapshot, pin, params, "debug_traceTransaction")
    if found is None:
        raise ToolError(f"no transaction {hash32(at(params, 0))} up to block {pin}")
    return found


def _trace(snapshot: ChainSource, pin: int, params: Sequence[Any], method: str = "trace_transaction") -> Any:
    """trace_transaction ``[hash]``; None where there provably is no such transaction up to ``pin``."""
    question = recorded_call(method, params, pin)
    try:
        if snapshot.transaction(bytes.fromhex(question.params[0][2:]), pin) is None:
            return None
    except Miss:
        pass  # A trace may be recorded where its transaction is not.
    return _reply(snapshot, pin, "trace", method, params)


def _block_traces(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> list[Any] | None:
    """trace_block ``[block]``: the traces of its transactions one after the other, all there is since Paris.

    None past ``pin``. Raises ``Miss`` unless the transactions and a trace of each are recorded.
    """
    number = named_block(snapshot, at(params, 0), pin)
    if number is None or number > pin:
        return None
    where = _where(snapshot, pin)
    if snapshot.header(number).get("difficulty") != "0x0" or "difficulty" in snapshot.reconstructed.get(number, ()):
        # A mined block's own reward is in trace_block and in no transaction's trace.
        raise Miss("trace", f"trace_block of block {number}", where)
    found: list[Any] = []
    for transaction in snapshot.transactions(number):
        traces = _trace(snapshot, pin, [transaction["hash"]])
        if not isinstance(traces, list):
            raise Miss("trace", f"trace_transaction of {transaction['hash']}", where)
        found += traces
    return found


def _proof(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    """eth_getProof ``[address, slots, block]``. Raises ``Miss`` of kind proof. Slots are written with all
    their digits in the reply, however they were asked for."""
    block = hex(state_block(snapshot, at(params, 2), pin))
    return _reply(snapshot, pin, "proof", "eth_getProof", [*params[:2], block, *params[3:]])


def _reply(snapshot: ChainSource, pin: int, kind: str, method: str, params: Sequence[Any]) -> Any:
    question = recorded_call(method, params, pin)
    try:
        return snapshot.reply(method, question.text, pin)
    except Miss as miss:
        raise Miss(kind, f"{method} {question.text}", miss.detail.where, miss.detail.nearest) from miss


_METHODS: Final[Mapping[str, Callable[[ChainSource, int, Sequence[Any]], Any]]] = {
    "debug_traceTransaction": _debug_trace,
    "eth_blockNumber": lambda snapshot, pin, params: hex(pin),
    "eth_chainId": lambda snapshot, pin, params: hex(snapshot.chain_id),
    "eth_feeHistory": fee_history,
    "eth_gasPrice": _gas_price,
    "eth_getAccountInfo": _account_info,
    "eth_getBalance": lambda snapshot, pin, params: hex(_account(snapshot, pin, params).balance),
    "eth_getBlockByHash": _block_by_hash,
    "eth_getBlockByNumber": _block_by_number,
    "eth_getBlockReceipts": _block_receipts,
    "eth_getCode": lambda snapshot, pin, params: to_hex(snapshot.code(_account(snapshot, pin, params).code_hash)),
    "eth_getLogs": _logs,
    "eth_getProof": _proof,
    "eth_getStorageAt": _storage,
    "eth_getTransactionByHash": _transaction,
    "eth_getTransactionCount": lambda snapshot, pin, params: hex(_account(snapshot, pin, params).nonce),
    "eth_getTransactionReceipt": _receipt,
    "net_version": lambda snapshot, pin, params: str(snapshot.chain_id),
    "trace_block": _block_traces,
    "trace_transaction": _trace,
}


def _address(params: Sequence[Any]) -> bytes:
    return bytes.fromhex(address(at(params, 0))[2:])


def _hash(params: Sequence[Any]) -> bytes:
    return bytes.fromhex(hash32(at(params, 0))[2:])


def _where(snapshot: ChainSource, pin: int) -> str:
    return f"{snapshot.name} at block {pin}"
