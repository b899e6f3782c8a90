"""Methods, parameters and values as nodes read them, and one spelling per recorded question."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.chain import rpc_guard, rpc_value
from caia_replay.chain.column import json_text
from caia_replay.chain.node_answer import FROM_RECORDS
from caia_replay.chain.recorded_call import RECORDED_METHODS, recorded_call
from caia_replay.chain.rpc_parameter import address, any_number, at, block_number, hash32, named_block, slot_word
from caia_replay.chain.rpc_parameter import state_block as at_block
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotRows
from caia_replay.errors import BadInput, Miss, ToolError

PIN = 5


@given(number=st.integers(0, 12), zeros=st.integers(0, 3))
def test_a_number_is_read_in_any_width(number: int, zeros: int) -> None:
    """Leading zeros are no error; a number past the pin is one only where it may not be."""
    text = f"0x{'0' * zeros}{number:X}"
    assert any_number(text, PIN) == number
    if number <= PIN:
        assert block_number(text, PIN) == number
    else:
        with pytest.raises(Miss, match=f"state of block {number}"):
            block_number(text, PIN)


def test_every_name_of_a_block_is_its_number(snapshot: Snapshot, rows: SnapshotRows) -> None:
    """Number, tag, hash, and an object with number or hash; nothing said means the pin."""
    for number in range(PIN + 1):
        block_hash = rows.blocks[number]["hash"]
        named: list[Any] = [hex(number), block_hash, {"blockNumber": hex(number)}, {"blockHash": block_hash}]
        named += [{"blockHash": block_hash.upper().replace("0X", "0x"), "requireCanonical": True}]
        named += {0: ["earliest"], PIN: [None, "latest"]}.get(number, [])
        for value in named:
            assert named_block(snapshot, value, PIN) == at_block(snapshot, value, PIN) == number, value


def test_what_comes_later_has_no_state(snapshot: Snapshot, rows: SnapshotRows) -> None:
    """By number told apart from now, by hash not there; moving tags, nonsense and two names at once are told."""
    later = rows.blocks[PIN + 1]
    assert named_block(snapshot, later["number"], PIN) == PIN + 1
    assert named_block(snapshot, later["hash"], PIN) is None
    for value in (later["number"], {"blockNumber": later["number"]}):
        with pytest.raises(Miss):
            at_block(snapshot, value, PIN)
    for value in (later["hash"], {"blockHash": later["hash"]}):
        with pytest.raises(ToolError, match="no block"):
            at_block(snapshot, value, PIN)
    for tag in ["safe", "finalized", "pending"]:
        for ask in (named_block, at_block):
            for value in (tag, {"blockNumber": tag}):
                with pytest.raises(Miss, match=f"block not recorded: {tag}"):
                    ask(snapshot, value, PIN)
    for value in [
        5, True, "", "0x", "5", "LATEST", [], {}, {"blockHash": None}, {"blockHash": "0x1"}, {"blockNumber": 5},
    ]:  # fmt: skip
        for ask in (named_block, at_block):
            with pytest.raises(ToolError):
                ask(snapshot, value, PIN)
    with pytest.raises(ToolError, match="either blockHash or blockNumber"):
        named_block(snapshot, {"blockHash": rows.blocks[1]["hash"], "blockNumber": "0x1"}, PIN)


def test_addresses_hashes_and_slots_are_one_spelling() -> None:
    """Lower case, full width; anything else is told."""
    assert address("0x" + "aB" * 20) == "0x" + "ab" * 20
    assert hash32("0x" + "aB" * 32) == "0x" + "ab" * 32
    assert slot_word("0xA") == "0x" + "a".zfill(64)
    assert (at([1], 0), at([1], 1)) == (1, None)
    for read in (address, hash32, slot_word):
        for value in (None, 5, "0xzz", "ab" * 20, ["0x1"]):
            with pytest.raises(ToolError):
                read(value)


@given(st.integers(0, (1 << 256) - 1))
def test_a_quantity_is_the_number_it_writes(number: int) -> None:
    """Every unsigned 256-bit integer in canonical hex is read back exactly."""
    assert rpc_value.quantity({"n": hex(number)}, "n", "here") == number


def test_values_are_read_strictly() -> None:
    """Absent fields by name, addresses of twenty bytes, words of all digits, arrays that are none."""
    for value in [None, 5, True, "", "5", "0x", "0x01", "0xA", "-0x1", "0x" + "f" * 65, [], {}]:
        with pytest.raises(BadInput, match=r"^here: 'n' is not in its canonical form"):
            rpc_value.quantity({"n": value}, "n", "here")
    with pytest.raises(BadInput, match="lacks 'gas'"):
        rpc_value.quantity({}, "gas", "here")
    for value in ["0x" + "00" * 19, "0x" + "00" * 21, "0x" + "0G" * 20, "00" * 20, 7]:
        with pytest.raises(BadInput):
            rpc_value.address({"a": value}, "a", "here")
        with pytest.raises(BadInput):
            rpc_value.address_key(value, "here")
    assert rpc_value.word_key("0x" + "00" * 31 + "02", "a slot", "here") == bytes(31) + b"\x02"
    with pytest.raises(BadInput, match="a slot"):
        rpc_value.word_key("0x2", "a slot", "here")
    with pytest.raises(BadInput, match="result must be a JSON object, found list"):
        rpc_value.mapping([], "result", "here")
    with pytest.raises(BadInput, match="logs must be a JSON array, found NoneType"):
        rpc_value.sequence(None, "logs", "here")


ADDRESS = "0x" + "11" * 20


def test_what_is_not_a_read_is_refused_with_a_reason() -> None:
    """Cheats, keys, writes, tracers and unknown words never reach the node; what records answer is allowed."""
    for method in [
        "anvil_setBalance", "hardhat_setCode", "evm_snapshot", "evm_mine", "eth_sendTransaction", "eth_accounts",
        "eth_sign", "eth_signTypedData_v4", "eth_sendRawTransaction", "debug_traceCall", "debug_traceBlockByNumber",
        "trace_replayTransaction", "eth_gasPrice", "eth_blobBaseFee", "txpool_content", "eth_newFilter", "eth_coinbase",
        "web3_clientVersion", "eth_createAccessList", "personal_sign", "eth_callMany",
        "eth_getTransactionByBlockNumberAndIndex", "",
    ]:  # fmt: skip
        with pytest.raises(ToolError, match=r"not available: .{10}"):
            rpc_guard.check(method, [], 10)
    for method in FROM_RECORDS:
        rpc_guard.check(method, [], 10)
    with pytest.raises(ToolError, match="debug_traceTransaction, trace_transaction and trace_block"):
        rpc_guard.check("debug_traceCall", [], 10)
    with pytest.raises(ToolError, match="eth_feeHistory says what the chain paid"):
        rpc_guard.check("eth_gasPrice", [], 10)


@given(
    method=st.sampled_from(sorted(k for k, v in rpc_guard.BLOCK_AT.items() if v is not None)), ahead=st.integers(-9, 9)
)
def test_a_block_past_the_pin_is_refused_in_every_method(method: str, ahead: int) -> None:
    """The pinned block and earlier ones pass, later ones do not, wherever the parameter stands."""
    at = rpc_guard.BLOCK_AT[method]
    assert at is not None
    for block in (
        hex(10 + ahead),
        *([] if method in ("eth_call", "eth_estimateGas") else [{"blockNumber": hex(10 + ahead)}]),
    ):
        params: list[Any] = [*[ADDRESS, "0x0", False][:at], block]
        if ahead > 0:
            with pytest.raises(ToolError, match="later than the pinned block 10"):
                rpc_guard.check(method, params, 10)
        else:
            rpc_guard.check(method, params, 10)


def test_guarded_blocks_are_recorded_ones_and_named_once() -> None:
    """Tags a node would make up, log ranges past the pin, overrides, and objects that name no block or two."""
    for value in ["pending", "safe", "finalized", "0xzz", "", 5, True, [], "0x" + "f" * 40, -1]:
        with pytest.raises(ToolError):
            rpc_guard.check("eth_getBalance", [ADDRESS, value], 10)
    rpc_guard.check("eth_getLogs", [{"fromBlock": "0x0", "toBlock": "0xa"}], 10)
    for query in ({"fromBlock": "0xb"}, {"toBlock": "0xb"}, {"toBlock": "pending"}):
        with pytest.raises(ToolError):
            rpc_guard.check("eth_getLogs", [query], 10)
    with pytest.raises(ToolError):
        rpc_guard.check("eth_getLogs", [], 10)
    for method in ("eth_call", "eth_estimateGas"):
        rpc_guard.check(method, [{}, "latest"], 10)
        rpc_guard.check(method, [{}], 10)
        for params in (
            [{}, "latest", {ADDRESS: {}}], [{}, "latest", None, {}], [{}, "0x" + "1" * 64], [{}, {"blockHash": "0x"}],
        ):  # fmt: skip
            with pytest.raises(ToolError):
                rpc_guard.check(method, params, 10)
    block_hash = "0x" + "1" * 64
    rpc_guard.check("eth_getBalance", [ADDRESS, {"blockHash": block_hash}], 10)
    for value in ({}, {"blockHash": None}, {"blockHash": block_hash, "blockNumber": "0x1"}, {"blockHash": "0x1z"}):
        with pytest.raises(ToolError):
            rpc_guard.check("eth_getBalance", [ADDRESS, value], 10)


HEIGHT = 0x2A
HOLDER = "0x" + "aB" * 20
HASH = "0x" + "Cd" * 32
hex_case = st.sampled_from((str.lower, str.upper))
slots = st.integers(0, 2**256 - 1)


def spelled(number: int, digits: int, case: Any) -> str:
    return "0x" + str(case(f"{number:0{digits}x}"))


@given(
    number=st.integers(0, 2**160 - 1),
    asked=st.lists(slots, max_size=4),
    width=st.integers(1, 64),
    case=hex_case,
    block=st.sampled_from((None, "latest", "0x2a", "0x2A", "0x0002a")),
)
def test_spellings_of_one_proof_question_are_one(
    number: int, asked: list[int], width: int, case: Any, block: str | None
) -> None:
    """Letter case, slot width and the pinned block's names do not matter; the order of slots does."""
    written = [spelled(slot, width, case) for slot in asked]
    params = [spelled(number, 40, case), written] + ([block] if block is not None else [])
    question = recorded_call("eth_getProof", params, HEIGHT)
    assert question.params == [f"0x{number:040x}", [f"0x{slot:064x}" for slot in asked], "0x2a"]
    assert question.text == json_text(question.params)


