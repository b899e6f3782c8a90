"""Proof that captured rows are a chain's whole state, height by height.

The rows of a height are put into a state trie of our own. When its root is the root of the trie the
node answers from at that height (the first node of any ``eth_getProof``, hashed here), no other
account and no other slot holds anything: what no row names is provably empty. A proof without nodes has
no root, unless the header says that the state is empty. Every height is compared, so nothing is
concluded from traces about what happened in between.

Anvil's tries also hold leaves that say nothing: accounts that were touched and are empty, slots that
were used and are zero. Those that were traced are expected; where the roots still differ, the two
tries are walked along their differing nodes, each node believed by its hash, and every other leaf is
looked at: one that says nothing is noted, one that holds something is a key nobody named. While an
account is unknown, the accounts are not complete; while a contract has an unknown slot, its storage
is not. A height at which known values differ, or which cannot be walked, proves nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from eth_hash.auto import keccak

from caia_replay.chain import rpc_value
from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.column import to_hex
from caia_replay.chain.prestate_merge import SlotKey
from caia_replay.chain.secure_trie import (
    EMPTY_TRIE,
    Difference,
    SecureTrie,
    account_leaf,
    difference,
    rlp_bytes,
    rlp_items,
    slot_leaf,
)
from caia_replay.chain.snapshot_schema import AccountRow, StorageRow
from caia_replay.chain.state_row import EMPTY_CODE_HASH
from caia_replay.recording.origin_node import Call, OriginNode, OriginRefusal
from caia_replay.recording.trie_key import Guesses, TrieKeys

_MOST_PROOFS: Final = 20_000
"""How many paths of tries may be asked for in all; a chain whose state is not known needs no end of them."""

_EMPTY_ACCOUNT: Final = (0, 0, EMPTY_TRIE, EMPTY_CODE_HASH)
_ZERO_SLOT: Final = slot_leaf(bytes(32))


class _Unproven(Exception):
    """This height proves nothing."""


@dataclass(slots=True)
class Touches:
    """What the traces of one block named: accounts and slots that exist in the node's tries from then
    on, whatever they hold."""

    accounts: Collection[bytes] = ()
    slots: Collection[SlotKey] = ()


def prove_state(
    node: OriginNode,
    head: int,
    accounts: Sequence[AccountRow],
    storage: Sequence[StorageRow],
    touches: Mapping[int, Touches],
) -> list[Claim]:
    """What rows of blocks 0 to ``head`` are complete for. A node without ``eth_getProof`` proves nothing."""
    try:
        roots = _roots(node, head)
    except OriginRefusal:
        return []
    tries, claims = _Tries(node, accounts, storage), list[Claim]()
    for height, root in enumerate(roots):
        try:
            tries.go_to(height, touches.get(height, Touches()), root)
            claims += tries.claims(height)
        except _Unproven:
            pass
    return _together(Claims.of(claims))


class _Tries:
    """Our trie of the state and one per contract, at one height after the other."""

    def __init__(self, node: OriginNode, accounts: Iterable[AccountRow], storage: Iterable[StorageRow]) -> None:
        self._asked = 0
        self._node = node
        self._begin: defaultdict[int, list[AccountRow | StorageRow]] = defaultdict(list)
        self._end: defaultdict[int, list[AccountRow | StorageRow]] = defaultdict(list)
        self._contracts: set[bytes] = set()
        guesses = Guesses(32)
        self._addresses = TrieKeys(Guesses(20))
        self._slots: defaultdict[bytes, TrieKeys] = defaultdict(lambda: TrieKeys(guesses))
        rows: list[AccountRow | StorageRow] = [*accounts, *storage]
        for row in rows:
            self._begin[row.from_block].append(row)
            self._end[row.to_block].append(row)
            if isinstance(row, AccountRow):
                self._addresses.path(row.address)
                if row.code_hash != EMPTY_CODE_HASH:
                    self._contracts.add(row.address)
            else:
                self._slots[row.address].path(row.slot)
        self._state = SecureTrie()
        self._storage: defaultdict[bytes, SecureTrie] = defaultdict(SecureTrie)
        self._accounts: dict[bytes, AccountRow] = {}
        self._values: dict[SlotKey, bytes] = {}
        self._there: set[bytes | SlotKey] = set()
        self._unknown: set[str] = set()
        self._unknown_slots: defaultdict[bytes, set[str]] = defaultdict(set)
        self._nodes: dict[bytes, bytes] = {}
        self._height = 0

    def go_to(self, height: int, touches: Touches, root: bytes | None) -> None:
        """Change what changes at ``height``, and look into every difference. Raises ``_Unproven``, always
        when the node told no root (None)."""
        self._height = height
        self._there.update(touches.accounts)
        self._there.update(touches.slots)
        changed: set[bytes] = set(touches.accounts)
        keys: set[SlotKey] = set(touches.slots)
        # A row that ended is gone: where no other follows, its key is unknown and not as it was.
        for row in self._end.pop(height - 1, ()):
            changed.add(row.address)
            if isinstance(row, AccountRow):
                del self._accounts[row.address]
            else:
                keys.add((row.address, row.slot))
                del self._values[row.address, row.slot]
        for row in self._begin.pop(height, ()):
            changed.add(row.address)
            if isinstance(row, AccountRow):
                self._accounts[row.address] = row
            else:
                keys.add((row.address, row.slot))
                self._values[row.address, row.slot] = row.value
        for key in keys:
            self._put_slot(key)
            changed.add(key[0])
        for address in changed:
            self._put_account(address)
        if root is None:
            raise _Unproven
        if self._state.root() != root:
            self._look_into(root)
            if self._state.root() != root:
                raise _Unproven

    def claims(self, height: int) -> Iterator[Claim]:
        """What is complete at ``height``, whose roots agree."""
        if not self._unknown:
            yield Claim("accounts", height, height)
        odd = {address for address, paths in self._unknown_slots.items() if paths}
        if not self._unknown and not odd:
            yield Claim("storage", height, height)
            return
        # Before its birth and after its death a contract has a leaf that says so, or none.
        for address in self._contracts - odd:
            if self._addresses.path(address) in self._unknown:
                continue
            yield Claim("storage", height, height, frozenset((address,)))

    def _put_slot(self, key: SlotKey) -> None:
        value, path = self._values.get(key, bytes(32)), self._slots[key[0]].path(key[1])
        held = key in self._there or any(value)
        self._storage[key[0]].put(path, slot_leaf(value) if held else None)
        self._unknown_slots[key[0]].discard(path)

    def _put_account(self, address: bytes) -> None:
        row = self._accounts.get(address)
        state = _EMPTY_ACCOUNT if row is None else (row.nonce, row.balance, self._storage_root(address), row.code_hash)
        held = address in self._there or state != _EMPTY_ACCOUNT
        path = self._addresses.path(address)
        self._state.put(path, account_leaf(*state) if held else None)
        self._unknown.discard(path)

    def _storage_root(self, address: bytes) -> bytes:
        return self._storage[address].root() if address in self._storage else EMPTY_TRIE

    def _look_into(self, root: bytes) -> None:
        found = self._difference(self._state, root, self._addresses, None)
        for path, theirs in found.changes(self._state):
            address = self._addresses.known(path)
            state = _EMPTY_ACCOUNT if theirs is None else _account(theirs)
            if address is None or address not in self._accounts:
                self._unknown.discard(path)
                if state != _EMPTY_ACCOUNT:
                    self._unknown.add(path)
                self._state.put(path, theirs)
                continue
            (self._there.discard if theirs is None else self._there.add)(address)
            if state[2] != self._storage_root(address):
                self._look_into_storage(address, state[2])
            self._put_account(address)

    def _look_into_storage(self, address: bytes, root: bytes) -> None:
        trie, slots, unknown = self._storage[address], self._slots[address], self._unknown_slots[address]
        for path, theirs in self._difference(trie, root, slots, address).changes(trie):
            slot = slots.known(path)
            if slot is None or (address, slot) not in self._values:
                unknown.discard(path)
                if theirs not in (None, _ZERO_SLOT):
                    unknown.add(path)
                trie.put(path, theirs)
                continue
            (self._there.discard if theirs is None else self._there.add)((address, slot))
            self._put_slot((address, slot))

    def _difference(self, trie: SecureTrie, root: bytes, known: TrieKeys, account: bytes | None) -> Difference:
        """The difference from the node's trie: of the state, or of an account's storage."""
        while True:
            try:
                found = difference(trie, root, self._nodes)
            except ValueError as fault:
                raise _Unproven from fault
            if not found.wanted:
                return found
            self._asked += len(found.wanted)
            if self._asked > _MOST_PROOFS:
                raise _Unproven
            keys = [key for prefix in found.wanted if (key := known.below(prefix)) is not None]
            before = len(self._nodes)
            for proof in self._proofs(keys, account):
                self._nodes |= {bytes(keccak(encoded)): encoded for encoded in proof}
            if len(self._nodes) == before:
                raise _Unproven  # the node's proofs do not lead to its root

    def _proofs(self, keys: Sequence[bytes], account: bytes | None) -> Iterator[list[bytes]]:
        where = f"origin node, proof at block {self._height}"
        if account is None:
            for reply in self._node.ask_all([_question(key, (), self._height) for key in keys]):
                yield _nodes(rpc_value.mapping(reply, "a proof", where), "accountProof", where)
            return
        reply = rpc_value.mapping(self._node.ask_all([_question(account, keys, self._height)])[0], "a proof", where)
        for item in rpc_value.sequence(reply.get("storageProof"), "storageProof", where):
            yield _nodes(rpc_value.mapping(item, "a slot's proof", where), "proof", where)


def _together(claims: Iterable[Claim]) -> list[Claim]:
    """One claim for all the contracts of which the same is claimed."""
    addresses: defaultdict[tuple[str, int, int, bool], set[bytes]] = defaultdict(set)
    for claim in claims:
        addresses[claim.table, claim.first, claim.last, bool(claim.addresses)] |= claim.addresses
    return [Claim(table, first, last, frozenset(found)) for (table, first, last, _), found in addresses.items()]


def _roots(node: OriginNode, head: int) -> list[bytes | None]:
    """The root of the state the node answers from, at each height; None where it told none."""
    replies = node.ask_all([_question(bytes(20), (), height) for height in range(head + 1)])
    roots: list[bytes | None] = []
    empty = []
    for height, reply in enumerate(replies):
        where = f"origin node, proof at block {height}"
        proof = _nodes(rpc_value.mapping(reply, "a proof", where), "accountProof", where)
        roots.append(bytes(keccak(proof[0])) if proof else None)
        if roots[height] in (None, EMPTY_TRIE):
            empty.append(height)
    # A node that leaves its proofs out would make every state the empty one: its header must say so too.
    headers = node.ask_all([("eth_getBlockByNumber", (hex(height), False)) for height in empty])
    for height, header in zip(empty, headers, strict=True):
        value = isinstance(header, Mapping) and header.get("stateRoot") == to_hex(EMPTY_TRIE)
        roots[height] = EMPTY_TRIE if value else None
    return roots


def _question(account: bytes, slots: Sequence[bytes], height: int) -> Call:
    return "eth_getProof", (to_hex(account), [to_hex(slot) for slot in slots], hex(height))


def _nodes(rpc: Mapping[str, Any], name: str, where: str) -> list[bytes]:
    items = rpc_value.sequence(rpc.get(name), name, where)
    return [rpc_value.data({name: item}, name, where) for item in items]


def _account(leaf: bytes) -> tuple[int, int, bytes, bytes]:
    """Nonce, balance, storage root and code hash."""
    try:
        nonce, balance, storage_root, code_hash = map(rlp_bytes, rlp_items(leaf))
    except ValueError as fault:
        raise _Unproven from fault
    return int.from_bytes(nonce, "big"), int.from_bytes(balance, "big"), storage_root, code_hash
