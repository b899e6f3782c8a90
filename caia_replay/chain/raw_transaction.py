"""A recorded transaction as the signed bytes that went over the wire, proven by its own hash.

A node's JSON holds every signed field; the bytes are rebuilt in the order of the type's standard
(legacy and EIP-155, EIP-2930, EIP-1559, EIP-4844 without its sidecar, EIP-7702). What does not
hash to the recorded transaction hash is refused, so nothing is ever sent that was not signed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from eth_hash.auto import keccak

from caia_replay.chain import rpc_value
from caia_replay.chain.column import to_hex
from caia_replay.errors import BadInput

BLOB_TYPE: Final = 3
"""EIP-4844: its sidecar is not part of the chain, so no node accepts the recorded bytes alone."""


def raw_transaction(transaction: Mapping[str, Any]) -> bytes:
    """The signed bytes of an RPC transaction object.

    Raises ``BadInput`` for an unknown type, a missing or malformed field, or bytes whose Keccak-256
    is not the object's own ``hash``.
    """
    where = f"transaction {transaction.get('hash')!r:.70}"
    kind = rpc_value.quantity(transaction, "type", where)
    if kind not in _LAYOUTS:
        raise BadInput(f"transaction type {kind} is not known (0 to 4)", where=where)
    fields = [read(transaction, name, where) for name, read in _LAYOUTS[kind]]
    encoded = rlp_encode(fields)
    raw = encoded if kind == 0 else bytes([kind]) + encoded
    if keccak(raw) != rpc_value.hash32(transaction, "hash", where):
        raise BadInput(f"its fields hash to {to_hex(keccak(raw))}: a signed field is wrong", where=where)
    return raw


def created_address(sender: bytes, nonce: int) -> bytes:
    """The address of the contract that ``sender`` (20 bytes) creates with the transaction ``nonce``."""
    return keccak(rlp_encode([sender, shortest(nonce)]))[12:]


def rlp_encode(item: bytes | Sequence[Any]) -> bytes:
    """Recursive length prefix of bytes, or of a sequence of such items."""
    if isinstance(item, bytes):
        if len(item) == 1 and item[0] < 0x80:
            return item
        return rlp_prefix(0x80, len(item)) + item
    body = b"".join(map(rlp_encode, item))
    return rlp_prefix(0xC0, len(body)) + body


def shortest(number: int) -> bytes:
    """An unsigned integer without leading zero bytes, as RLP wants it; zero is no bytes."""
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def rlp_prefix(base: int, length: int) -> bytes:
    """What stands before the content of an item: of bytes with ``base`` 0x80, of a list with 0xC0."""
    if length < 56:
        return bytes([base + length])
    size = shortest(length)
    return bytes([base + 55 + len(size)]) + size


def number_bytes(rpc: Mapping[str, Any], name: str, where: object) -> bytes:
    """Field ``name``, a quantity, as RLP wants it."""
    return shortest(rpc_value.quantity(rpc, name, where))


def _recipient(rpc: Mapping[str, Any], name: str, where: str) -> bytes:
    """The recipient, or no bytes for a creation, which the node must say with an explicit null."""
    if name in rpc and rpc[name] is None:
        return b""
    return rpc_value.address(rpc, name, where)


def _access_list(rpc: Mapping[str, Any], name: str, where: str) -> list[Any]:
    entries = [rpc_value.mapping(entry, name, where) for entry in rpc_value.sequence(rpc.get(name), name, where)]
    return [
        [
            rpc_value.address(entry, "address", where),
            [
                rpc_value.word_key(key, "a storage key", where)
                for key in rpc_value.sequence(entry.get("storageKeys"), "storageKeys", where)
            ],
        ]
        for entry in entries
    ]


def _hashes(rpc: Mapping[str, Any], name: str, where: str) -> list[Any]:
    return [rpc_value.word_key(item, name, where) for item in rpc_value.sequence(rpc.get(name), name, where)]


def _authorizations(rpc: Mapping[str, Any], name: str, where: str) -> list[Any]:
    entries = [rpc_value.mapping(entry, name, where) for entry in rpc_value.sequence(rpc.get(name), name, where)]
    return [
        [
            number_bytes(entry, "chainId", where),
            rpc_value.address(entry, "address", where),
            *(number_bytes(entry, field, where) for field in ("nonce", "yParity", "r", "s")),
        ]
        for entry in entries
    ]


_Layout = tuple[tuple[str, Callable[[Mapping[str, Any], str, str], Any]], ...]

_SIGNATURE: Final[_Layout] = (("v", number_bytes), ("r", number_bytes), ("s", number_bytes))
_CALL: Final[_Layout] = (("gas", number_bytes), ("to", _recipient), ("value", number_bytes), ("input", rpc_value.data))
_FEES: Final[_Layout] = (("maxPriorityFeePerGas", number_bytes), ("maxFeePerGas", number_bytes))
_HEAD: Final[_Layout] = (("chainId", number_bytes), ("nonce", number_bytes))
_ACCESS: Final[_Layout] = (("accessList", _access_list),)
_BLOB: Final[_Layout] = (("maxFeePerBlobGas", number_bytes), ("blobVersionedHashes", _hashes))

_LAYOUTS: Final[Mapping[int, _Layout]] = {
    0: (("nonce", number_bytes), ("gasPrice", number_bytes), *_CALL, *_SIGNATURE),
    1: (*_HEAD, ("gasPrice", number_bytes), *_CALL, *_ACCESS, *_SIGNATURE),
    2: (*_HEAD, *_FEES, *_CALL, *_ACCESS, *_SIGNATURE),
    BLOB_TYPE: (*_HEAD, *_FEES, *_CALL, *_ACCESS, *_BLOB, *_SIGNATURE),
    4: (*_HEAD, *_FEES, *_CALL, *_ACCESS, ("authorizationList", _authorizations), *_SIGNATURE),
}
