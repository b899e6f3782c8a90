"""The airdrop's Merkle tree: leaves hashed twice, pairs hashed in ascending order, an odd last node passed up."""

from __future__ import annotations

from collections.abc import Sequence

from eth_abi import abi
from eth_utils.crypto import keccak


def leaf(index: int, account: str, amount: int) -> bytes:
    """The 32-byte leaf of one claim."""
    return keccak(keccak(abi.encode(("uint256", "address", "uint256"), (index, account, amount))))


def root(leaves: Sequence[bytes]) -> bytes:
    """The root over at least one leaf."""
    return _levels(leaves)[-1][0]


def proof(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """The neighbours of leaf ``index`` on the way up."""
    found = []
    for level in _levels(leaves)[:-1]:
        found += level[index ^ 1 : (index ^ 1) + 1]
        index //= 2
    return found


def _levels(leaves: Sequence[bytes]) -> list[list[bytes]]:
    levels = [list(leaves)]
    while len(levels[-1]) > 1:
        last = levels[-1]
        pairs = [last[at : at + 2] for at in range(0, len(last), 2)]
        levels.append([keccak(b"".join(sorted(pair))) if len(pair) == 2 else pair[0] for pair in pairs])
    return levels
