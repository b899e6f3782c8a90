"""The state before a block, put together from what each of its transactions found.

The first transaction that touches an account or a slot finds it as the parent block left it:
an earlier change would itself have been a touch, and the tracer reports every touch. So the first
seen value is the parent's. Three cases need more care, and are decided by what is proven:

- **An account that a transaction's trace leaves out** although the transaction must touch it (its
  recipient, the contract it creates, the coinbase): the tracer leaves out exactly the accounts that
  were empty, so it had no balance, nonce or code.
- **A contract born inside the block**: at the parent it had neither nonce nor code, and such an
  account has no storage, so each of its slots was zero there, whatever later transactions found.
- **A contract that died inside the block** (before Cancun): slots first found afterwards tell
  nothing about the parent and are left out.

Slots written by the protocol before the first transaction (beacon roots, block hashes) are found
with this block's value; they are left out of the parent's state too.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from caia_replay.chain import rpc_value
from caia_replay.chain.raw_transaction import created_address
from caia_replay.chain.recorded_block import RecordedBlock, Touched

SlotKey = tuple[bytes, bytes]
"""Address (20 bytes) and slot (32 bytes)."""


@dataclass(slots=True)
class Prestate:
    """``accounts``: as they were at the parent, their ``storage`` empty. ``storage``: slots known at
    the parent. ``seen``: every slot any transaction used, known at the parent or not. ``died``:
    contracts that a later transaction of the block found without code."""

    accounts: dict[bytes, Touched] = field(default_factory=dict)
    storage: dict[SlotKey, bytes] = field(default_factory=dict)
    seen: set[SlotKey] = field(default_factory=set)
    died: set[bytes] = field(default_factory=set)


def merge_prestate(recorded: RecordedBlock, written_by_protocol: Collection[SlotKey] = ()) -> Prestate:
    """The parent's state as far as the traces of ``recorded`` prove it."""
    state = Prestate()
    latest_code: dict[bytes, bytes] = {}
    coinbase = rpc_value.address(recorded.header, "miner", "block")
    for trace, transaction in zip(recorded.traces, recorded.transactions, strict=True):
        for address in (coinbase, _target(transaction)):
            if address not in trace:
                state.accounts.setdefault(address, EMPTY)
        for address, touched in trace.items():
            before = state.accounts.setdefault(
                address, Touched(touched.balance, touched.nonce, touched.code, EMPTY.storage)
            )
            if latest_code.get(address) and not touched.code:
                state.died.add(address)
            latest_code[address] = touched.code
            for slot, found in touched.storage.items():
                key = (address, slot)
                if key in state.seen:
                    continue
                state.seen.add(key)
                if key in written_by_protocol:
                    continue
                if before.nonce == 0 and not before.code:
                    state.storage[key] = bytes(32)
                elif address not in state.died:
                    state.storage[key] = found
    return state


EMPTY = Touched(0, 0, b"", {})
"""An account that does not exist, or holds nothing."""


def _target(transaction: object) -> bytes:
    """The account a transaction calls or creates; it is touched even when the execution fails."""
    rpc = rpc_value.mapping(transaction, "a transaction", "block")
    if rpc.get("to") is not None:
        return rpc_value.address(rpc, "to", "block")
    return created_address(rpc_value.address(rpc, "from", "block"), rpc_value.quantity(rpc, "nonce", "block"))