options = st.fixed_dictionaries(
    {},
    optional={
        "tracer": st.sampled_from(("callTracer", "prestateTracer", "{}")),
        "timeout": st.just("60s"),
        "reexec": st.just(128),
        "disableStorage": st.booleans(),
        "enableMemory": st.booleans() | st.none(),
        "tracerConfig": st.none()
        | st.fixed_dictionaries(
            {}, optional={"withLog": st.booleans(), "diffMode": st.booleans(), "fromBlock": st.booleans()}
        ),
    },
)


@given(first=options, second=options)
def test_options_are_one_question_exactly_when_they_mean_the_same(first: Any, second: Any) -> None:
    """Order, nulls, known flags that are false and what no reply shows do not matter; all else does."""

    def meant(asked: dict[str, Any]) -> Any:
        settings = {k: v for k, v in (asked.get("tracerConfig") or {}).items() if v or k == "fromBlock"}
        flags = {name for name in ("disableStorage", "enableMemory") if asked.get(name)}
        return asked.get("tracer"), flags, settings

    texts = [recorded_call("debug_traceTransaction", [HASH, asked], HEIGHT).text for asked in (first, second)]
    assert (texts[0] == texts[1]) == (meant(first) == meant(second))
    backwards = dict(reversed(first.items()))
    assert recorded_call("debug_traceTransaction", [HASH, backwards], HEIGHT).text == texts[0]


