"""What a fork stands on: recorded tables (``Snapshot``), or a living node whose answers are being kept.

Both answer the same questions in the same way, so a chain that is captured and a chain that is
replayed are served by one and the same upstream.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from caia_replay.chain.claim import Span
from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.state_row import AccountRow


class ChainSource(Protocol):
    """One chain. Every lookup raises ``errors.Miss`` for what it does not know, and says None only
    where there provably is nothing; nothing later than a given ``pin`` exists."""

    @property
    def name(self) -> str:
        """The chain's name, as anchors say it."""

    @property
    def chain_id(self) -> int:
        """The chain id, which is in every signed transaction."""

    @property
    def heights(self) -> tuple[Span, ...]:
        """The ranges of block numbers that can be pinned, inclusive, ascending."""

    @property
    def numbers(self) -> Sequence[int]:
        """The blocks whose headers are known, ascending; more than can be pinned, where only a time was asked."""

    @property
    def reconstructed(self) -> Mapping[int, tuple[str, ...]]:
        """Per block number the header fields that were computed, not recorded."""

    @property
    def timeout_s(self) -> float:
        """How long one question may take."""

    def hardfork(self, block: int) -> str:
        """The rules Anvil must run at ``block``, as its ``--hardfork`` word."""

    def account(self, address: bytes, block: int) -> AccountRow:
        """An account at the end of ``block``."""

    def caller(self, block: int) -> str | None:
        """Who makes a call at ``block`` that names no sender; None when no account would do."""

    def storage(self, address: bytes, slot: bytes, block: int) -> bytes:
        """A slot's 32 bytes at the end of ``block``."""

    def code(self, code_hash: bytes) -> bytes:
        """The bytecode under a hash."""

    def header(self, number: int) -> dict[str, Any]:
        """A block's RPC fields, ``transactions`` only when its hashes are known from it."""

    def number_of(self, block_hash: bytes, pin: int) -> int | None:
        """The number of the block with this hash."""

    def block(self, number: int, full: bool) -> dict[str, Any]:
        """A block as eth_getBlockByNumber gives it."""

    def transactions(self, number: int) -> list[dict[str, Any]]:
        """All transactions of a block in order."""

    def transaction(self, transaction_hash: bytes, pin: int) -> dict[str, Any] | None:
        """A transaction mined up to ``pin``."""

    def receipt(self, transaction_hash: bytes, pin: int) -> dict[str, Any] | None:
        """A receipt with its logs, mined up to ``pin``."""

    def receipts(self, number: int) -> list[dict[str, Any]]:
        """All receipts of a block in order, with their logs."""

    def logs(self, first: int, last: int, wanted: LogFilter) -> list[dict[str, Any]]:
        """The logs of a range of blocks that match, in chain order."""

    def reply(self, method: str, params: str, pin: int) -> Any:
        """A node's own reply to one exact question (JSON text), such as a trace."""


def can_pin(heights: tuple[Span, ...], block: int) -> bool:
    """Whether ``block`` is one of ``heights``."""
    return any(first <= block <= last for first, last in heights)


def hardfork_at(hardforks: Mapping[int, str], block: int) -> str:
    """The rules that hold at ``block``: those that began last. ``hardforks`` begins no later than it."""
    return hardforks[max(since for since in hardforks if since <= block)]


def rule_changes(rules: Mapping[int, str]) -> dict[int, str]:
    """``rules`` by block without those that say what held before anyway, ascending."""
    kept: dict[int, str] = {}
    last = None
    for block in sorted(rules):
        if rules[block] != last:
            last = kept[block] = rules[block]
    return kept
