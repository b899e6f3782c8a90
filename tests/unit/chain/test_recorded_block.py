"""A recorded block: read strictly, merged into the state before it, executed again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.chain.block_replay import SystemWrite, replay_block
from caia_replay.chain.column import to_hex, word
from caia_replay.chain.fork_pool import Fork, ForkPool
from caia_replay.chain.prestate import import_prestate
from caia_replay.chain.prestate_merge import EMPTY, merge_prestate
from caia_replay.chain.raw_transaction import created_address
from caia_replay.chain.recorded_block import RecordedBlock, Touched, read_recorded_block, read_traces
from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import BadInput

Edit = Callable[[Any], Any]


@pytest.fixture
def copy(real_data: Path, tmp_path: Path) -> Path:
    """A private copy of the real block's files."""
    folder = tmp_path / "block"
    folder.mkdir()
    for path in (real_data / "mainnet-22244135").glob("*.json"):
        shutil.copyfile(path, folder / path.name)
    return folder


def edit(folder: Path, name: str, change: Edit) -> None:
    path = folder / name
    reply = json.loads(path.read_bytes())
    reply["result"] = change(reply["result"])
    path.write_text(json.dumps(reply))


def put(*keys: Any, value: Any) -> Edit:
    """Sets what the path of keys leads to; Ellipsis as the value removes it."""

    def change(result: Any) -> Any:
        place = result
        for key in keys[:-1]:
            place = place[key]
        if value is ...:
            del place[keys[-1]]
        else:
            place[keys[-1]] = value
        return result

    return change


@pytest.mark.real
def test_whole_replies_and_bare_results_read_the_same(copy: Path) -> None:
    """A file may be what the node sent or only its result."""
    whole = read_recorded_block(copy)
    for path in copy.iterdir():
        path.write_text(json.dumps(json.loads(path.read_bytes())["result"]))
    assert read_recorded_block(copy) == whole
    assert (whole.number, len(whole.transactions), len(whole.receipts), len(whole.traces)) == (22244135, 125, 125, 125)
    assert [entry["result"] for entry in json.loads((copy / "prestatetrace.json").read_bytes())] == [
        *whole.trace_replies
    ]
    assert sum(whole.withdrawals.values()) == sum(int(w["amount"], 16) for w in whole.header["withdrawals"]) * 10**9


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("block.json", put("gasUsed", value="0x1"), "not to its own hash"),
        ("block.json", put("gasUsed", value=1), "'gasUsed' is not in its canonical form"),
        ("block.json", put("stateRoot", value=...), "lacks 'stateRoot'"),
        ("block.json", put("transactions", value=...), "transactions must be a JSON array"),
        ("block.json", put("transactions", 3, value="0x00"), "transaction 3: a transaction must be a JSON object"),
        ("block.json", put("transactions", 3, "value", value="0x1"), "a signed field is wrong"),
        ("block.json", put("transactions", 3, "blockNumber", value="0x1"), "transaction 3: blockNumber is '0x1'"),
        ("block.json", put("transactions", 3, "type", value="0x3"), "blob transactions cannot"),
        ("block.json", put("transactions", 0, "chainId", value="0xa"), "is of chain 10"),
        ("block.json", put("withdrawals", value=...), "must come together"),
        ("block.json", put("withdrawals", 0, "amount", value="17"), "'amount' is not in its canonical form"),
        ("block.json", put("withdrawals", 0, "amount", value="0x1"), "not those of its withdrawalsRoot"),
        ("block.json", put("transactions", 124, value=...), "124 items listed are not those of its transactionsRoot"),
        ("block.json", lambda _: None, "the block must be a JSON object"),
        ("receipts.json", lambda r: r[:-1], "124 receipts for 125 transactions"),
        ("receipts.json", put(7, "transactionHash", value="0x"), "receipt 7: is not of transaction"),
        ("receipts.json", put(7, "blockNumber", value="0x1"), "receipt 7: blockNumber"),
        ("receipts.json", put(0, "logs", value=None), "logs must be a JSON array"),
        ("receipts.json", put(0, "logs", 0, "blockHash", value=None), "blockHash is None"),
        ("prestatetrace.json", lambda r: r[1:], "124 traces for 125 transactions"),
        ("prestatetrace.json", lambda r: r[::-1], "trace 0: is not of transaction"),
        ("prestatetrace.json", put(0, "result", value={"pre": {}, "post": {}}), "is a diffMode trace"),
        ("prestatetrace.json", put(0, "result", value={"0x12": {}}), "an address is not in its canonical form"),
        ("prestatetrace.json", put(0, "result", value=...), "result must be a JSON object"),
    ],
)
def test_whatever_is_off_is_told_in_one_line(copy: Path, name: str, change: Edit, words: str) -> None:
    """Edited, cut, reordered, of another kind: bad input that names the file or entry."""
    edit(copy, name, change)
    with pytest.raises(BadInput, match=words) as told:
        read_recorded_block(copy)
    assert "\n" not in str(told.value)


