"""Functions, events and errors, and their fragments in text."""

from __future__ import annotations

import json

import pytest
from eth_abi.grammar import normalize, parse
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers import verify
from caia_replay.scoring.verifiers.fragment import fragments
from tests.labelled_set import misjudged

SPEC = AnswerSpec("abi", ("function transfer(address,uint256)",), aliases=("0xa9059cbb",))
EVENT = AnswerSpec("abi", ("event Transfer(address indexed from, address indexed to, uint256 value)",))
types = st.lists(st.sampled_from(["address", "uint256", "bytes32[]", "(address,uint8)[2]", "bool"]), max_size=4)
plain = st.sampled_from(["uint", "uint8", "int256", "address", "bool", "bytes", "bytes32", "string", "int"])
nested = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.builds(lambda one, many: one + many, inner, st.sampled_from(["[]", "[3]", "[][2]"])),
        st.lists(inner, min_size=1, max_size=3).map(lambda many: f"({','.join(many)})"),
    ),
    max_leaves=5,
)


def test_one_function_in_its_writings() -> None:
    """Solidity, signature, JSON, selector and prose; a selector needs no prefix where it is an alias."""
    assert misjudged(SPEC, True, (
        "transfer(address,uint)", "`function transfer(address to, uint256 amount) external returns (bool)`",
        "0xA9059CBB", "transfer( address , uint256 )", "`transfer(address to, uint256 value)` (selector 0xa9059cbb)",
        '{"type":"function","name":"transfer","inputs":[{"name":"to","type":"address"},{"type":"uint256"}],"outputs":[]}',
        "{'type':'function','name':'transfer','inputs':[{'type':'address'},{'type':'uint256'}],'payable':False}",
        '```json\n[{"type":"function","name":"transfer","inputs":[{"type":"address"},{"type":"uint256"}]}]\n```',
        "The function is transfer(address, uint256) (see the docs).",
        "transfer(address,uint256), not approve(address,uint256)", "a9059cbb", "selector: A9059CBB",
        "transfer(address,uint256) (a9059cbb)", "a9059cbb in block 18412000",
    )) == []  # fmt: skip


def test_other_functions_and_hedges() -> None:
    """Another name, type, kind, order or selector; without the alias a selector is no answer."""
    assert misjudged(SPEC, False, (
        "transfer(address,uint128)", "Transfer(address,uint256)", "event transfer(address,uint256)",
        "transfer(uint256,address)", "transfer", "transfer()", "approve(address,uint256)",
        "not transfer(address,uint256)", "0x12345678", "transfer((address,uint256))",
        "transfer(address,uint256) or approve(address,uint256)", "transfer(address,uint256), selector 0x12345678",
        "transfer(address,uint256) or swap(IERC20 token, uint256 a)", "transfer(address,uint256[])",
        "0xa9059cbb or 0x12345678", "095ea7b3", "a9059cbb or 095ea7b3", "a9059cbb, 12345678", "0xa9059cbb / 095ea7b3",
        "not a9059cbb", "12345678",
    )) == []  # fmt: skip
    assert misjudged(AnswerSpec("abi", ("approve(address,uint256)",)), False, ("a9059cbb", "095ea7b3")) == []


@given(types, types)
def test_equal_types_and_nothing_else(wanted: list[str], said: list[str]) -> None:
    """Right exactly for the same parameter types."""
    spec = AnswerSpec("abi", (f"f({','.join(wanted)})",))
    assert verify(spec, f"It is `function f({','.join(said)})`.").correct is (wanted == said)


def test_indexed_and_returns_count_where_the_value_tells_them() -> None:
    """An event's flags and what is returned are compared when the task has them."""
    returns = AnswerSpec("abi", ("f(uint256) returns (bool)",))
    assert misjudged(EVENT, True, ["event Transfer(address indexed a, address indexed b, uint v);"]) == []
    assert misjudged(EVENT, False, ["Transfer(address,address,uint256)"]) == []
    assert misjudged(AnswerSpec("abi", ("Transfer(address,address,uint256)",)), True, EVENT.values) == []
    assert misjudged(returns, True, ["function f(uint a) view returns (bool ok)"]) == []
    assert misjudged(returns, False, ["f(uint256)", "f(uint256) returns (uint256)"]) == []


