"""A local archive chain, whole, as a snapshot: blocks, transactions, receipts, logs and state history.

Every block is traced with ``prestateTracer``. A trace says what a block touched and what it found;
the touched accounts and slots are then read at the end of that same block. Values are read, not
taken from ``diffMode``, which leaves out zeroed slots and unchanged fields in ways that differ
between nodes. ``origin_state`` joins both into intervals and refuses a chain that was edited with
cheat methods between two touches. Fees to the coinbase are state like any other: the tracer lists
the coinbase of every transaction. A contract that dies loses slots no trace names, so all of its known
slots are read again then, and of the others nothing is claimed before that block.

Of state, what the manifest claims is what ``state_proof`` proves: at every height a state trie of the
captured rows is compared with the root of the node's own. On a node that was born with nothing but what
is asked for here (its own accounts and the usual system contracts, which are kept when they hold
anything), accounts and storage are complete at all heights, and a key that no row names is empty. Where
the node holds an account or a slot that nothing named, the table or the contract stays partial, and
asking is a miss. The zero address is always kept: a call that names no sender runs as it. At the end
every key is read again at block 0 and at the head, where its first and last value must hold, and a
fixed sample of rows in the middle of their intervals.

From Prague on, the protocol writes each parent's hash to the EIP-2935 contract without a
transaction; those slots are followed too, some way past the head, because a fork that mines needs
them even where storage is not complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from caia_replay.chain import rpc_value
from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.column import to_hex
from caia_replay.chain.prestate_merge import SlotKey, merge_prestate
from caia_replay.chain.recorded_block import RecordedBlock, read_traces
from caia_replay.chain.snapshot_schema import (
    AccountRow,
    SnapshotInfo,
    SnapshotRows,
    StorageRow,
    write_snapshot,
)
from caia_replay.chain.state_row import EMPTY_CODE_HASH
from caia_replay.chain.system_contract import (
    BEACON_ROOTS,
    BLOCK_HASHES,
    CHANGED_AFTER_TRANSACTIONS,
    RING,
    SYSTEM_CALLER,
    block_hash_slot,
)
from caia_replay.errors import BadInput
from caia_replay.recording.origin_node import OriginNode, OriginRefusal
from caia_replay.recording.origin_state import AccountState, OriginState, StateHistory
from caia_replay.recording.state_proof import Touches, prove_state

_BLOCKS_AT_ONCE: Final = 16
_SAMPLE: Final = 400
"""Rows compared with the origin in the middle of their interval."""

_MINED_PAST_HEAD: Final = 256
"""How many blocks a fork of the head can mine under Prague's rules before it misses a slot."""

_BORN: Final = (BEACON_ROOTS, BLOCK_HASHES, bytes.fromhex("4e59b44847b379578588920ca78fbf26c0b4956c"))
"""Contracts that devnets put into their genesis; the last deploys others with CREATE2 (Arachnid)."""

_WRITES_BLOCK_HASHES: Final = ("prague", "osaka")


def capture_archive(
    rpc_url: str,
    out: Path,
    *,
    chain: str,
    hardfork: str,
    provenance: Literal["synthetic", "imported", "live"],
    source: str,
    to_block: int | None = None,
    claim_state: bool = True,
    born: Sequence[str] = (),
    progress: Callable[[int, int], None] = lambda done, whole: None,
) -> None:
    """Write snapshot ``out`` of the node at ``rpc_url``, blocks 0 to ``to_block`` or its head.

    ``claim_state=False`` leaves accounts and storage partial whatever is proven of them, so that what
    no transaction touched is a miss, as it is on a chain that nobody could record whole. ``progress`` is
    called with how many blocks are read and how many there are.

    ``born`` are accounts of the genesis that no transaction need have touched; without them the state is not whole.

    The node must keep all states (Anvil does unless it is told to prune) and trace them. Raises
    ``BadInput`` when it refuses, answers malformed, or ``out`` exists; ``CheckFailed`` when its
    state does not follow from its transactions or a sampled row differs.
    """
    if out.exists():
        raise BadInput("a snapshot is never written over", where=out, next_command=f"remove {out} first")
    if rpc_url in source:
        raise BadInput("the source must not name the RPC address")
    with OriginNode(rpc_url) as node:
        chain_id = rpc_value.quantity({"chainId": node.ask("eth_chainId")}, "chainId", "origin node")
        tip = rpc_value.quantity({"head": node.ask("eth_blockNumber")}, "head", "origin node")
        head = tip if to_block is None else to_block
        if not 0 <= head <= tip:
            raise BadInput(f"block {head} is not on the origin, which has blocks 0 to {tip}")
        walk = _Walk(node, head, progress, [rpc_value.address_key(address, "born") for address in born])
        walk.run(hardfork in _WRITES_BLOCK_HASHES)
        walk.verify()
        proven = walk.prove() if claim_state else []
    whole = (Claim(name, 0, head) for name in ("blocks", "transactions", "receipts", "logs"))
    info = SnapshotInfo(
        chain=chain,
        chain_id=chain_id,
        hardforks={0: hardfork},
        heights=((0, head),),
        provenance=provenance,
        source=source,
        claims=Claims.of((*whole, *proven)),
    )
    write_snapshot(out, info, walk.rows)


