"""Events by filter, tables of SQL over them, and the signatures that name them."""

from __future__ import annotations

import pytest
from eth_abi import abi
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import Miss, ToolError
from caia_replay.tools.contract_event import EventTable, _topic, describe_events, describe_table, matching_events
from caia_replay.tools.signature import (
    Parameter,
    decode_event,
    decode_outputs,
    encode_call,
    parse_event,
    parse_signature,
    plain,
)
from caia_replay.tools.tool_context import ToolContext
from tests.chain_world import ANCHOR, ChainWorld

TRANSFER = parse_event("Transfer(address indexed from, address indexed to, uint256 value)")


def test_a_filter_by_arguments_is_a_selection_of_all(chain_world: ChainWorld) -> None:
    """In any case of letters, in order; parts add up and say how to go on; one that cannot be read is told."""
    view, token = ToolContext(chain_world.world), chain_world.origin.tokens[0]
    whole = matching_events(view, "origin", token, TRANSFER, 0, 24, ())
    logs = chain_world.live("eth_getLogs", {"address": token, "fromBlock": "0x0", "toBlock": "0x18"})
    meant = [log["transactionHash"] for log in logs if log["topics"][0] == "0x" + TRANSFER.hash.hex()]
    assert [event["transaction"] for event in whole] == meant
    for name in ("from", "to", "value"):
        for value in sorted({event["arguments"][name] for event in whole})[:4]:
            wanted = [event for event in whole if event["arguments"][name] == value]
            for text in (f"{name}={value}", f" {name} = {value.upper().replace('0X', '0x')} "):
                assert matching_events(view, "origin", token, TRANSFER, 0, 24, [text]) == wanted
    pair = whole[-1]["arguments"]
    both = [f"from={pair['from']}", f"value={pair['value']}"]
    assert whole[-1] in matching_events(view, "origin", token, TRANSFER, 0, 24, both)
    view, token = ToolContext(chain_world.world), chain_world.origin.tokens[0]
    whole = describe_events(view, "origin", token, TRANSFER, 0, 24, (), 0, 1_000)
    listed, offset = [], 0
    while offset is not None:
        part = describe_events(view, "origin", token, TRANSFER, 0, 24, (), offset, 7)
        assert part["count"] == whole["count"] == len(whole["events"]) > 7
        listed, offset = listed + part["events"], part["next_offset"]
    assert listed == whole["events"]
    assert all(event["time_utc"].endswith("Z") for event in listed)
    assert describe_events(view, "origin", token, TRANSFER, 0, 24, (), 0, 0)["events"] == []
    for where, words in [
        ("from", "name=value"), ("=1", "no argument"), ("form=0x12", "nearest: from"), ("from=0x12", "do not fit"),
        ("value=ten", "no whole number"), ("to=", "name=value"),
    ]:  # fmt: skip
        view, token = ToolContext(chain_world.world), chain_world.origin.tokens[0]
        with pytest.raises(ToolError, match=words):
            matching_events(view, "origin", token, TRANSFER, 0, 24, [where])
        with pytest.raises(ToolError, match="twice"):
            matching_events(view, "origin", token, TRANSFER, 0, 24, ["value=1", "value=1"])


def test_tables_count_what_the_living_node_counts(chain_world: ChainWorld) -> None:
    """Transactions, logs and tokens moved up to the task's block, which is not the chain's last."""
    view = ToolContext(chain_world.world)
    counts = "(SELECT count(*) FROM transactions), (SELECT count(*) FROM logs)"
    text = f"SELECT {counts}, (SELECT sum(value) FROM erc20_transfers)"
    told = describe_table(view, "origin", text, 0, ANCHOR, None, 0, 10)
    bodies = [chain_world.live("eth_getBlockByNumber", hex(number), True) for number in range(ANCHOR + 1)]
    logs = chain_world.live("eth_getLogs", {"fromBlock": "0x0", "toBlock": hex(ANCHOR)})
    topic = "0x" + TRANSFER.hash.hex()
    moved = [log for log in logs if log["topics"][:1] == [topic] and len(log["topics"]) == 3 and len(log["data"]) == 66]
    assert told["rows"] == [
        [sum(len(body["transactions"]) for body in bodies), len(logs), str(sum(int(log["data"], 16) for log in moved))]
    ]
    wanted = (1, None, ["erc20_transfers", "logs", "transactions"])
    assert (told["total_rows"], told["next_offset"], told["tables"]) == wanted
    assert str(view.served) == "DERIVED"


