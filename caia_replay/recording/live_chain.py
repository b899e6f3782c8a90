"""A living chain that a fork can stand on while everything it is asked is kept.

It answers as a snapshot does (``ChainSource``), so what is captured and what is replayed are served
by one upstream. What an older snapshot of the chain knows is not asked again.

A fault of the node must not look like a hole in the chain: the first one is kept in ``fault``,
nothing is asked after it, and whoever drives the capture raises it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar

from caia_replay.canonical import strict_json
from caia_replay.chain.chain_source import can_pin
from caia_replay.chain.claim import Span
from caia_replay.chain.column import json_text, to_hex
from caia_replay.chain.header import header_hardfork
from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.state_row import EMPTY_CODE_HASH, AccountRow, ReplyRow
from caia_replay.errors import BadInput, Miss
from caia_replay.recording.origin_reader import OriginReader
from caia_replay.recording.origin_rows import OriginRows
from caia_replay.recording.reply_journal import JournaledNode

_TIMEOUT_S: Final = 1_800.0
"""A node that limits its callers is waited for, and Anvil waits for us meanwhile."""

_NOBODY: Final = bytes(20)

T = TypeVar("T")


class LiveChain:
    """One chain up to ``anchor``, from a node; safe to share between threads."""

    def __init__(
        self,
        node: JournaledNode,
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
        value = self._reader.header(number)
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
        return self._known(lambda base: base.account(address, block), lambda: self._reader.account(address, block))

    def caller(self, block: int) -> str | None:
        """The zero address, as nodes do it; its account is kept, so that the replay can do the same."""
        self.account(_NOBODY, block)
        return to_hex(_NOBODY)

    def storage(self, address: bytes, slot: bytes, block: int) -> bytes:
        """A slot's 32 bytes at the end of ``block``."""
        return self._known(
            lambda base: base.storage(address, slot, block), lambda: self._reader.storage(address, slot, block)
        )

    def code(self, code_hash: bytes) -> bytes:
        """The bytecode of an account that was asked for before; no bytes for the empty hash."""
        if code_hash == EMPTY_CODE_HASH:
            return b""
        return self._known(
            lambda base: base.code(code_hash),
            lambda: self._found(self.kept.codes.get(code_hash), "code", to_hex(code_hash)),
        )

    def header(self, number: int) -> dict[str, Any]:
        """A block's fields, the hashes of its transactions among them where they are known; what was once
        reconstructed is read from the node."""
        if number in self._once_reconstructed:
            return self._asked(lambda: self._found(self._reader.header(number), "block", str(number)))
        return self._known(
            lambda base: base.header(number), lambda: self._found(self._reader.header(number), "block", str(number))
        )

    def number_of(self, block_hash: bytes, pin: int) -> int | None:
        """The number of the block with this hash, at most ``pin``."""
        return self._known(
            lambda base: base.number_of(block_hash, pin),
            lambda: self._found(self._reader.block_of(block_hash, pin), "block", to_hex(block_hash)),
        )

    def transactions(self, number: int) -> list[dict[str, Any]]:
        """All transactions of a block in order."""
        return self._known(
            lambda base: base.transactions(number),
            lambda: self._found(self._reader.bodies(number), "block", f"{number} with all transactions"),
        )

    def block(self, number: int, full: bool) -> dict[str, Any]:
        """A block as eth_getBlockByNumber gives it."""
        if full:
            return {**self.header(number), "transactions": self.transactions(number)}
        header = self.header(number)
        if "transactions" in header:
            return header
        return {**header, "transactions": [item["hash"] for item in self.transactions(number)]}

    def transaction(self, transaction_hash: bytes, pin: int) -> dict[str, Any] | None:
        """A transaction mined up to ``pin``."""
        return self._known(
            lambda base: base.transaction(transaction_hash, pin),
            lambda: self._found(
                self._reader.transaction(transaction_hash, pin), "transaction", to_hex(transaction_hash)
            ),
        )

    def receipt(self, transaction_hash: bytes, pin: int) -> dict[str, Any] | None:
        """A receipt with its logs, mined up to ``pin``."""
        return self._known(
            lambda base: base.receipt(transaction_hash, pin),
            lambda: self._found(self._reader.receipt(transaction_hash, pin), "receipt", to_hex(transaction_hash)),
        )

    def receipts(self, number: int) -> list[dict[str, Any]]:
        """All receipts of a block in order, with their logs."""
        return self._known(
            lambda base: base.receipts(number),
            lambda: self._found(self._reader.receipts(number), "receipt", f"all of block {number}"),
        )

    def logs(self, first: int, last: int, wanted: LogFilter) -> list[dict[str, Any]]:
        """The logs of a range that match, in chain order."""
        return self._known(lambda base: base.logs(first, last, wanted), lambda: self._reader.logs(first, last, wanted))

    def reply(self, method: str, params: str, pin: int) -> Any:
        """A node's own reply to one exact question (``chain.recorded_call``)."""

        def ask() -> Any:
            asked = strict_json(params)
            if method == "eth_getProof":
                block = int(asked[2], 16)
            else:
                of = self._reader.transaction(bytes.fromhex(asked[0][2:]), pin)
                block = int(self._found(of, "trace", asked[0])["blockNumber"], 16)
            result = self._reader.ask(method, *asked)
            self.kept.replies[method, params] = ReplyRow(method, params, block, json_text(result))
            return result

        return self._known(lambda base: base.reply(method, params, pin), ask)

    def _known(self, recorded: Callable[[Snapshot], T], ask: Callable[[], T]) -> T:
        """What the older snapshot says, else what the node says."""
        if self._base is not None:
            try:
                return recorded(self._base)
            except Miss:
                pass
        return self._asked(ask)

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

    def _found(self, value: T | None, kind: str, wanted: str) -> T:
        if value is None:
            raise Miss(kind, wanted, f"{self.name}, as its origin node knows it")
        return value
