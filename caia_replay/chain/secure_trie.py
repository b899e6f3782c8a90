"""The Merkle-Patricia trie of a chain's state, where it differs from one a node holds, and the root of a list.

A path is the 64 hex digits of the Keccak-256 of a key: an address in the state's trie, a slot in a
contract's. A leaf is the RLP of what the key holds. Equal roots mean equal leaves, so a root that
was rebuilt from known leaves proves that there are no others.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from eth_hash.auto import keccak

from caia_replay.chain.raw_transaction import rlp_encode, rlp_prefix, shortest

_NOTHING: Final = b"\x80"
"""What a parent holds where no leaf is: the RLP of no bytes."""

EMPTY_TRIE: Final = bytes(keccak(_NOTHING))
"""The root of a trie without leaves."""


def path_of(key: bytes) -> str:
    """Where a key's leaf stands."""
    return str(keccak(key).hex())


class SecureTrie:
    """A trie that changes leaf by leaf; only the nodes above changed leaves are hashed again."""

    def __init__(self) -> None:
        self._leaves: dict[str, bytes] = {}
        self._paths: list[str] = []
        self._references: dict[str, bytes] = {}
        self._depth = 0

    def get(self, path: str) -> bytes | None:
        """The leaf at a path, or None."""
        return self._leaves.get(path)

    def put(self, path: str, leaf: bytes | None) -> None:
        """Set the leaf at a path; None takes it away."""
        if self._leaves.get(path) == leaf:
            return
        if leaf is None:
            del self._leaves[path]
            del self._paths[bisect_left(self._paths, path)]
        else:
            if path not in self._leaves:
                insort(self._paths, path)
            self._leaves[path] = leaf
        for depth in range(self._depth + 1):
            self._references.pop(path[:depth], None)

    def root(self) -> bytes:
        """The 32-byte root hash."""
        return bytes(keccak(self._node("", 0, len(self._paths)))) if self._paths else EMPTY_TRIE

    def under(self, prefix: str) -> list[str]:
        """The paths of all leaves that begin with ``prefix``."""
        low, high = self._range(prefix)
        return self._paths[low:high]

    def reference(self, prefix: str) -> bytes:
        """What a parent holds for the leaves under ``prefix``: the RLP of a node's hash, a short node
        itself, or the RLP of nothing."""
        known = self._references.get(prefix)
        if known is None:
            low, high = self._range(prefix)
            node = self._node(prefix, low, high) if low < high else _NOTHING
            known = node if len(node) < 32 else rlp_encode(keccak(node))
            self._references[prefix] = known
            self._depth = max(self._depth, len(prefix))
        return known

    def _range(self, prefix: str) -> tuple[int, int]:
        return bisect_left(self._paths, prefix), bisect_left(self._paths, prefix + "g")

    def _node(self, prefix: str, low: int, high: int) -> bytes:
        """The node that holds paths ``low`` to ``high``, of which ``prefix`` is spent."""
        first, depth = self._paths[low], len(prefix)
        if high - low == 1:
            return _listed(rlp_encode(_packed(first[depth:], True)) + rlp_encode(self._leaves[first]))
        last, shared = self._paths[high - 1], depth
        while first[shared] == last[shared]:
            shared += 1
        if shared > depth:
            return _listed(rlp_encode(_packed(first[depth:shared], False)) + self.reference(first[:shared]))
        return _listed(b"".join(self.reference(prefix + nibble) for nibble in "0123456789abcdef") + _NOTHING)


def ordered_root(items: Sequence[bytes]) -> bytes:
    """The 32-byte root of the trie that holds each item under the RLP of its index: what a header's transactions
    and withdrawals roots are."""
    trie = SecureTrie()
    for index, item in enumerate(items):
        trie.put(rlp_encode(shortest(index)).hex(), item)
    return trie.root()


