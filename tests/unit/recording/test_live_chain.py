"""A living chain under a fork: asked once, kept in a journal and as rows, and answering then as it did."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from caia_replay.chain.claim import Claims, spans_of
from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.node_answer import answer
from caia_replay.chain.recorded_call import recorded_call
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotInfo, write_snapshot
from caia_replay.errors import BadInput, Miss
from caia_replay.recording.live_chain import LiveChain
from caia_replay.recording.origin_node import OriginNode, OriginRefusal
from caia_replay.recording.origin_reader import OriginReader, OriginRows
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
    """Random questions of every kind, then again from disk; what is later than the pin is neither there nor kept."""
    later = bytes.fromhex(origin.hashes[PIN][2:])
    block_hash = origin.rpc.demand("eth_getBlockByNumber", [hex(PIN + 1), False])["hash"]
    for ask, key in ((chain.transaction, later), (chain.receipt, later),
                     (chain.number_of, bytes.fromhex(block_hash[2:])), (chain.transaction, b"\x01" * 32)):  # fmt: skip
        with pytest.raises(Miss):
            ask(key, PIN)
    assert not chain.kept.transactions and not chain.kept.receipts and not chain.kept.headers
    assert chain.fault is None
    asked = questions(origin, living_origin)
    chain.header(PIN)
    for method, params in asked:
        assert answer(chain, PIN, method, params) == origin.rpc.demand(method, params)
    snapshot = kept(chain, tmp_path / "toy")
    for method, params in asked:
        assert answer(snapshot, PIN, method, params) == origin.rpc.demand(method, params), (method, params)
    assert {method for method, _ in asked} >= {"eth_getLogs", "eth_getBlockReceipts", "eth_getCode"}


def test_traces_and_proofs_are_kept_word_for_word(
    origin: Any, living_origin: ModuleType, chain: LiveChain, tmp_path: Path
) -> None:
    """A trace exists from its transaction's block on, a proof from its own."""
    tracer = {"tracer": "callTracer"}
    trace = recorded_call("debug_traceTransaction", [origin.hashes[4], tracer], PIN)
    proof = recorded_call("eth_getProof", [origin.store, ["0x5"], hex(7)], PIN)
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


@pytest.fixture
def reader(door: Any, tmp_path: Path) -> Iterator[OriginReader]:
    with OriginNode(door.url) as node, JournaledNode(node, tmp_path / "journal", "toy") as journal:
        yield OriginReader(journal, "toy")


def test_logs_too_many_for_the_node_are_asked_in_halves(origin: Any, door: Any, reader: OriginReader) -> None:
    """Whatever a node's largest range, the logs are the same, in order, claimed as one; what is not there is a miss."""
    wanted = origin.rpc.demand("eth_getLogs", [{"fromBlock": "0x1", "toBlock": "0xb"}])
    for most in (1, 2, 3, 100):
        door.most_blocks = most
        assert reader.logs(1, 11, LogFilter()) == wanted and len(wanted) == 9
    door.most_blocks = 0
    with pytest.raises(OriginRefusal):
        reader.logs(2, 11, LogFilter(frozenset([bytes(20)])))
    assert len(reader.kept.claims) == 4
    nothing = b"\x01" * 32
    assert reader.find_header(500) is None
    for asked in (
        lambda: reader.header(500), lambda: reader.transactions(500), lambda: reader.number_of(nothing, 9),
        lambda: reader.transaction(nothing, 9), lambda: reader.receipt(nothing, 9), lambda: reader.code(nothing),
        lambda: reader.receipts(500),
    ):  # fmt: skip
        with pytest.raises(Miss, match="as its origin node knows it"):
            asked()


def test_receipts_are_those_of_the_block(origin: Any, reader: OriginReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """From one question, or one by one where a node has no such method; never another block's."""
    wanted = origin.rpc.demand("eth_getBlockReceipts", ["0x5"])
    assert reader.receipts(5) == wanted
    ask = reader._node.node.ask_all

    def older(calls: Any) -> Any:
        if calls[0][0] == "eth_getBlockReceipts":
            if calls[0][1] == ("0x7",):
                return [wanted]
            raise OriginRefusal("no such method")
        return ask(calls)

    monkeypatch.setattr(reader._node.node, "ask_all", older)
    assert reader.receipts(6) == origin.rpc.demand("eth_getBlockReceipts", ["0x6"])
    with pytest.raises(BadInput, match="not those of the block's transactions"):
        reader.receipts(7)


HASH = "0x" + "11" * 32
LOG: dict[str, Any] = {"blockNumber": "0x5", "logIndex": "0x0", "transactionHash": HASH, "data": "0x01"}


def test_the_fuller_telling_is_kept() -> None:
    """A log with its block's time, before or after the same without; one with two contents is refused."""
    for tellings in ((LOG, {**LOG, "blockTimestamp": "0x7"}), ({**LOG, "blockTimestamp": "0x7"}, LOG)):
        rows = OriginRows()
        for log in tellings:
            rows.add_log(log, "here")
        assert rows.rows().logs == [{**LOG, "blockTimestamp": "0x7"}]
    with pytest.raises(BadInput, match="'data' as '0x01' and then as '0x02': the chain changed"):
        rows.add_log({**LOG, "data": "0x02"}, "here")


class Echo:
    """Stands for a node: answers each call with its own parameters, and counts."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def ask_all(self, calls: Any) -> list[Any]:
        self.asked += calls
        return [{"told": list(params)} for _, params in calls]


def opened(path: Path, owner: str = "toy 1") -> tuple[Echo, JournaledNode]:
    echo = Echo()
    return echo, JournaledNode(echo, path, owner)  # type: ignore[arg-type]


def test_an_answer_is_asked_for_once(tmp_path: Path) -> None:
    """Within a run, a batch, and after the next start; a second capture is refused, another one begins anew."""
    echo, journal = opened(tmp_path / "a" / "journal")
    with journal:
        assert journal.ask_all([("x", [1]), ("x", [2]), ("x", [1])]) == [{"told": [1]}, {"told": [2]}, {"told": [1]}]
        assert journal.ask("x", 2) == {"told": [2]}
        assert len(echo.asked) == 2 == journal.asked
    echo, journal = opened(tmp_path / "a" / "journal")
    with journal:
        assert journal.resumed == 2 and journal.ask_all([("x", [2]), ("y", [1])])[0] == {"told": [2]}
        assert echo.asked == [("y", [1])]
    path = tmp_path / "journal"
    with opened(path)[1] as journal:
        journal.ask("x", 1)
        with pytest.raises(BadInput, match="another capture"):
            opened(path)
    for owner in ("toy 2", "toy 1"):
        with opened(path, owner)[1] as journal:
            assert journal.resumed == 0
            journal.discard()
    assert not path.exists()
    path.write_text("")
    with pytest.raises(BadInput, match="cannot be written"):
        opened(path / "journal")


def test_every_cut_keeps_the_whole_lines_before_it(tmp_path: Path) -> None:
    """Cut at any byte, the next capture goes on with each answer that was written out, and no other."""
    path = tmp_path / "journal"
    with opened(path)[1] as journal:
        journal.ask_all([("x", [number]) for number in range(4)])
    data = path.read_bytes()
    ends = [at for at, byte in enumerate(data) if byte == 10]
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        with opened(path)[1] as journal:
            assert journal.resumed == max(sum(end < cut for end in ends) - 1, 0)
            assert journal.ask("x", 3) == {"told": [3]}
    path.write_bytes(data + b'["x", [9], {"told"\xff\n')
    with opened(path)[1] as journal:
        assert journal.resumed == 4
