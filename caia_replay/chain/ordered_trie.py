"""The Merkle-Patricia root of a list: what a header's transactions and withdrawals roots are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eth_hash.auto import keccak

from caia_replay.chain.raw_transaction import rlp_encode, shortest

_Pairs = Sequence[tuple[tuple[int, ...], bytes]]
"""Keys in nibbles with their values, sorted. Keys are RLP numbers, so none is a prefix of another."""


def ordered_root(items: Sequence[bytes]) -> bytes:
    """The 32-byte root of the trie that holds each item under the RLP of its index."""
    if not items:
        return keccak(rlp_encode(b""))
    pairs = sorted((_nibbles(rlp_encode(shortest(index))), item) for index, item in enumerate(items))
    return keccak(rlp_encode(_node(pairs, 0)))


def _nibbles(key: bytes) -> tuple[int, ...]:
    return tuple(half for byte in key for half in divmod(byte, 16))


def _node(pairs: _Pairs, depth: int) -> list[Any]:
    """The leaf, extension or branch that holds ``pairs``, whose first ``depth`` nibbles are spent."""
    first = pairs[0][0]
    if len(pairs) == 1:
        return [_packed(first[depth:], leaf=True), pairs[0][1]]
    shared = depth
    while first[shared] == pairs[-1][0][shared]:
        shared += 1
    if shared > depth:
        return [_packed(first[depth:shared], leaf=False), _reference(_node(pairs, shared))]
    children: list[Any] = []
    for nibble in range(16):
        under = [pair for pair in pairs if pair[0][depth] == nibble]
        children.append(_reference(_node(under, depth + 1)) if under else b"")
    return [*children, b""]


def _reference(node: list[Any]) -> list[Any] | bytes:
    """A node within its parent: itself when it is short, else its hash."""
    encoded = rlp_encode(node)
    return node if len(encoded) < 32 else keccak(encoded)


def _packed(nibbles: tuple[int, ...], leaf: bool) -> bytes:
    """Nibbles as bytes, the first half-byte telling leaf from extension and odd from even."""
    odd = len(nibbles) % 2
    flag = 2 * leaf + odd
    whole = (flag, *nibbles) if odd else (flag, 0, *nibbles)
    return bytes(16 * high + low for high, low in zip(whole[::2], whole[1::2], strict=True))