def test_events_are_a_table_of_their_arguments(chain_world: ChainWorld) -> None:
    """Sums over it are those over the events; each kind of argument has its column; unrecorded blocks are missed."""
    view, token = ToolContext(chain_world.world), chain_world.origin.tokens[0]
    events = matching_events(view, "origin", token, TRANSFER, 0, ANCHOR, ())
    text = 'SELECT "to", sum(value), count(*) FROM events GROUP BY 1'
    told = describe_table(view, "origin", text, 0, ANCHOR, EventTable(TRANSFER, events), 0, 100)
    sums: dict[str, list[int]] = {}
    for event in events:
        sums.setdefault(event["arguments"]["to"], []).append(int(event["arguments"]["value"]))
    assert told["rows"] == [[to, str(sum(values)), len(values)] for to, values in sorted(sums.items())]
    with pytest.raises(ToolError, match="no table 'events'"):
        describe_table(view, "origin", text, 0, ANCHOR, None, 0, 100)
    empty = describe_table(view, "origin", "SELECT sum(value) FROM events", 0, 0, EventTable(TRANSFER, ()), 0, 100)
    assert empty["rows"] == [[None]]
    event = parse_event("E(int256 a, uint256 wide, bool flag, bytes4 tag, uint8[] many, uint256 block_number)")
    row = {"block": 3, "log_index": 1, "transaction": "0xab"}
    values = {
        "a": "-5",
        "wide": str(2**255),
        "flag": True,
        "tag": "0x01020304",
        "many": ["1", "2"],
        "block_number": "9",
    }
    table = EventTable(event, [{**row, "arguments": values}])
    text = "SELECT a + 1, wide_string, flag, tag, many, block_number, block_number_ FROM events"
    view = ToolContext(chain_world.world)
    told = describe_table(view, "origin", text, 0, 0, table, 0, 100)
    assert told["rows"] == [["-4", str(2**255), True, "0x01020304", "['1', '2']", 3, "9"]]
    with pytest.raises(ToolError, match="wide_string"):
        describe_table(view, "origin", "SELECT wide FROM events", 0, 0, table, 0, 100)
    with pytest.raises(Miss, match="all blocks of blocks 0 to 900"):
        describe_table(view, "origin", "SELECT count(*) FROM blocks", 0, 900, None, 0, 100)


def test_signatures_of_the_standards_and_of_tuples() -> None:
    """Selectors are the ones every chain uses; indexed texts are their hash, dynamic ones stay hashes."""
    assert parse_signature("balanceOf(address)(uint256)").hash[:4].hex() == "70a08231"
    wanted = "a9059cbb"
    assert parse_signature("function transfer(address to, uint amount) public returns (bool);").hash[:4].hex() == wanted
    transfer = parse_signature("event Transfer(address indexed from, address indexed to, uint256 value)")
    assert transfer.hash.hex() == "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
    assert [parameter.indexed for parameter in transfer.inputs] == [True, True, False]
    parsed = parse_signature("f((address a, uint256[] b)[2] x, bytes) returns ((bool,string), int8)")
    assert parsed.canonical == "f((address,uint256[])[2],bytes)"
    assert [parameter.type for parameter in parsed.outputs] == ["(bool,string)", "int8"]
    assert plain((2**256 - 1, b"\x01", [True])) == [str(2**256 - 1), "0x01", [True]]
    signature = parse_signature("E(address indexed who, string indexed tag, uint256 value)")
    who, tag = "0x" + "00" * 12 + "ab" * 20, "0x" + "cd" * 32
    data = "0x" + abi.encode(["uint256"], [5]).hex()
    wanted = {"who": "0x" + "ab" * 20, "tag": tag, "value": "5"}
    assert decode_event(signature, ["0x" + signature.hash.hex(), who, tag], data) == wanted
    with pytest.raises(ToolError):
        decode_event(signature, ["0x" + signature.hash.hex(), who], data)
    with pytest.raises(ToolError):
        decode_event(signature, ["0x" + signature.hash.hex(), who, tag], "0x12")
    known = "0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8"  # keccak-256 of hello
    assert _topic(Parameter("string", "name", True), "hello") == known
    assert _topic(Parameter("bytes", "name", True), "0x68656c6c6f") == known
    assert _topic(Parameter("bool", "flag", True), "true") == "0x" + "0" * 63 + "1"
    with pytest.raises(ToolError, match="list or tuple"):
        _topic(Parameter("uint256[]", "many", True), "1")


@given(st.integers(0, 2**256 - 1), st.booleans(), st.binary(min_size=32, max_size=32), st.text(max_size=20))
def test_values_survive_the_way_to_the_chain_and_back(number: int, flag: bool, word: bytes, text: str) -> None:
    """Encoding JSON arguments equals encoding the values, and decoding gives the JSON back."""
    signature = parse_signature("f(uint256,bool,bytes32,string)(uint256,bool,bytes32,string)")
    data = encode_call(signature, [str(number), flag, "0x" + word.hex(), text])
    body = abi.encode(["uint256", "bool", "bytes32", "string"], [number, flag, word, text])
    assert data == "0x" + (signature.hash[:4] + body).hex()
    assert decode_outputs(signature, "0x" + body.hex()) == [str(number), flag, "0x" + word.hex(), text]


@given(st.text(max_size=60))
def test_no_text_breaks_the_parser(text: str) -> None:
    """Whatever a model writes as a signature parses or is a ToolError."""
    try:
        parse_signature(text)
    except ToolError:
        return


def test_signatures_and_arguments_that_do_not_fit() -> None:
    """Of no depth or length, no event that logs cannot show, no value out of range breaks the parser."""
    for types in [
        "(" * 3000 + "uint8" + ")" * 3000, "uint8" + "[1]" * 500, f"uint8[{'9' * 3000}]", ",".join(["uint8"] * 9000),
    ]:  # fmt: skip
        with pytest.raises(ToolError):
            parse_signature(f"f()({types})")
    for event in [
        "E(uint8 a) anonymous;", "E(uint8)(uint8)", "E(address a, uint8 a)", "E(address indexed arg1, uint8)",
    ]:  # fmt: skip
        with pytest.raises(ToolError):
            parse_event(event)
    for signature, arguments in [
        ("f(uint8)(bool)", ["256"]), ("f(uint8)(bool)", ["-1"]), ("f(uint8)(bool)", ["many"]),
        ("f(address)(bool)", ["0x12"]), ("f(bytes4)(bool)", ["zz"]), ("f(uint8)(bool)", []),
        ("f((uint8,bool))(bool)", [["1"]]),
    ]:  # fmt: skip
        with pytest.raises(ToolError):
            encode_call(parse_signature(signature), arguments)
