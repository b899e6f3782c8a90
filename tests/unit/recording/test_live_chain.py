"""A living chain under a fork: it answers as its node does, and what it kept answers as it did."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from caia_replay.chain.claim import Claims, spans_of
from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.node_answer import answer
from caia_replay.chain.recorded_question import recorded_question
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotInfo, write_snapshot
from caia_replay.errors import BadInput, Miss
from caia_replay.recording.live_chain import LiveChain
from caia_replay.recording.origin_node import OriginNode
from caia_replay.recording.reply_journal import JournaledNode

PIN = 9


@pytest.fixture
def chain(origin: Any, living_origin: ModuleType, tmp_path: Path) -> Iterator[LiveChain]:
    with (
        OriginNode(f"http://127.0.0.1:{origin.port}") as node,
        JournaledNode(node, tmp_path / "journal", "toy") as journal,
    ):
        yield LiveChain(journal, name="toy", chain_id=living_origin.CHAIN_ID, anchor=PIN)


def questions(origin: Any, living_origin: ModuleType) -> list[tuple[str, list[Any]]]:
    """What a fork and its tools ask, at random blocks up to the pin."""
    chance = random.Random(4)
    found: list[tuple[str, list[Any]]] = []
    for _ in range(60):
        block, other = sorted(chance.choices(range(PIN + 1), k=2))
        address = chance.choice([origin.store, living_origin.SENDER, living_origin.RECEIVER, "0x" + "77" * 20])
        slot = chance.choice(["0x" + living_origin.VALUE_SLOT.hex(), living_origin.EVENT_TEXT, "0x5"])
        found += [
            chance.choice([
                ("eth_getBalance", [address, hex(block)]), ("eth_getTransactionCount", [address, hex(block)]),
                ("eth_getCode", [address, hex(block)]), ("eth_getStorageAt", [origin.store, slot, hex(block)]),
                ("eth_getBlockByNumber", [hex(block), chance.random() < 0.5]),
                ("eth_getTransactionByHash", [chance.choice(origin.hashes[:PIN])]),
                ("eth_getTransactionReceipt", [chance.choice(origin.hashes[:PIN])]),
                ("eth_getBlockReceipts", [hex(block)]),
                ("eth_getLogs", [{"fromBlock": hex(block), "toBlock": hex(other), "address": address}]),
                ("eth_getLogs", [{"fromBlock": hex(block), "toBlock": hex(other),
                                  "topics": [living_origin.EVENT_TEXT]}]),
            ])
        ]  # fmt: skip
    return found


def kept(chain: LiveChain, folder: Path) -> Snapshot:
    heights = spans_of(chain.kept.state_heights | {PIN})
    info = SnapshotInfo("toy", chain.chain_id, {0: "cancun"}, heights, "live", "a test", Claims.of(chain.kept.claims))
    write_snapshot(folder, info, chain.kept.rows())
    return Snapshot.open(folder)


def test_it_answers_as_its_node_and_what_it_kept_answers_as_it_did(
    origin: Any, living_origin: ModuleType, chain: LiveChain, tmp_path: Path
) -> None:
    """Random questions of every kind, through the upstream's own answers, then again from disk."""
    asked = questions(origin, living_origin)
    chain.header(PIN)
    for method, params in asked:
        assert answer(chain, PIN, method, params) == origin.rpc.demand(method, params)
    snapshot = kept(chain, tmp_path / "toy")
    for method, params in asked:
        assert answer(snapshot, PIN, method, params) == origin.rpc.demand(method, params), (method, params)
    assert {method for method, _ in asked} >= {"eth_getLogs", "eth_getBlockReceipts", "eth_getCode"}


def test_a_fork_stands_on_it(origin: Any, living_origin: ModuleType, chain: LiveChain) -> None:
    """A contract call at two heights of a chain nobody recorded, executed by Anvil."""
    call = {"to": origin.store, "data": "0x" + living_origin.VALUE_SLOT[:4].hex()}
    with ForkPool({"toy": chain}) as pool:
        for block, value in ((PIN, origin.value), (2, 0)):
            with pool.lease("toy", block) as fork:
                assert int(fork.rpc("eth_call", [{**call, "from": fork.caller}, "latest"]), 16) == value


def test_what_is_later_than_the_pin_is_not_there_and_not_kept(origin: Any, chain: LiveChain) -> None:
    """A later transaction, receipt and block are misses, by hash too."""
    later = bytes.fromhex(origin.hashes[PIN][2:])
    block_hash = origin.rpc.demand("eth_getBlockByNumber", [hex(PIN + 1), False])["hash"]
    for ask, key in ((chain.transaction, later), (chain.receipt, later),
                     (chain.number_of, bytes.fromhex(block_hash[2:])), (chain.transaction, b"\x01" * 32)):  # fmt: skip
        with pytest.raises(Miss):
            ask(key, PIN)
    assert not chain.kept.transactions and not chain.kept.receipts and not chain.kept.headers
    assert chain.fault is None


def test_traces_and_proofs_are_kept_word_for_word(
    origin: Any, living_origin: ModuleType, chain: LiveChain, tmp_path: Path
) -> None:
    """A trace exists from its transaction's block on, a proof from its own."""
    tracer = {"tracer": "callTracer"}
    trace = recorded_question("debug_traceTransaction", [origin.hashes[4], tracer], PIN)
    proof = recorded_question("eth_getProof", [origin.store, ["0x5"], hex(7)], PIN)
    told = {found.method: chain.reply(found.method, found.text, PIN) for found in (trace, proof)}
    assert told["debug_traceTransaction"] == origin.rpc.demand("debug_traceTransaction", [origin.hashes[4], tracer])
    snapshot = kept(chain, tmp_path / "toy")
    assert snapshot.reply(trace.method, trace.text, PIN) == told["debug_traceTransaction"]
    for found, first in ((trace, 5), (proof, 7)):
        assert snapshot.reply(found.method, found.text, first) == told[found.method]
        with pytest.raises(Miss):
            snapshot.reply(found.method, found.text, first - 1)


def test_a_fault_of_the_node_is_kept_and_ends_all_asking(chain: LiveChain) -> None:
    """The first question misses for the fork, the fault is there to be raised, and nothing is asked after it."""
    chain._reader._node.node._http.close()
    chain._reader._node.node._http.port = 1
    with pytest.raises(Miss):
        chain.account(b"\x01" * 20, 3)
    assert isinstance(chain.fault, BadInput) and "cannot be reached" in str(chain.fault)
    with pytest.raises(Miss, match="failed before"):
        chain.logs(1, 2, LogFilter())


def test_what_is_recorded_is_not_asked_again(origin: Any, chain: LiveChain, tmp_path: Path) -> None:
    """Over an older snapshot only the new goes to the node, and only the new is kept."""
    address = bytes.fromhex(origin.store[2:])
    row = chain.account(address, PIN)
    chain.header(PIN)
    journal = chain._reader._node
    again = LiveChain(journal, name="toy", chain_id=chain.chain_id, anchor=PIN, base=kept(chain, tmp_path / "toy"))
    asked = journal.asked
    assert again.account(address, PIN) == row and again.header(PIN) == chain.header(PIN)
    assert again.code(row.code_hash) and again.hardfork(PIN) == "cancun"
    assert journal.asked == asked and not again.kept.accounts
    again.account(address, 3)
    assert again.kept.state_heights == {3}
