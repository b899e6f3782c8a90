"""Roots of lists and states, and what differs between two of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import pytest
from eth_hash.auto import keccak
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.chain import secure_trie
from caia_replay.chain.column import to_hex, word
from caia_replay.chain.raw_transaction import raw_transaction, rlp_encode
from caia_replay.chain.rpc_connection import RpcConnection
from caia_replay.chain.secure_trie import (
    EMPTY_TRIE,
    SecureTrie,
    account_leaf,
    difference,
    ordered_root,
    path_of,
    rlp_bytes,
    rlp_items,
    slot_leaf,
)


def test_the_root_of_nothing_is_the_known_one() -> None:
    """The empty trie's root, which empty blocks carry."""
    assert ordered_root([]).hex() == "56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"


def test_roots_agree_with_a_node_at_every_size(living: Living) -> None:
    """Blocks of 0 to 20, and of 127 to 130 transactions, where index keys grow to two bytes."""
    rpc = living("--hardfork", "cancun", "--order", "fifo", "--no-mining")
    sender = rpc.demand("eth_accounts")[0]
    for size in (*range(21), 127, 128, 129, 130):
        for _ in range(size):
            rpc.demand("eth_sendTransaction", [{"from": sender, "to": sender, "gas": "0x5208"}])
        rpc.demand("evm_mine")
        block = rpc.demand("eth_getBlockByNumber", ["latest", True])
        assert len(block["transactions"]) == size
        raws = [raw_transaction(transaction) for transaction in block["transactions"]]
        assert "0x" + ordered_root(raws).hex() == block["transactionsRoot"], size


@given(st.lists(st.binary(max_size=40), min_size=2, max_size=40), st.data())
def test_order_counts(items: list[bytes], data: st.DataObject) -> None:
    """Two unlike items changed about give another root."""
    at = data.draw(st.integers(0, len(items) - 2))
    swapped = [*items[:at], items[at + 1], items[at], *items[at + 2 :]]
    assert (ordered_root(swapped) == ordered_root(items)) == (swapped == items)


Living = Callable[..., RpcConnection]
# Few first bytes and a long common middle make branches, extensions and leaves at every depth.
PATHS = st.builds(
    lambda head, shared, tail: head.hex() + "ab" * shared + tail.hex() + "00" * (28 - shared),
    st.binary(min_size=2, max_size=2).map(lambda data: bytes(byte & 0x11 for byte in data)),
    st.integers(0, 28),
    st.binary(min_size=2, max_size=2),
)
LEAVES = st.dictionaries(PATHS, st.binary(min_size=1, max_size=40), max_size=30)


def trie_of(leaves: Mapping[str, bytes]) -> SecureTrie:
    trie = SecureTrie()
    for path, leaf in leaves.items():
        trie.put(path, leaf)
    return trie


def nodes_of(leaves: Mapping[str, bytes]) -> tuple[bytes, dict[bytes, bytes]]:
    """The root, and every node that was hashed on the way to it."""
    nodes: dict[bytes, bytes] = {}

    def noting(data: bytes) -> bytes:
        nodes[bytes(keccak(data))] = data
        return bytes(keccak(data))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secure_trie, "keccak", noting)
        return trie_of(leaves).root(), nodes


@given(LEAVES, LEAVES, st.randoms(use_true_random=False))
def test_a_root_depends_on_the_leaves_alone(kept: dict[str, bytes], gone: dict[str, bytes], rng: random.Random) -> None:
    """Not on their order, nor on leaves that were there, changed or taken away between two roots."""
    trie = trie_of(gone)
    trie.root()
    for path in rng.sample(sorted({*gone, *kept}), len({*gone, *kept})):
        trie.put(path, kept.get(path))
        if rng.random() < 0.2:
            trie.root()
    assert trie.root() == trie_of(kept).root()
    assert (trie.root() == EMPTY_TRIE) == (not kept)
    other = {**kept, "f" * 64: b"more"}
    assert trie_of(other).root() != trie.root()


@given(LEAVES, LEAVES)
def test_a_difference_is_exactly_what_makes_two_tries_equal(ours: dict[str, bytes], theirs: dict[str, bytes]) -> None:
    """With all of the other's nodes: the changed, added and lost leaves, and no other."""
    root, nodes = nodes_of(theirs)
    trie = trie_of(ours)
    found = difference(trie, root, nodes)
    assert found.wanted == []
    changes = list(found.changes(trie))
    wanted = {path: theirs.get(path) for path in {*ours, *theirs} if ours.get(path) != theirs.get(path)}
    assert dict(changes) == wanted and len(changes) == len(wanted)
    for path, leaf in changes:
        trie.put(path, leaf)
    assert trie.root() == root


@given(LEAVES, LEAVES.filter(bool))
def test_what_lacks_is_asked_for(ours: dict[str, bytes], theirs: dict[str, bytes]) -> None:
    """Without the other's nodes nothing is concluded: the root itself is wanted, until it is equal."""
    root, _ = nodes_of(theirs)
    found = difference(trie_of(ours), root, {})
    assert found.wanted == ([] if ours == theirs else [""])
    assert (found.theirs, found.ours) == ({}, [])


@given(st.recursive(st.binary(max_size=70), lambda inner: st.lists(inner, max_size=20)).filter(lambda i: i != b""))
def test_items_of_a_list_are_found_again(item: bytes | list[object]) -> None:
    """The encoder's lists, item by item; and cut ones are refused."""
    encoded = rlp_encode(item)
    if isinstance(item, bytes):
        assert rlp_bytes(encoded) == item
        return
    assert list(rlp_items(encoded)) == [rlp_encode(inner) for inner in item]  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="RLP"):
        list(rlp_items(encoded[:-1]))


def test_what_is_no_list_or_node_is_refused() -> None:
    """Bytes, lists that end early or too late, and three items under the root's hash."""
    for data in [b"", b"\x80", b"\xc1", b"\xc1\x80\x80", b"\xf8", b"\xc2\x82\x01"]:
        with pytest.raises(ValueError, match="RLP"):
            list(rlp_items(data))
    node = rlp_encode([b"1", b"2", b"3"])
    with pytest.raises(ValueError, match="2 or 17"):
        difference(SecureTrie(), bytes(keccak(node)), {bytes(keccak(node)): node})


def test_roots_agree_with_a_node(living: Living) -> None:
    """A contract's storage at every size up to forty slots, and the whole state around it."""
    rpc = living("--hardfork", "cancun", "--accounts", "0", "--no-mining")
    rng, storage = random.Random(5), SecureTrie()
    address = b"\x77" * 20
    rpc.demand("anvil_setBalance", [to_hex(address), "0x7"])
    for size in range(40):
        slot, value = word(rng.getrandbits(256)), word(rng.getrandbits(rng.choice([1, 8, 256])) or 1)
        rpc.demand("anvil_setStorageAt", [to_hex(address), to_hex(slot), to_hex(value)])
        storage.put(path_of(slot), slot_leaf(value))
        proof = rpc.demand("eth_getProof", [to_hex(address), [], "latest"])
        assert proof["storageHash"] == to_hex(storage.root()), size
    leaf = account_leaf(0, 7, storage.root(), keccak(b""))
    path = path_of(address)
    last = bytes.fromhex(proof["accountProof"][-1][2:])
    assert rlp_bytes(list(rlp_items(last))[1]) == leaf
    assert path.endswith(rlp_bytes(next(rlp_items(last))).hex()[2:])
