"""A living chain that a fork can stand on while everything it is asked is kept.

It answers as a snapshot does (``ChainSource``), so what is captured and what is replayed are served
by one upstream. What an older snapshot of the chain knows is not asked again.

A fault of the node must not look like a hole in the chain: the first one is kept in ``fault``,
nothing is asked after it, and whoever drives the capture raises it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar

from caia_replay.chain.chain_source import can_pin
from caia_replay.chain.claim import Span
from caia_replay.chain.column import to_hex
from caia_replay.chain.header import header_hardfork
from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.state_row import EMPTY_CODE_HASH, AccountRow
from caia_replay.errors import BadInput, Miss
from caia_replay.recording.origin_node import AskedNode
from caia_replay.recording.origin_reader import OriginReader, OriginRows

_TIMEOUT_S: Final = 1_800.0
"""A node that limits its callers is waited for, and Anvil waits for us meanwhile."""

_NOBODY: Final = bytes(20)

T = TypeVar("T")


class LiveChain:
    """One chain up to ``anchor``, from a node; safe to share between threads."""

    def __init__(
        self,
        node: AskedNode,
        *,
        name: str,
        chain_id: int,
        anchor: int,
        hardfork: str | None = None,
        base: Snapshot | None = None,
    ) -> None:
        """``hardfork`` is for every block of a chain whose rules its headers do not tell; ``base`` is
        what is recorded already."""
        self.name: Final = name
        self.chain_id: Final = chain_id
        self.heights: tuple[Span, ...] = ((0, anchor),)
        self.numbers: Final = range(anchor + 1)
        self._once_reconstructed = frozenset(base.reconstructed if base else ())
        self.timeout_s = _TIMEOUT_S
        self.fault: Exception | None = None
        self._reader = OriginReader(node, name)
        self._hardfork = hardfork
        self._base = base
        self._lock = threading.RLock()

    @property
    def reconstructed(self) -> Mapping[int, tuple[str, ...]]:
        """Nothing: the node knows whole headers."""
        return MappingProxyType({})

    @property
    def kept(self) -> OriginRows:
        """What the node was asked for so far."""
        return self._reader.kept

    def fetch_header(self, number: int) -> dict[str, Any] | None:
        """A block's fields as the node tells them, recorded or not; None when it has no such block.

        Raises ``BadInput`` when a recorded block of this number has another hash, and as the node does.
        """
        value = self._reader.find_header(number)
        try:
            recorded = self._base.header(number) if self._base is not None else None
        except Miss:
            recorded = None
        if value is not None and recorded is not None and recorded["hash"] != value["hash"]:
            raise BadInput(
                f"block {number} is {value['hash']} for the origin node, and {recorded['hash']} is recorded: another "
                "chain, or another history of it",
                where=self.name,
                next_command="the same command with --refresh, which shows all differences and replaces the snapshot",
            )
        return value

    def widen(self, slots: Iterable[tuple[bytes, bytes, int]], headers: Iterable[int]) -> None:
        """Keep slots (address, slot, block) and headers that nobody asked for, but for those that are recorded already.

        Raises ``Miss`` when the node fails, and ``fault`` says with what.
        """
        base = self._base
        if base is not None:
            slots = [key for key in slots if not _has(base.storage, *key)]
            headers = [number for number in headers if not _has(base.header, number)]
        self._asked(lambda: self._reader.read_many(slots, headers))

    def hardfork(self, block: int) -> str:
        """The rules at ``block``: as told, as recorded, as a development node says of itself, or as the
        block's header shows (``header_hardfork``)."""
        if self._hardfork is not None:
            return self._hardfork
        if self._base is not None and can_pin(self._base.heights, block):
            return self._base.hardfork(block)
        header = self.header(block)
        own = None if self.chain_id == 1 else self._asked(self._reader.own_hardfork)
        return own or self._asked(lambda: header_hardfork(self.chain_id, header))

    def account(self, address: bytes, block: int) -> AccountRow:
        """An account at the end of ``block``."""
        return self._known(lambda chain: chain.account(address, block))

    def caller(self, block: int) -> str | None:
        """The zero address, as nodes do it; its account is kept, so that the replay can do the same."""
        self.account(_NOBODY, block)
        return to_hex(_NOBODY)

    def storage(self, address: bytes, slot: bytes, block: int) -> bytes:
        """A slot's 32 bytes at the end of ``block``."""
        return self._known(lambda chain: chain.storage(address, slot, block))

    def code(self, code_hash: bytes) -> bytes:
        """The bytecode of an account that was asked for before; no bytes for the empty hash."""
        return b"" if code_hash == EMPTY_CODE_HASH else self._known(lambda chain: chain.code(code_hash))

    def header(self, number: int) -> dict[str, Any]:
        """A block's fields, the hashes of its transactions among them where they are known; what was once
        reconstructed is read from the node."""
        if number in self._once_reconstructed:
            return self._asked(lambda: self._reader.header(number))
        return self._known(lambda chain: chain.header(number))

    def number_of(self, block_hash: bytes, pin: int) -> int | None:
        """The number of the block with this hash, at most ``pin``."""
        return self._known(lambda chain: chain.number_of(block_hash, pin))

    def transactions(self, number: int) -> list[dict[str, Any]]:
        """All transactions of a block in order."""
        return self._known(lambda chain: chain.transactions(number))

    def block(self, number: int, full: bool) -> dict[str, Any]:
        """A block as eth_getBlockByNumber gives it."""
        header = self.header(number)
        if full:
            return {**header, "transactions": self.transactions(number)}
        if "transactions" in header:
            return header
        return {**header, "transactions": [item["hash"] for item in self.transactions(number)]}

    def transaction(self, transaction_hash: bytes, pin: int) -> dict[str, Any] | None:
        """A transaction mined up to ``pin``."""
        return self._known(lambda chain: chain.transaction(transaction_hash, pin))

    def receipt(self, transaction_hash: bytes, pin: int) -> dict[str, Any] | None:
        """A receipt with its logs, mined up to ``pin``."""
        return self._known(lambda chain: chain.receipt(transaction_hash, pin))

    def receipts(self, number: int) -> list[dict[str, Any]]:
        """All receipts of a block in order, with their logs."""
        return self._known(lambda chain: chain.receipts(number))

    def logs(self, first: int, last: int, wanted: LogFilter) -> list[dict[str, Any]]:
        """The logs of a range that match, in chain order."""
        return self._known(lambda chain: chain.logs(first, last, wanted))

    def reply(self, method: str, params: str, pin: int) -> Any:
        """A node's own reply to one exact question (``chain.recorded_call``)."""
        return self._known(lambda chain: chain.reply(method, params, pin))

    def _known(self, ask: Callable[[Snapshot | OriginReader], T]) -> T:
        """What the older snapshot says, else what the node says."""
        if self._base is not None:
            try:
                return ask(self._base)
            except Miss:
                pass
        return self._asked(lambda: ask(self._reader))

    def _asked(self, ask: Callable[[], T]) -> T:
        with self._lock:
            if self.fault is not None:
                raise Miss("state", "anything more", f"{self.name}: the origin node failed before")
            try:
                return ask()
            except Miss:
                raise
            except Exception as fault:  # a full disk too: nothing may come from a capture that is not sound
                self.fault = fault
                raise Miss("state", "an answer of the origin node", self.name) from fault


def _has(find: Callable[..., object], *key: object) -> bool:
    try:
        find(*key)
    except Miss:
        return False
    return True
