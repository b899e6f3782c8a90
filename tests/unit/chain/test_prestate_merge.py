"""The state before a block, from what its transactions found."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.chain.column import to_hex, word
from caia_replay.chain.prestate_merge import EMPTY, merge_prestate
from caia_replay.chain.raw_transaction import created_address
from caia_replay.chain.recorded_block import RecordedBlock, Touched

MINER, SENDER, A, B = (bytes([n]) * 20 for n in (1, 2, 3, 4))
CODE = b"\x60"


def block(*traces: dict[bytes, Touched], to: bytes | None = A) -> RecordedBlock:
    """A block whose transactions all go from SENDER to ``to``; every trace has both, and the miner."""
    rich = Touched(9, 1, b"", {})
    whole = tuple({MINER: rich, SENDER: rich, **trace} for trace in traces)
    transactions: tuple[dict[str, Any], ...] = tuple(
        {"from": to_hex(SENDER), "to": None if to is None else to_hex(to), "nonce": hex(n)} for n in range(len(traces))
    )
    return RecordedBlock(7, {"miner": to_hex(MINER)}, transactions, (), whole, {})


_OPERATION = st.tuples(st.sampled_from([A, B]), st.integers(0, 2), st.integers(0, 3))


@given(
    start=st.dictionaries(_OPERATION.map(lambda o: o[:2]), st.integers(0, 3)), block_of=st.lists(st.lists(_OPERATION))
)
def test_merging_undoes_execution(start: dict[tuple[bytes, int], int], block_of: list[list[Any]]) -> None:
    """Whatever transactions write, the merge gives every touched slot its value before the block."""
    state, traces = dict(start), []
    for operations in block_of:
        trace: dict[bytes, dict[bytes, bytes]] = {A: {}, B: {}}
        for address, slot, _ in operations:
            trace[address][word(slot)] = word(state.get((address, slot), 0))
        traces.append({address: Touched(0, 1, CODE, slots) for address, slots in trace.items()})
        state |= {(address, slot): value for address, slot, value in operations}
    merged = merge_prestate(block(*traces))
    touched = {(address, slot) for operations in block_of for address, slot, _ in operations}
    assert merged.storage == {(a, word(s)): word(start.get((a, s), 0)) for a, s in touched}
    assert merged.seen == merged.storage.keys()


def test_the_first_sight_of_an_account_counts() -> None:
    """Later balances, nonces and codes are the block's own doing."""
    first, later = Touched(5, 1, CODE, {}), Touched(6, 2, CODE, {})
    assert merge_prestate(block({A: first}, {A: later})).accounts[A] == first


def test_what_a_trace_must_touch_and_leaves_out_was_empty() -> None:
    """Recipient, created contract and coinbase; a later sight does not overrule it."""
    born = created_address(SENDER, 0)
    merged = merge_prestate(block({}, {born: Touched(0, 1, CODE, {word(1): word(7)})}, to=None))
    assert merged.accounts[born] == EMPTY
    assert merged.storage == {(born, word(1)): word(0)}
    assert merge_prestate(block({})).accounts[A] == EMPTY
    gone = block({})
    gone = RecordedBlock(7, gone.header, gone.transactions, (), ({A: Touched(1, 0, b"", {})},), {})
    assert merge_prestate(gone).accounts[MINER] == EMPTY


def test_an_account_that_may_have_storage_is_not_taken_for_newborn() -> None:
    """A nonce without code (a delegating account) proves nothing about slots: what was found counts."""
    seen = {A: Touched(1, 3, b"", {word(1): word(7)})}
    assert merge_prestate(block(seen)).storage == {(A, word(1)): word(7)}


def test_slots_first_seen_after_a_death_are_unknown() -> None:
    """A slot seen before it keeps its value; one seen only afterwards is seen but not known."""
    alive = Touched(0, 1, CODE, {word(1): word(7)})
    dead = Touched(0, 0, b"", {word(2): word(0)})
    merged = merge_prestate(block({A: alive}, {A: dead}))
    assert merged.storage == {(A, word(1)): word(7)}
    assert merged.seen == {(A, word(1)), (A, word(2))} and merged.died == {A}


def test_slots_the_protocol_wrote_are_unknown() -> None:
    """They are found with this block's value."""
    merged = merge_prestate(block({A: Touched(0, 1, CODE, {word(1): word(7), word(2): word(8)})}), {(A, word(1))})
    assert merged.storage == {(A, word(2)): word(8)} and len(merged.seen) == 2