@pytest.mark.real
def test_files_that_are_no_reply_are_bad_input_and_missing_ones_named(copy: Path) -> None:
    """Empty, truncated, not UTF-8, too deep, the node's refusal; a missing file with its nearest."""
    for content, words in [
        (b"", "is not JSON"), (b'{"jsonrpc": "2.0", "result"', "is not JSON"), (b"\xff\xfe\x00", "is not JSON"),
        (b"[" * 2_000, "is not JSON"), (b"1" * 5000, "is not JSON"),
        (b'{"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "pruned"}}', "is an error reply: .*pruned"),
    ]:  # fmt: skip
        (copy / "receipts.json").write_bytes(content)
        with pytest.raises(BadInput, match=words):
            read_recorded_block(copy)
    (copy / "receipts.json").rename(copy / "receipt.json")
    with pytest.raises(BadInput, match=r"receipts.json: is missing; .*nearest: receipt.json"):
        read_recorded_block(copy)
    with pytest.raises(BadInput, match="is missing"):
        read_recorded_block(copy / "nowhere")


@pytest.mark.real
@pytest.mark.parametrize(
    "touched",
    [[], {}, {"balance": "1"}, {"balance": "0x1", "nonce": "0x1"}, {"balance": "0x1", "nonce": True},
     {"balance": "0x1", "nonce": -1}, {"balance": "0x1", "nonce": 1 << 64}, {"balance": "0x1", "storage": []},
     {"balance": "0x1", "storage": {"0x1": "0x1"}}, {"balance": "0x1", "code": "6000"}, {"balance": "0x1", "x": 1}],
)  # fmt: skip
def test_an_account_of_a_trace_is_read_strictly(touched: Any) -> None:
    """A balance must be there; nothing is coerced, and an unknown field is not passed over."""
    trace = [{"txHash": "0x1", "result": {"0x" + "ab" * 20: touched}}]
    with pytest.raises(BadInput, match=r"^here trace 0 0xabab"):
        read_traces(trace, [{"hash": "0x1"}], "here")


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


def test_first_sights_count_and_untouched_accounts_were_empty() -> None:
    """What a trace must touch and leaves out was empty; a nonce without code proves nothing about slots."""
    first, later = Touched(5, 1, CODE, {}), Touched(6, 2, CODE, {})
    assert merge_prestate(block({A: first}, {A: later})).accounts[A] == first
    born = created_address(SENDER, 0)
    merged = merge_prestate(block({}, {born: Touched(0, 1, CODE, {word(1): word(7)})}, to=None))
    assert merged.accounts[born] == EMPTY
    assert merged.storage == {(born, word(1)): word(0)}
    assert merge_prestate(block({})).accounts[A] == EMPTY
    gone = block({})
    gone = RecordedBlock(7, gone.header, gone.transactions, (), ({A: Touched(1, 0, b"", {})},), {})
    assert merge_prestate(gone).accounts[MINER] == EMPTY
    seen = {A: Touched(1, 3, b"", {word(1): word(7)})}
    assert merge_prestate(block(seen)).storage == {(A, word(1)): word(7)}


def test_slots_first_seen_after_a_death_or_written_by_the_protocol_are_unknown() -> None:
    """Seen before a death they keep their value; the protocol's are found with this block's."""
    alive = Touched(0, 1, CODE, {word(1): word(7)})
    dead = Touched(0, 0, b"", {word(2): word(0)})
    merged = merge_prestate(block({A: alive}, {A: dead}))
    assert merged.storage == {(A, word(1)): word(7)}
    assert merged.seen == {(A, word(1)), (A, word(2))} and merged.died == {A}
    merged = merge_prestate(block({A: Touched(0, 1, CODE, {word(1): word(7), word(2): word(8)})}), {(A, word(1))})
    assert merged.storage == {(A, word(2)): word(8)} and len(merged.seen) == 2


