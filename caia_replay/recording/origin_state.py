"""Accounts and slots as an origin answers them at one height, and joined into the intervals for which they hold.

Every block of the chain is traced, so a key that no transaction touches keeps its value. Two kinds
of sightings come in block order and check each other:

    found(key, block, value)   the first touch in ``block`` found this: the value up to block - 1
    left(key, block, value)    read at the end of ``block``: the value from there on

What is found must be what was left before; if not, the chain was changed outside its
transactions, and the unbroken interval between the two would be an invention.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from eth_hash.auto import keccak

from caia_replay.chain import rpc_value
from caia_replay.chain.column import to_hex
from caia_replay.chain.prestate_merge import SlotKey
from caia_replay.chain.state_row import AccountRow, CodeRow, StorageRow
from caia_replay.errors import CheckFailed
from caia_replay.recording.origin_node import Call, OriginNode

Key = TypeVar("Key")
Value = TypeVar("Value")
AccountState = tuple[int, int, bytes]
"""Balance in wei, nonce, code hash."""


class OriginState:
    """Reads state of one origin; every code that came by is kept under its hash."""

    def __init__(self, node: OriginNode) -> None:
        self._node = node
        self._codes: dict[bytes, bytes] = {}

    def accounts(self, addresses: Sequence[bytes], number: int) -> list[AccountState]:
        """Accounts at the end of block ``number``, in order; addresses without one are empty."""
        replies = self._node.ask_all([("eth_getAccountInfo", (to_hex(address), hex(number))) for address in addresses])
        where = f"origin node, accounts at block {number}"
        states = []
        for reply in replies:
            rpc = rpc_value.mapping(reply, "an account", where)
            code_hash = self.code_hash(rpc_value.data(rpc, "code", where))
            states.append(
                (rpc_value.quantity(rpc, "balance", where), rpc_value.quantity(rpc, "nonce", where), code_hash)
            )
        return states

    def slots(self, keys: Sequence[SlotKey], number: int) -> list[bytes]:
        """The 32-byte values of slots at the end of block ``number``, in order."""
        replies = self._node.ask_all(
            [("eth_getStorageAt", (to_hex(address), to_hex(slot), hex(number))) for address, slot in keys]
        )
        return [rpc_value.word_key(reply, "a slot's value", f"origin node, block {number}") for reply in replies]

    def code_hash(self, code: bytes) -> bytes:
        """The Keccak-256 of a code, which is kept."""
        code_hash = keccak(code)
        if code:
            self._codes[code_hash] = code
        return code_hash

    def codes(self) -> list[CodeRow]:
        """Every code seen so far, sorted."""
        return [CodeRow(code_hash, code) for code_hash, code in sorted(self._codes.items())]

    def compare(self, wanted: Sequence[tuple[AccountRow | StorageRow, int]]) -> None:
        """Ask for rows again, each at a height. Raises ``CheckFailed`` for the first that differs."""
        calls: list[Call] = []
        values: list[str] = []
        for row, height in wanted:
            for call, value in self._questions(row, height):
                calls.append(call)
                values.append(value)
        for call, value, answer in zip(calls, values, self._node.ask_all(calls), strict=True):
            if answer != value:
                method, params = call
                raise CheckFailed(
                    f"{method} {' '.join(params)} is {answer!r:.80} on the origin, but its transactions give "
                    f"{value:.80}: the origin was edited outside transactions"
                )

    def _questions(self, row: AccountRow | StorageRow, height: int) -> Iterator[tuple[Call, str]]:
        address, block = to_hex(row.address), hex(height)
        if isinstance(row, StorageRow):
            yield ("eth_getStorageAt", (address, to_hex(row.slot), block)), to_hex(row.value)
            return
        yield ("eth_getBalance", (address, block)), hex(row.balance)
        yield ("eth_getTransactionCount", (address, block)), hex(row.nonce)
        yield ("eth_getCode", (address, block)), to_hex(self._codes.get(row.code_hash, b""))


class StateHistory(Generic[Key, Value]):
    """Intervals of one kind of key. ``what`` names the kind in errors."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._closed: list[tuple[Key, int, int, Value]] = []
        self._open: dict[Key, tuple[int, Value]] = {}

    def __contains__(self, key: Key) -> bool:
        return key in self._open

    def __iter__(self) -> Iterator[Key]:
        return iter(self._open)

    def __len__(self) -> int:
        return len(self._open)

    def found(self, key: Key, block: int, value: Value, words: str, untouched_since: int = 0) -> None:
        """The key's value at the end of ``block - 1``; on first sight also of every block before it
        from ``untouched_since`` on.

        ``words`` names the key in the ``CheckFailed`` raised when another value was left there.
        """
        if key not in self._open and untouched_since >= block:
            return
        since, known = self._open.setdefault(key, (untouched_since, value))
        if known != value:
            raise CheckFailed(
                f"{self._what} {words} is {_plain(known)} after block {since} "
                f"and {_plain(value)} before block {block}, "
                "though no transaction between them touches it: the origin was edited outside transactions"
            )

    def left(self, key: Key, block: int, value: Value) -> None:
        """The key's value at the end of ``block``, in which it was touched."""
        if key in self._open:
            since, known = self._open[key]
            if known == value:
                return
            if since < block:
                self._closed.append((key, since, block - 1, known))
        self._open[key] = (block, value)

    def intervals(self, head: int) -> Iterator[tuple[Key, int, int, Value]]:
        """Every interval (key, first block, last block, value); the open ones end at ``head``."""
        yield from self._closed
        for key, (since, value) in self._open.items():
            yield key, since, head, value


def _plain(value: object) -> str:
    """Bytes as hex, tuples item by item."""
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_plain, value)) + ")"
    return "0x" + value.hex() if isinstance(value, bytes) else str(value)
