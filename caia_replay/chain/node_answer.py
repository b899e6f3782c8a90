"""What a node standing at the pinned block would answer, from recorded rows alone.

Pure: a snapshot, a pin, a method and its parameters give a result, a ``Miss``, or a ``ToolError``
for parameters that make no sense. Nothing past the pin exists, by number or by hash.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from caia_replay.canonical import canonical_bytes
from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.column import ADDRESS, HASH, UNFIT, to_hex, word
from caia_replay.chain.log_filter import LogFilter
from caia_replay.errors import Miss, ToolError

_NUMBER = re.compile(r"0x[0-9a-fA-F]{1,64}")


def answer(snapshot: ChainSource, pin: int, method: str, params: Sequence[Any]) -> Any:
    """The JSON result of one call. Raises ``Miss`` or ``ToolError``."""
    serve = _METHODS.get(method)
    if serve is None:
        words = canonical_bytes(list(params)).decode("utf-8", "replace")
        raise Miss("state", f"{method} {words:.200}", f"{snapshot.name} at block {pin}", ", ".join(sorted(_METHODS)))
    return serve(snapshot, pin, params)


def _account_info(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    row = snapshot.account(_address(params), _state_block(snapshot, pin, params, 1))
    return {"balance": hex(row.balance), "nonce": hex(row.nonce), "code": to_hex(snapshot.code(row.code_hash))}


def _balance(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    return hex(snapshot.account(_address(params), _state_block(snapshot, pin, params, 1)).balance)


def _nonce(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    return hex(snapshot.account(_address(params), _state_block(snapshot, pin, params, 1)).nonce)


def _code(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    row = snapshot.account(_address(params), _state_block(snapshot, pin, params, 1))
    return to_hex(snapshot.code(row.code_hash))


def _storage(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    slot = _at(params, 1)
    if not isinstance(slot, str) or not _NUMBER.fullmatch(slot):
        raise ToolError(f"storage slot {slot!r:.80} is not 0x and hex digits")
    block = _state_block(snapshot, pin, params, 2)
    return to_hex(snapshot.storage(_address(params), word(int(slot, 16)), block))


def _block_by_number(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    number = _number(snapshot, pin, _at(params, 0))
    return None if number > pin else _block(snapshot, number, bool(_at(params, 1)))


def _block_by_hash(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    number = snapshot.number_of(_hash(params), pin)
    return None if number is None else _block(snapshot, number, bool(_at(params, 1)))


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
    wanted = _at(params, 0)
    if isinstance(wanted, Mapping):
        wanted = wanted.get("blockHash", wanted.get("blockNumber"))
    if isinstance(wanted, str) and len(wanted) == 66:
        number = snapshot.number_of(_hash([wanted]), pin)
    else:
        number = _number(snapshot, pin, wanted)
    return None if number is None or number > pin else snapshot.receipts(number)


def _logs(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    query = _at(params, 0)
    if not isinstance(query, Mapping):
        raise ToolError("eth_getLogs takes one filter object")
    wanted = LogFilter.from_rpc(query.get("address"), query.get("topics"))
    if query.get("blockHash") is not None:
        found = snapshot.number_of(_hash([query["blockHash"]]), pin)
        if found is None:
            raise ToolError(f"no block {query['blockHash']} at block {pin}")
        return snapshot.logs(found, found, wanted)
    first = _number(snapshot, pin, query.get("fromBlock", "latest"))
    last = min(_number(snapshot, pin, query.get("toBlock", "latest")), pin)
    return snapshot.logs(first, last, wanted) if first <= last else []


def _gas_price(snapshot: ChainSource, pin: int, params: Sequence[Any]) -> Any:
    # Only Anvil's own default fee comes from here; rpc_guard refuses the question to agents.
    fee = snapshot.header(pin).get("baseFeePerGas")
    if fee is None:
        raise Miss("state", "eth_gasPrice", f"{snapshot.name} at block {pin}", "the header has no base fee")
    return fee


_METHODS: Final[Mapping[str, Callable[[ChainSource, int, Sequence[Any]], Any]]] = {
    "eth_blockNumber": lambda snapshot, pin, params: hex(pin),
    "eth_chainId": lambda snapshot, pin, params: hex(snapshot.chain_id),
    "net_version": lambda snapshot, pin, params: str(snapshot.chain_id),
    "eth_gasPrice": _gas_price,
    "eth_getAccountInfo": _account_info,
    "eth_getBalance": _balance,
    "eth_getBlockByHash": _block_by_hash,
    "eth_getBlockByNumber": _block_by_number,
    "eth_getBlockReceipts": _block_receipts,
    "eth_getCode": _code,
    "eth_getLogs": _logs,
    "eth_getStorageAt": _storage,
    "eth_getTransactionByHash": _transaction,
    "eth_getTransactionCount": _nonce,
    "eth_getTransactionReceipt": _receipt,
}


def _at(params: Sequence[Any], index: int) -> Any:
    return params[index] if index < len(params) else None


def _address(params: Sequence[Any]) -> bytes:
    value = _at(params, 0)
    cell: Any = ADDRESS.encode(value.lower()) if isinstance(value, str) else UNFIT
    if cell is UNFIT:
        raise ToolError(f"address {value!r:.80} is not 0x and 40 hex digits")
    return bytes(cell)


def _hash(params: Sequence[Any]) -> bytes:
    value = _at(params, 0)
    cell: Any = HASH.encode(value.lower()) if isinstance(value, str) else UNFIT
    if cell is UNFIT:
        raise ToolError(f"hash {value!r:.80} is not 0x and 64 hex digits")
    return bytes(cell)


def _state_block(snapshot: ChainSource, pin: int, params: Sequence[Any], index: int) -> int:
    value = _at(params, index)
    if isinstance(value, Mapping):
        if value.get("blockHash") is not None:
            found = snapshot.number_of(_hash([value["blockHash"]]), pin)
            if found is None:
                raise ToolError(f"no block {value['blockHash']} at block {pin}")
            return found
        value = value.get("blockNumber")
    number = _number(snapshot, pin, "latest" if value is None else value)
    if number > pin:
        raise Miss("state", f"state of block {number}", f"{snapshot.name} at block {pin}", f"block {pin}")
    return number


def _number(snapshot: ChainSource, pin: int, value: Any) -> int:
    if value is None or value == "latest":
        return pin
    if value == "earliest":
        return 0
    if value in ("safe", "finalized", "pending"):
        raise Miss("block", str(value), f"{snapshot.name} at block {pin}", "a block number")
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        raise ToolError(f"block {value!r:.80} is not 0x and hex digits, latest or earliest")
    return int(value, 16)