@given(asked=options)
def test_a_canonical_question_stays_as_it_is(asked: Any) -> None:
    """What is sent to a node is found under the same text when somebody asks in those very words."""
    for method, params in (
        ("debug_traceTransaction", [HASH, asked]),
        ("trace_transaction", [HASH]),
        ("eth_getProof", [HOLDER, ["0x1"], "earliest"]),
    ):
        question = recorded_call(method, params, HEIGHT)
        assert recorded_call(method, question.params, HEIGHT + 5) == question
        assert recorded_call(method, question.params, HEIGHT).text == question.text


def test_what_is_no_question_is_told() -> None:
    """Blocks that no record tells are a miss, other shapes an error, and all listed methods are understood."""
    for tag in ["safe", "finalized", "pending", "0x2b", "0x" + "f" * 64]:
        with pytest.raises(Miss):
            recorded_call("eth_getProof", [HOLDER, [], tag], HEIGHT)
    for method, params in [
        ("eth_getProof", [HOLDER]), ("eth_getProof", [HOLDER, "0x1", "latest"]),
        ("eth_getProof", [HOLDER, [1], "latest"]),
        ("eth_getProof", [HOLDER, ["0x" + "1" * 65], "latest"]),
        ("eth_getProof", ["0x12", [], "latest"]),
        ("eth_getProof", [HOLDER, [], {"blockHash": HASH}]),
        ("eth_getProof", [HOLDER, [], 42]),
        ("eth_getProof", [HOLDER, [], "latest", {}]), ("debug_traceTransaction", []),
        ("debug_traceTransaction", [HASH, "callTracer"]), ("debug_traceTransaction", [HASH, {}, {}]),
        ("debug_traceTransaction", [HASH, {"limit": float("nan")}]),
        ("debug_traceTransaction", [HASH, {"tracer": b"callTracer"}]), ("trace_transaction", ["0x1"]),
        ("trace_transaction", [HASH, {}]), ("eth_call", [{}, "latest"]),
    ]:  # fmt: skip
        with pytest.raises(ToolError):
            recorded_call(method, params, HEIGHT)
    shapes: dict[str, list[Any]] = {"eth_getProof": [HOLDER, []], "trace_transaction": [HASH]}
    for method in RECORDED_METHODS:
        assert recorded_call(method, shapes.get(method, [HASH]), HEIGHT).method == method
