import pytest
from eth_abi import abi
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import ToolError
from caia_replay.tools.signature import decode_event, decode_outputs, encode_call, parse_event, parse_signature, plain


def test_known_selectors_and_topics() -> None:
    """Selectors and topics are the ones every chain uses (ERC-20's, public constants)."""
    assert parse_signature("balanceOf(address)(uint256)").hash[:4].hex() == "70a08231"
    assert (
        parse_signature("function transfer(address to, uint amount) public returns (bool);").hash[:4].hex()
        == "a9059cbb"
    )
    transfer = parse_signature("event Transfer(address indexed from, address indexed to, uint256 value)")
    assert transfer.hash.hex() == "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
    assert [parameter.indexed for parameter in transfer.inputs] == [True, True, False]


def test_tuples_and_arrays_parse() -> None:
    """Nested tuples keep their canonical form."""
    parsed = parse_signature("f((address a, uint256[] b)[2] x, bytes) returns ((bool,string), int8)")
    assert parsed.canonical == "f((address,uint256[])[2],bytes)"
    assert [parameter.type for parameter in parsed.outputs] == ["(bool,string)", "int8"]


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


@pytest.mark.parametrize(
    "types",
    ["(" * 3000 + "uint8" + ")" * 3000, "uint8" + "[1]" * 500, f"uint8[{'9' * 3000}]", ",".join(["uint8"] * 9000)],
)
def test_no_depth_and_no_length_breaks_the_parser(types: str) -> None:
    """Types that no contract has are refused before any parser recurses into them."""
    with pytest.raises(ToolError):
        parse_signature(f"f()({types})")


@pytest.mark.parametrize(
    "event", ["E(uint8 a) anonymous;", "E(uint8)(uint8)", "E(address a, uint8 a)", "E(address indexed arg1, uint8)"]
)
def test_an_event_that_logs_cannot_show_is_refused(event: str) -> None:
    """Anonymous events have no topic to search by, and of two arguments with one name one would be lost."""
    with pytest.raises(ToolError):
        parse_event(event)


@pytest.mark.parametrize(
    ("signature", "arguments"),
    [
        ("f(uint8)(bool)", ["256"]),
        ("f(uint8)(bool)", ["-1"]),
        ("f(uint8)(bool)", ["many"]),
        ("f(address)(bool)", ["0x12"]),
        ("f(bytes4)(bool)", ["zz"]),
        ("f(uint8)(bool)", []),
        ("f((uint8,bool))(bool)", [["1"]]),
    ],
)
def test_arguments_that_do_not_fit_are_told(signature: str, arguments: list[object]) -> None:
    """Out-of-range, malformed and missing arguments are ToolErrors."""
    with pytest.raises(ToolError):
        encode_call(parse_signature(signature), arguments)


def test_events_decode_indexed_and_plain_arguments() -> None:
    """Indexed values come from topics, dynamic indexed ones stay hashes, the rest from data."""
    signature = parse_signature("E(address indexed who, string indexed tag, uint256 value)")
    who, tag = "0x" + "00" * 12 + "ab" * 20, "0x" + "cd" * 32
    data = "0x" + abi.encode(["uint256"], [5]).hex()
    assert decode_event(signature, ["0x" + signature.hash.hex(), who, tag], data) == {
        "who": "0x" + "ab" * 20,
        "tag": tag,
        "value": "5",
    }
    with pytest.raises(ToolError):
        decode_event(signature, ["0x" + signature.hash.hex(), who], data)
    with pytest.raises(ToolError):
        decode_event(signature, ["0x" + signature.hash.hex(), who, tag], "0x12")


def test_plain_keeps_big_integers_exact() -> None:
    """Integers become decimal text, bytes 0x text, tuples lists."""
    assert plain((2**256 - 1, b"\x01", [True])) == [str(2**256 - 1), "0x01", [True]]