@pytest.mark.parametrize("name", [
    "InsufficientOutput", "UnknownPool", "unknown", "noAnswer", "NotFound", "NoData", "CannotTransfer", "None",
    "UnableToWithdraw", "Null", "FailedToSend", "not_available", "NotEnoughBalance", "insufficient",
])  # fmt: skip
def test_a_name_that_reads_like_a_refusal_is_none(name: str) -> None:
    """Names of code are no words, with and without parameters; the words themselves still refuse."""
    for given_types, stated in (("uint256", "uint256 id"), ("", "")):
        spec = AnswerSpec("abi", (f"error {name}({given_types})",))
        assert misjudged(spec, True, [f"{name}({stated})", f"`{name}({stated})`"]) == []
        assert verify(spec, f"other{name}({stated})").correct is False
        assert verify(spec, f"Insufficient data to tell {name}({stated}).").reason == "refused to answer"


@pytest.mark.parametrize("value", ["transfer(address,uint256)", "function transfer(address,uint256)"])
def test_an_event_or_error_is_no_function(value: str) -> None:
    """Whether the fragment says it or the word beside it; a name in lower case is a function's."""
    spec, said = AnswerSpec("abi", (value,)), "transfer(address,uint256)"
    wrong = (
        "event {}", "error {}", "an event {}", "the {} event", "Event: {}", "`{}` is an event", "事件 {}",
        "modifier {}", "EVENT {}", "the custom error `{}`", "struct {}",
    )  # fmt: skip
    right = ("{}", "the {} function", "Function: {}", "函数 {}", "{}, which emits an event")
    assert misjudged(spec, False, (form.format(said) for form in wrong)) == []
    assert misjudged(spec, True, (form.format(said) for form in right)) == []


def as_json(name: str) -> dict[str, object]:
    """A type as a JSON ABI spells it."""
    node = parse(normalize(name))
    arrays = "".join(f"[{size[0]}]" if size else "[]" for size in node.arrlist or ())
    if hasattr(node, "components"):
        return {"type": "tuple" + arrays, "components": [as_json(one.to_type_str()) for one in node.components]}
    return {"type": node.to_type_str()}


@given(st.lists(nested, max_size=4))
def test_types_are_canonical_as_the_abi_library_says(inputs: list[str]) -> None:
    """Solidity's words and JSON give the types that eth_abi gives."""
    wanted = tuple(parse(normalize(one)).to_type_str() for one in inputs)
    named = ", ".join(f"{'tuple' if one[0] == '(' else ''}{one} p{at}" for at, one in enumerate(inputs))
    entry = {"type": "function", "name": "swap", "inputs": [as_json(one) for one in inputs]}
    texts = (f"swap({','.join(inputs)})", f"function swap({named}) external")
    for text in (*texts, json.dumps(entry), json.dumps([entry], indent=1)):
        (found,) = fragments(text)
        assert (found.name, found.inputs) == ("swap", wanted), text


@pytest.mark.parametrize(
    "text",
    ["called (see the docs)", "transfer", "transfer(address", "f(uint7)", "1,204 (5%)", "{}", "[1, 2]", "f(bytes33)"],
)
def test_prose_is_no_fragment(text: str) -> None:
    """Brackets hold types or they hold prose."""
    assert fragments(text) == ()


@pytest.mark.parametrize(
    "unit", ["(", "[", "{", "f(", "tuple(", "f(address,", '{"a":', "f((", "function ", "[[", "uint[]["]
)
def test_repeated_structure_is_read(unit: str) -> None:
    """Deep and broken nesting neither fails nor recurses."""
    assert fragments((unit * 1000)[:1000]) == ()


def test_what_is_returned_and_indexed_is_told() -> None:
    """Returns, indexed and the kind are read where they stand; a struct by name equals no canonical type."""
    (one,) = fragments("function f(address a) view returns (uint b, bool)")
    assert (one.kind, one.outputs) == ("function", ("uint256", "bool"))
    (two,) = fragments("event E(address indexed a, uint b) anonymous;")
    assert (two.kind, two.indexed, two.outputs) == ("event", (True, False), None)
    assert fragments("function f(IERC20 token, uint256 a)")[0].inputs == ("IERC20?", "uint256")


@pytest.mark.parametrize(("text", "kind"), [
    ("the f(uint8) event", "event"), ("Error: `f(uint8)`", "error"), ("method f(uint8)", "function"),
    ("f(uint8) 事件", "event"), ("f(uint8)", None), ("It emits f(uint8) for each event", None),
    ("modifier f(uint8)", "modifier"), ('{"type":"constructor","name":"f","inputs":[{"type":"uint8"}]}', "constructor"),
])  # fmt: skip
def test_the_word_beside_a_fragment_tells_its_kind(text: str, kind: str | None) -> None:
    """Right before it or right after it."""
    (one,) = fragments(text)
    assert one.kind == kind
