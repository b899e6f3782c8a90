"""A block header's own hash, the mainnet hard forks, and what a child's header says of its parent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from eth_hash.auto import keccak

from caia_replay.chain import rpc_value
from caia_replay.chain.column import to_hex
from caia_replay.chain.raw_transaction import number_bytes, rlp_encode
from caia_replay.errors import BadInput

_SLOT_SECONDS: Final = 12
_BLOB_GAS: Final = 0x20000


@dataclass(frozen=True, slots=True)
class HardFork:
    """A mainnet hard fork: its name for Anvil, its first timestamp, and its blob gas target
    (0 before blobs). Source: EIP-6953, EIP-7569, EIP-7600 and EIP-7607, with EIP-4844 and EIP-7691."""

    name: str
    timestamp: int
    target_blob_gas: int = 0


MAINNET: Final = (
    HardFork("paris", 1_663_224_179),
    HardFork("shanghai", 1_681_338_455),
    HardFork("cancun", 1_710_338_135, 3 * _BLOB_GAS),
    HardFork("prague", 1_746_612_311, 6 * _BLOB_GAS),
)
"""The forks a block can be imported from, in order."""

OSAKA_TIMESTAMP: Final = 1_764_798_551
"""From here on EIP-7918 makes a parent's excess blob gas impossible to compute from its child."""


def mainnet_hardfork(timestamp: int) -> HardFork:
    """The hard fork of a mainnet block by its header's time (seconds since 1970 UTC).

    Raises ``BadInput`` before Paris (proof of work) and from Osaka on.
    """
    if timestamp >= OSAKA_TIMESTAMP:
        raise BadInput(f"blocks from Osaka on (timestamp {OSAKA_TIMESTAMP}) cannot be imported", where=timestamp)
    for fork in reversed(MAINNET):
        if timestamp >= fork.timestamp:
            return fork
    raise BadInput(f"blocks before Paris (timestamp {MAINNET[0].timestamp}) cannot be imported", where=timestamp)


def header_hardfork(chain_id: int, header: Mapping[str, Any]) -> str:
    """The rules a block was made under, as Anvil's ``--hardfork`` word.

    Mainnet's by the header's time; of any other chain by the fields that its header has:
    withdrawalsRoot came with Shanghai (EIP-4895), parentBeaconBlockRoot with Cancun (EIP-4788). Raises
    ``BadInput`` for headers without either, since chains took up later rules and not those fields, for
    those with a requestsHash (EIP-7685), which Prague and Osaka share, and for mainnet's from Osaka on.
    """
    if chain_id == 1:
        timestamp = rpc_value.quantity(header, "timestamp", f"block {header.get('number')!r:.70}")
        if timestamp < OSAKA_TIMESTAMP:
            return mainnet_hardfork(timestamp).name
    for name, field in _SHOWN_BY if header.get("requestsHash") is None and chain_id != 1 else ():
        if header.get(field) is not None:
            return name
    raise BadInput(
        f"the header of block {header.get('number')!r:.70} does not show which rules hold on chain id {chain_id}",
        next_command="add --hardfork NAME, such as prague",
    )


_SHOWN_BY: Final = (
    ("cancun", "parentBeaconBlockRoot"),
    ("shanghai", "withdrawalsRoot"),
)


def header_hash(header: Mapping[str, Any]) -> bytes:
    """Keccak-256 over the RLP of an RPC header: its block hash if every field is as it was sealed.

    Fields of later forks count when present, in their order. Raises ``BadInput`` for missing ones.
    """
    where = f"block {header.get('number')!r:.70}"
    fields = [read(header, name, where) for name, read in _SEALED]
    for name, read in _LATER:
        if name not in header:
            break
        fields.append(read(header, name, where))
    return keccak(rlp_encode(fields))


def parent_header(child: Mapping[str, Any], fork: HardFork) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The header of the block before ``child``, and the names of its fields that are not recorded.

    Only its hash and number are known from the child. What a fork needs to start is filled in so
    that executing the child comes out right: excess blob gas so that the child's own follows from it
    (with no blob gas used), base fee and gas limit as the child's, time one slot earlier, and a bloom
    that excludes nothing, because an empty one would prove that the block has no logs; the rest is
    zero. None of it may be served as an answer.
    """
    where = f"block {child.get('number')!r:.70}"
    number = rpc_value.quantity(child, "number", where)
    if number == 0:
        raise BadInput("the genesis block has no parent", where=where)
    recorded = {"hash": to_hex(rpc_value.hash32(child, "parentHash", where)), "number": hex(number - 1)}
    computed = {name: _ZERO.get(read, "0x") for name, read in (*_SEALED, *_LATER) if name in child}
    computed |= {
        "timestamp": hex(rpc_value.quantity(child, "timestamp", where) - _SLOT_SECONDS),
        "gasLimit": child["gasLimit"],
        "baseFeePerGas": child["baseFeePerGas"],
        "sha3Uncles": child["sha3Uncles"],
        "logsBloom": "0x" + "ff" * 256,
        "nonce": to_hex(bytes(8)),
    }
    if "excessBlobGas" in child:
        excess = rpc_value.quantity(child, "excessBlobGas", where)
        computed["excessBlobGas"] = hex(excess + fork.target_blob_gas if excess else 0)
    del computed["number"]
    return {**computed, **recorded}, tuple(sorted(computed))


_Read = Callable[[Mapping[str, Any], str, object], bytes]
_Fields = tuple[tuple[str, _Read], ...]

_SEALED: Final[_Fields] = (
    ("parentHash", rpc_value.hash32),
    ("sha3Uncles", rpc_value.hash32),
    ("miner", rpc_value.address),
    ("stateRoot", rpc_value.hash32),
    ("transactionsRoot", rpc_value.hash32),
    ("receiptsRoot", rpc_value.hash32),
    ("logsBloom", rpc_value.data),
    ("difficulty", number_bytes),
    ("number", number_bytes),
    ("gasLimit", number_bytes),
    ("gasUsed", number_bytes),
    ("timestamp", number_bytes),
    ("extraData", rpc_value.data),
    ("mixHash", rpc_value.hash32),
    ("nonce", rpc_value.data),
    ("baseFeePerGas", number_bytes),
)
_LATER: Final[_Fields] = (
    ("withdrawalsRoot", rpc_value.hash32),
    ("blobGasUsed", number_bytes),
    ("excessBlobGas", number_bytes),
    ("parentBeaconBlockRoot", rpc_value.hash32),
    ("requestsHash", rpc_value.hash32),
)


_ZERO: Final[Mapping[_Read, str]] = {
    number_bytes: "0x0",
    rpc_value.hash32: to_hex(bytes(32)),
    rpc_value.address: to_hex(bytes(20)),
}
