"""ABI fragments in text."""

from __future__ import annotations

import json

import pytest
from eth_abi.grammar import normalize, parse
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.scoring.verifiers.fragment import fragments

plain = st.sampled_from(["uint", "uint8", "int256", "address", "bool", "bytes", "bytes32", "string", "int"])
types = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.builds(lambda one, many: one + many, inner, st.sampled_from(["[]", "[3]", "[][2]"])),
        st.lists(inner, min_size=1, max_size=3).map(lambda many: f"({','.join(many)})"),
    ),
    max_leaves=5,
)


def as_json(name: str) -> dict[str, object]:
    """A type as a JSON ABI spells it."""
    node = parse(normalize(name))
    arrays = "".join(f"[{size[0]}]" if size else "[]" for size in node.arrlist or ())
    if hasattr(node, "components"):
        return {"type": "tuple" + arrays, "components": [as_json(one.to_type_str()) for one in node.components]}
    return {"type": node.to_type_str()}


@settings(max_examples=150)
@given(st.lists(types, max_size=4))
def test_types_are_canonical_as_the_abi_library_says(inputs: list[str]) -> None:
    """Solidity's words and JSON give the types that eth_abi gives."""
    wanted = tuple(parse(normalize(one)).to_type_str() for one in inputs)
    named = ", ".join(f"{'tuple' if one[0] == '(' else ''}{one} p{at}" for at, one in enumerate(inputs))
    entry = {"type": "function", "name": "swap", "inputs": [as_json(one) for one in inputs]}
    for text in (
        f"swap({','.join(inputs)})",
        f"function swap({named}) external",
        json.dumps(entry),
        json.dumps([entry], indent=1),
    ):
        (found,) = fragments(text)
        assert (found.name, found.inputs) == ("swap", wanted), text


@pytest.mark.parametrize(
    "text",
    ["called (see the docs)", "transfer", "transfer(address", "f(uint7)", "1,204 (5%)", "{}", "[1, 2]", "f(bytes33)"],
)
def test_prose_is_no_fragment(text: str) -> None:
    """Brackets hold types or they hold prose."""
    assert fragments(text) == ()


def test_what_is_returned_and_indexed_is_told() -> None:
    """Returns, indexed and the kind are read where they stand."""
    (one,) = fragments("function f(address a) view returns (uint b, bool)")
    assert (one.kind, one.outputs) == ("function", ("uint256", "bool"))
    (two,) = fragments("event E(address indexed a, uint b) anonymous;")
    assert (two.kind, two.indexed, two.outputs) == ("event", (True, False), None)


def test_a_type_of_the_contract_stays_unknown() -> None:
    """A struct by name equals no canonical type."""
    assert fragments("function f(IERC20 token, uint256 a)")[0].inputs == ("IERC20?", "uint256")


@pytest.mark.parametrize(
    "unit", ["(", "[", "{", "f(", "tuple(", "f(address,", '{"a":', "f((", "function ", "[[", "uint[]["]
)
def test_repeated_structure_is_read(unit: str) -> None:
    """Deep and broken nesting neither fails nor recurses."""
    assert fragments((unit * 1000)[:1000]) == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *(
            ("the f(uint8) event", "event"),
            ("Error: `f(uint8)`", "error"),
            ("method f(uint8)", "function"),
            ("f(uint8) 事件", "event"),
        ),
        *(("f(uint8)", None), ("It emits f(uint8) for each event", None), ("modifier f(uint8)", "modifier")),
        ('{"type":"constructor","name":"f","inputs":[{"type":"uint8"}]}', "constructor"),
    ],
)
def test_the_word_beside_a_fragment_tells_its_kind(text: str, kind: str | None) -> None:
    """Right before it or right after it."""
    (one,) = fragments(text)
    assert one.kind == kind
