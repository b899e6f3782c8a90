"""Contracts the protocol itself writes to, outside any transaction, and what it writes there.

EIP-4788 (beacon roots) and EIP-2935 (block hashes) are written before the first transaction, from
values in the header; EIP-7002 and EIP-7251 (requests) after the last one, from a queue.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from caia_replay.chain import rpc_value
from caia_replay.chain.block_replay import SystemWrite
from caia_replay.chain.column import word
from caia_replay.chain.header import HardFork
from caia_replay.chain.prestate_merge import EMPTY, SlotKey
from caia_replay.chain.recorded_block import Touched

BEACON_ROOTS: Final = bytes.fromhex("000f3df6d732807ef1319fb7b8bb8522d0beac02")
BLOCK_HASHES: Final = bytes.fromhex("0000f90827f1c53a10cb7a02335b175320002935")
CHANGED_AFTER_TRANSACTIONS: Final = frozenset(
    (
        bytes.fromhex("00000961ef480eb55e80d19ad83579a64c007002"),  # withdrawal requests
        bytes.fromhex("0000bbddc7ce488642fb579f8b00f3a590007251"),  # consolidation requests
    )
)

RING: Final = 8191
"""Both rings keep as many entries."""

SYSTEM_CALLER: Final = bytes.fromhex("fffffffffffffffffffffffffffffffffffffffe")
"""Who makes the protocol's calls."""

_BLOCK_HASHES_CODE: Final = bytes.fromhex(
    "3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311"
    "604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500"
)
"""EIP-2935's own bytecode."""


def beacon_root_writes(header: Mapping[str, Any]) -> Iterator[SystemWrite]:
    """The two slots EIP-4788 writes for ``header``: its time, and its parent's beacon root."""
    if "parentBeaconBlockRoot" in header:
        timestamp = rpc_value.quantity(header, "timestamp", "block")
        root = rpc_value.hash32(header, "parentBeaconBlockRoot", "block")
        yield SystemWrite(BEACON_ROOTS, word(timestamp % RING), word(timestamp))
        yield SystemWrite(BEACON_ROOTS, word(timestamp % RING + RING), root)


def block_hash_write(header: Mapping[str, Any], fork: HardFork) -> Iterator[SystemWrite]:
    """The slot EIP-2935 writes for ``header`` from Prague on: its parent's hash."""
    if fork.name == "prague":
        number = rpc_value.quantity(header, "number", "block")
        yield SystemWrite(BLOCK_HASHES, block_hash_slot(number), rpc_value.hash32(header, "parentHash", "block"))


def block_hash_slot(number: int) -> bytes:
    """The slot of the EIP-2935 ring that block ``number`` (from 1) writes."""
    return word((number - 1) % RING)


def lent_block_hashes(
    header: Mapping[str, Any],
    fork: HardFork,
    accounts: Mapping[bytes, Touched],
    storage: Mapping[SlotKey, bytes],
) -> tuple[dict[bytes, Touched], dict[SlotKey, bytes]]:
    """Accounts and slots Anvil needs for its own EIP-2935 call and that are not known.

    They only let the execution run; they are no part of a snapshot. The slot's old value is never
    read by a transaction, because the call overwrites it first.
    """
    lent_accounts: dict[bytes, Touched] = {}
    lent_storage: dict[SlotKey, bytes] = {}
    for write in block_hash_write(header, fork):
        lent = {BLOCK_HASHES: Touched(0, 1, _BLOCK_HASHES_CODE, {}), SYSTEM_CALLER: EMPTY}
        lent_accounts |= {address: account for address, account in lent.items() if address not in accounts}
        if (write.address, write.slot) not in storage:
            lent_storage[write.address, write.slot] = bytes(32)
    return lent_accounts, lent_storage
