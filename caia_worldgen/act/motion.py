"""A proposal before a ProtocolGovernor: what it would do, its identity, its dates, and who voted how.

Identities are those of the deployed contracts: a proposal's of the governor, an operation's of the timelock.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final

from eth_abi import abi
from eth_utils.crypto import keccak

from caia_worldgen.stage import Contract

_BATCH: Final = ("address[]", "uint256[]", "bytes[]")


class State(IntEnum):
    """A governor's own numbers of a proposal's states."""

    PENDING = 0
    ACTIVE = 1
    DEFEATED = 3
    SUCCEEDED = 4
    QUEUED = 5
    EXECUTED = 7


class Side(IntEnum):
    """A governor's own numbers of the votes."""

    AGAINST = 0
    FOR = 1
    ABSTAIN = 2


@dataclass(slots=True)
class Motion:
    """One proposal. Votes are cast after block ``snapshot`` up to ``deadline``; ``eta`` is in seconds since 1970.

    ``calls`` are (contract, data) in the order of their execution; ``tally`` counts weights by ``Side``.
    """

    name: str
    text: str
    calls: tuple[tuple[Contract, bytes], ...]
    snapshot: int
    deadline: int
    quorum: int = 0
    eta: int = 0
    state: State = State.PENDING
    tally: list[int] = field(default_factory=lambda: [0, 0, 0])
    ballots: dict[int, list[tuple[str, Side]]] = field(default_factory=dict)
    voted: set[str] = field(default_factory=set)

    @property
    def batch(self) -> tuple[list[str], list[int], list[bytes]]:
        """Targets, values and calldata, as every function of governor and timelock wants them."""
        return [contract.address for contract, _ in self.calls], [0] * len(self.calls), [data for _, data in self.calls]

    @property
    def text_hash(self) -> bytes:
        """What stands for the text after the proposing."""
        return keccak(text=self.text)

    @property
    def id(self) -> int:
        """The governor's number of it."""
        return int.from_bytes(keccak(abi.encode((*_BATCH, "bytes32"), (*self.batch, self.text_hash))), "big")

    def operation(self, governor: str) -> bytes:
        """The timelock's identity of it, as the governor at that address would queue it."""
        mask = bytes.fromhex(governor[2:]).ljust(32, b"\0")
        salt = bytes(one ^ other for one, other in zip(mask, self.text_hash, strict=True))
        return keccak(abi.encode((*_BATCH, "bytes32", "bytes32"), (*self.batch, bytes(32), salt)))

    def passes(self) -> bool:
        """Whether what was cast reaches the quorum, in which abstentions count, and more is for it than against."""
        reached = self.tally[Side.FOR] + self.tally[Side.ABSTAIN] >= self.quorum
        return reached and self.tally[Side.FOR] > self.tally[Side.AGAINST]

    def arguments(self) -> tuple[Any, ...]:
        """What ``queue`` and ``execute`` are called with."""
        return (*self.batch, self.text_hash)