PARENT = 22244134


@pytest.fixture(scope="module")
def recorded(real_data: Path) -> RecordedBlock:
    return read_recorded_block(real_data / "mainnet-22244135")


@pytest.fixture(scope="module")
def pool(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkPool]:
    out = tmp_path_factory.mktemp("replay") / "snap"
    import_prestate(real_data / "mainnet-22244135", out, chain="block")
    with ForkPool({"block": Snapshot.open(out)}) as forks:
        yield forks


@pytest.fixture
def fork(pool: ForkPool) -> Iterator[Fork]:
    with pool.lease("block", PARENT, writes=True) as leased:
        yield leased


@pytest.mark.check
@pytest.mark.real
def test_a_block_can_be_replayed_again_and_again(pool: ForkPool, recorded: RecordedBlock) -> None:
    """A lease undoes the block, so the next replay on the same fork is just as exact."""
    for _ in range(3):
        with pool.lease("block", PARENT, writes=True) as fork:
            replayed = replay_block(fork, recorded.header, recorded.transactions, recorded.receipts)
        assert replayed.exact and replayed.equal_receipts == 125 and replayed.gas_used == 9145346


@pytest.mark.check
@pytest.mark.real
@pytest.mark.parametrize(
    ("field", "value"),
    [("receiptsRoot", "0x" + "00" * 32), ("gasUsed", "0x1"), ("excessBlobGas", "0x0"), ("baseFeePerGas", "0x1")],
)
def test_a_header_that_differs_is_named(fork: Fork, recorded: RecordedBlock, field: str, value: str) -> None:
    """The first difference says the field, what was mined and what was recorded."""
    replayed = replay_block(fork, {**recorded.header, field: value}, recorded.transactions, recorded.receipts)
    assert not replayed.exact
    if field != "baseFeePerGas":
        assert replayed.differences[0].startswith(f"{field}: mined '0x") and replayed.equal_receipts == 125
    else:
        assert any("effectiveGasPrice" in text for text in replayed.differences)


@pytest.mark.check
@pytest.mark.real
def test_receipts_and_logs_that_differ_are_named(fork: Fork, recorded: RecordedBlock) -> None:
    """Each by its index; the others still count as equal."""
    receipts: list[dict[str, Any]] = deepcopy(list(recorded.receipts))  # type: ignore[arg-type]
    receipts[0]["logs"][1]["data"] = "0x"
    receipts[5]["gasUsed"] = "0x1"
    receipts[9]["logs"] = [*receipts[9]["logs"], receipts[0]["logs"][0]]
    replayed = replay_block(fork, recorded.header, recorded.transactions, receipts)
    assert [text.split(":")[0] for text in replayed.differences] == [
        "receipt 0 log 0x1 data", "receipt 5 gasUsed", "receipt 9 logs",
    ]  # fmt: skip
    assert replayed.equal_receipts == 122


@pytest.mark.check
@pytest.mark.real
def test_a_transaction_the_node_refuses_is_bad_input(fork: Fork, recorded: RecordedBlock) -> None:
    """The same transaction twice: refused by name, before anything is mined."""
    twice = (recorded.transactions[0], recorded.transactions[0])
    with pytest.raises(BadInput, match=f"{recorded.transactions[0]['hash']}: the fork refuses it"):
        replay_block(fork, recorded.header, twice, recorded.receipts[:2])


@pytest.mark.check
@pytest.mark.real
def test_fewer_transactions_are_a_difference(fork: Fork, recorded: RecordedBlock) -> None:
    """A shorter block has other roots, and the missing receipts are counted."""
    replayed = replay_block(fork, recorded.header, recorded.transactions[:3], recorded.receipts)
    assert "receipts: 3 mined, 125 recorded" in replayed.differences and replayed.transactions == 3


@pytest.mark.check
@pytest.mark.real
def test_system_writes_are_in_the_state_the_block_finds(fork: Fork, recorded: RecordedBlock) -> None:
    """Written before the first transaction, and still there after the last."""
    address = bytes.fromhex(recorded.header["miner"][2:])
    write = SystemWrite(address, word(4), word(5))
    replay_block(fork, recorded.header, recorded.transactions, recorded.receipts, [write])
    assert fork.operate("eth_getStorageAt", [to_hex(address), to_hex(word(4)), "latest"]) == to_hex(word(5))