@dataclass(slots=True)
class Difference:
    """Where a node's trie is not ours. ``theirs``: the node's leaves there; ``ours``: the paths of our
    leaves there; ``wanted``: prefixes below which nodes are lacking, so that nothing is known yet."""

    theirs: dict[str, bytes] = field(default_factory=dict)
    ours: list[str] = field(default_factory=list)
    wanted: list[str] = field(default_factory=list)

    def changes(self, trie: SecureTrie) -> Iterator[tuple[str, bytes | None]]:
        """Path and the node's leaf, or None, wherever ours is another."""
        for path in sorted({*self.theirs, *self.ours}):
            if trie.get(path) != self.theirs.get(path):
                yield path, self.theirs.get(path)


def difference(trie: SecureTrie, root: bytes, nodes: Mapping[bytes, bytes]) -> Difference:
    """How the trie with ``root`` differs from ``trie``, as far as ``nodes`` (by their hash) tell.

    Raises ``ValueError`` for a node that is none.
    """
    found = Difference()
    _descend(trie, "", _NOTHING if root == EMPTY_TRIE else rlp_encode(root), nodes, found)
    return found


def _descend(trie: SecureTrie, prefix: str, reference: bytes, nodes: Mapping[bytes, bytes], found: Difference) -> None:
    if reference == trie.reference(prefix):
        return
    if reference == _NOTHING:
        found.ours += trie.under(prefix)
        return
    node = reference if reference[0] >= 0xC0 else nodes.get(reference[1:])
    if node is None:
        found.wanted.append(prefix)
        return
    items = list(rlp_items(node))
    if len(items) == 17:
        for nibble, item in zip("0123456789abcdef", items, strict=False):
            _descend(trie, prefix + nibble, item, nodes, found)
        return
    if len(items) != 2:
        raise ValueError(f"a trie node has 2 or 17 items, found {len(items)}")
    packed = rlp_bytes(items[0]).hex()
    path = prefix + packed[1 if packed[:1] in ("1", "3") else 2 :]
    found.ours += [mine for mine in trie.under(prefix) if not mine.startswith(path)]
    if packed[:1] in ("2", "3"):
        found.theirs[path] = rlp_bytes(items[1])
    else:
        _descend(trie, path, items[1], nodes, found)


def account_leaf(nonce: int, balance: int, storage_root: bytes, code_hash: bytes) -> bytes:
    """An account as the state's trie holds it; ``balance`` in wei."""
    return rlp_encode([shortest(nonce), shortest(balance), storage_root, code_hash])


def slot_leaf(value: bytes) -> bytes:
    """A slot's 32 bytes as a contract's trie holds them."""
    return rlp_encode(value.lstrip(b"\0"))


def rlp_items(encoded: bytes) -> Iterator[bytes]:
    """The items of an RLP list, each still encoded. Raises ``ValueError`` when it is no list."""
    at, end = _span(encoded, 0)
    if encoded[:1] < b"\xc0" or end != len(encoded):
        raise ValueError("not an RLP list")
    while at < end:
        _, then = _span(encoded, at)
        yield encoded[at:then]
        at = then


def rlp_bytes(encoded: bytes) -> bytes:
    """The bytes that an RLP item holds. Raises ``ValueError`` when it is not just that."""
    start, end = _span(encoded, 0)
    if encoded[0] >= 0xC0 or end != len(encoded):
        raise ValueError("not RLP bytes")
    return encoded[start:end]


def _span(encoded: bytes, at: int) -> tuple[int, int]:
    """Where the payload of the item at ``at`` begins and ends."""
    if at >= len(encoded):
        raise ValueError("RLP ends early")
    kind = encoded[at]
    if kind < 0x80:
        return at, at + 1
    base = 0xC0 if kind >= 0xC0 else 0x80
    start, length = at + 1, kind - base
    if length > 55:
        start, length = at + 1 + length - 55, int.from_bytes(encoded[at + 1 : at + 1 + length - 55], "big")
    if start + length > len(encoded):
        raise ValueError("RLP ends early")
    return start, start + length


def _listed(body: bytes) -> bytes:
    """The RLP list of items that are encoded already."""
    return rlp_prefix(0xC0, len(body)) + body


def _packed(path: str, leaf: bool) -> bytes:
    """Nibbles as bytes, the first half-byte telling leaf from extension and odd from even."""
    odd = len(path) % 2
    return bytes.fromhex(f"{2 * leaf + odd}{'' if odd else '0'}{path}")