class _Walk:
    """One pass over the origin's blocks, in order."""

    def __init__(
        self, node: OriginNode, head: int, progress: Callable[[int, int], None], born: Sequence[bytes]
    ) -> None:
        self.rows = SnapshotRows()
        self.accounts: StateHistory[bytes, AccountState] = StateHistory("account")
        self.slots: StateHistory[SlotKey, bytes] = StateHistory("slot")
        self._node = node
        self._head = head
        self._progress = progress
        self._born = born
        self._state_of = OriginState(node)
        self._touches: dict[int, Touches] = {}
        self._last_hash: str | None = None
        self._wiped: dict[bytes, int] = {}

    def run(self, writes_block_hashes: bool) -> None:
        """Read and trace every block, then turn the histories into rows."""
        for start in range(0, self._head + 1, _BLOCKS_AT_ONCE):
            numbers = range(start, min(start + _BLOCKS_AT_ONCE, self._head + 1))
            blocks = self._node.ask_all([("eth_getBlockByNumber", (hex(number), True)) for number in numbers])
            receipts = self._node.ask_all([("eth_getBlockReceipts", (hex(number),)) for number in numbers])
            for number, block, given in zip(numbers, blocks, receipts, strict=True):
                self._block(number, block, given)
            self._progress(numbers.stop, self._head + 1)
        self._know([bytes(20)])
        self._know_genesis()
        if writes_block_hashes and self._head > 0:
            self._follow_block_hashes()
        self.rows.accounts = [
            AccountRow(address, first, last, *state)
            for address, first, last, state in self.accounts.intervals(self._head)
        ]
        self.rows.storage = [
            StorageRow(*key, first, last, value) for key, first, last, value in self.slots.intervals(self._head)
        ]
        self.rows.codes = self._state_of.codes()

    def verify(self) -> None:
        """Compare rows with the origin: at both ends of the chain all of them, and a fixed sample in
        the middle of their intervals. Raises ``CheckFailed``."""
        self._state_of.compare([(row, 0) for row in self._all_rows() if row.from_block == 0])
        self._state_of.compare([(row, self._head) for row in self._all_rows() if row.to_block == self._head])
        rows = sorted(self._all_rows(), key=lambda row: (row.address, _slot(row), row.from_block))
        step = max(1, len(rows) // _SAMPLE)
        self._state_of.compare([(row, (row.from_block + row.to_block) // 2) for row in rows[::step]])

    def prove(self) -> list[Claim]:
        """What the rows of state lack nothing of."""
        return prove_state(self._node, self._head, self.rows.accounts, self.rows.storage, self._touches)

    def _all_rows(self) -> Iterator[AccountRow | StorageRow]:
        yield from self.rows.accounts
        yield from self.rows.storage

    def _block(self, number: int, block: Any, receipts: Any) -> None:
        where = f"origin node, block {number}"
        rpc = rpc_value.mapping(block, "the block", where)
        header = {name: value for name, value in rpc.items() if name != "transactions"}
        if self._last_hash is not None and header.get("parentHash") != self._last_hash:
            raise BadInput("its parent is not the block before it: the origin changed while it was read", where=where)
        self._last_hash = header.get("hash")
        transactions = rpc_value.sequence(rpc.get("transactions"), "transactions", where)
        given = [rpc_value.mapping(r, "a receipt", where) for r in rpc_value.sequence(receipts, "receipts", where)]
        if [receipt.get("transactionHash") for receipt in given] != [item.get("hash") for item in transactions]:
            raise BadInput("its receipts are not those of its transactions", where=where)
        self.rows.blocks.append(header)
        self.rows.transactions += transactions
        for receipt in given:
            self.rows.receipts.append({name: value for name, value in receipt.items() if name != "logs"})
            self.rows.logs += rpc_value.sequence(receipt.get("logs"), "logs", where)
        if transactions:
            self._state(number, header, transactions)

    def _state(self, number: int, header: Mapping[str, Any], transactions: Sequence[Any]) -> None:
        reply = self._node.ask("debug_traceBlockByNumber", hex(number), {"tracer": "prestateTracer"})
        traces = read_traces(reply, transactions, f"origin node, traces of block {number}")
        before = merge_prestate(RecordedBlock(number, header, tuple(transactions), (), traces, {}))
        for address, touched in before.accounts.items():
            state = (touched.balance, touched.nonce, self._state_of.code_hash(touched.code))
            self.accounts.found(address, number, state, to_hex(address))
        for key, value in before.storage.items():
            self.slots.found(key, number, value, _slot_words(key), self._wiped.get(key[0], 0))
        self._touches[number] = Touches(frozenset(before.accounts), frozenset(before.seen))
        addresses = sorted(before.accounts)
        wiped = set(before.died)
        for address, state in zip(addresses, self._state_of.accounts(addresses, number), strict=True):
            self.accounts.left(address, number, state)
            if before.accounts[address].code and state[2] == EMPTY_CODE_HASH:
                wiped.add(address)
        keys = sorted(before.seen | {key for key in self.slots if key[0] in wiped})
        self._wiped |= dict.fromkeys(wiped, number)
        for key, value in zip(keys, self._state_of.slots(keys, number), strict=True):
            self.slots.left(key, number, value)

    def _know(self, addresses: Sequence[bytes]) -> None:
        """Accounts that are read without a transaction: untouched so far, so the same at every height."""
        for address, state in zip(addresses, self._state_of.accounts(addresses, self._head), strict=True):
            if address not in self.accounts:
                self.accounts.found(address, self._head + 1, state, to_hex(address))

    def _know_genesis(self) -> None:
        """Accounts that a node is born with and no transaction needed. Without them the state is not whole."""
        try:
            own = self._node.ask("eth_accounts")
        except OriginRefusal:
            own = []
        where = "origin node, eth_accounts"
        asked = {rpc_value.address_key(address, where) for address in rpc_value.sequence(own, "accounts", where)}
        addresses = sorted({*asked, *self._born, *_BORN, *CHANGED_AFTER_TRANSACTIONS})
        first, last = (self._state_of.accounts(addresses, number) for number in (0, self._head))
        born = zip(addresses, first, last, strict=True)
        self._know([address for address, early, late in born if early == late != (0, 0, EMPTY_CODE_HASH)])

    def _follow_block_hashes(self) -> None:
        """What the protocol alone writes: each slot of the ring once, at the block after its own."""
        self._know([BLOCK_HASHES, SYSTEM_CALLER])
        first = {block_hash_slot(number): number for number in range(self._head + _MINED_PAST_HEAD, 0, -1)}
        for slot, number in sorted(first.items(), key=lambda item: item[1]):
            key = (BLOCK_HASHES, slot)
            if key in self.slots:
                continue
            self.slots.found(key, number, self._state_of.slots([key], min(number - 1, self._head))[0], _slot_words(key))
            for written in range(number, self._head + 1, RING):
                self.slots.left(key, written, self._state_of.slots([key], written)[0])


def _slot(row: AccountRow | StorageRow) -> bytes:
    return row.slot if isinstance(row, StorageRow) else b""


def _slot_words(key: SlotKey) -> str:
    return f"{to_hex(key[0])} {to_hex(key[1])}"
