"""Functions, events and errors."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.verifiers import verify
from caia_replay.scoring.verifiers.abi import AbiVerifier

SPEC = AnswerSpec("abi", ("function transfer(address,uint256)",), aliases=("0xa9059cbb",))
EVENT = AnswerSpec("abi", ("event Transfer(address indexed from, address indexed to, uint256 value)",))
types = st.lists(st.sampled_from(["address", "uint256", "bytes32[]", "(address,uint8)[2]", "bool"]), max_size=4)


def right(spec: AnswerSpec, answer: str) -> bool | None:
    """The verdict alone."""
    return AbiVerifier().verify(spec, answer).correct


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "transfer(address,uint)",
            "`function transfer(address to, uint256 amount) external returns (bool)`",
            "0xA9059CBB",
        ),
        *("transfer( address , uint256 )", "`transfer(address to, uint256 value)` (selector 0xa9059cbb)"),
        '{"type":"function","name":"transfer","inputs":[{"name":"to","type":"address"},{"type":"uint256"}],"outputs":[]}',
        "{'type':'function','name':'transfer','inputs':[{'type':'address'},{'type':'uint256'}],'payable':False}",
        '```json\n[{"type":"function","name":"transfer","inputs":[{"type":"address"},{"type":"uint256"}]}]\n```',
        *(
            "The function is transfer(address, uint256) (see the docs).",
            "transfer(address,uint256), not approve(address,uint256)",
        ),
    ],
)
def test_one_function_in_its_writings(answer: str) -> None:
    """Solidity, signature, JSON, selector and prose."""
    assert right(SPEC, answer) is True


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "transfer(address,uint128)",
            "Transfer(address,uint256)",
            "event transfer(address,uint256)",
            "transfer(uint256,address)",
        ),
        *(
            "transfer",
            "transfer()",
            "approve(address,uint256)",
            "not transfer(address,uint256)",
            "0x12345678",
            "transfer((address,uint256))",
        ),
        *("transfer(address,uint256) or approve(address,uint256)", "transfer(address,uint256), selector 0x12345678"),
        *(
            "transfer(address,uint256) or swap(IERC20 token, uint256 a)",
            "transfer(address,uint256[])",
            "0xa9059cbb or 0x12345678",
        ),
    ],
)
def test_other_functions_and_hedges(answer: str) -> None:
    """Another name, type, kind, order or selector."""
    assert right(SPEC, answer) is False


@settings(max_examples=100)
@given(types, types)
def test_equal_types_and_nothing_else(wanted: list[str], said: list[str]) -> None:
    """Right exactly for the same parameter types."""
    assert right(AnswerSpec("abi", (f"f({','.join(wanted)})",)), f"It is `function f({','.join(said)})`.") is (
        wanted == said
    )


def test_indexed_counts_where_the_value_tells_it() -> None:
    """An event's flags are compared when the task has them."""
    assert right(EVENT, "event Transfer(address indexed a, address indexed b, uint v);") is True
    assert right(EVENT, "Transfer(address,address,uint256)") is False
    assert right(AnswerSpec("abi", ("Transfer(address,address,uint256)",)), EVENT.values[0]) is True


def test_returns_count_where_the_value_tells_them() -> None:
    """What is returned is compared when the task has it."""
    spec = AnswerSpec("abi", ("f(uint256) returns (bool)",))
    assert right(spec, "function f(uint a) view returns (bool ok)") is True
    assert right(spec, "f(uint256)") is False and right(spec, "f(uint256) returns (uint256)") is False


@pytest.mark.parametrize(
    "spec",
    [AnswerSpec("abi", ("transfer",)), AnswerSpec("abi", ("f()", "g()")), AnswerSpec("abi", ("f()",), aliases=("x",))],
)
def test_a_broken_value_is_bad_input(spec: AnswerSpec) -> None:
    """A value is one fragment; an alias that or a selector."""
    with pytest.raises(BadInput):
        right(spec, "f()")


@pytest.mark.parametrize(
    "name",
    [
        *("InsufficientOutput", "UnknownPool", "unknown", "noAnswer", "NotFound", "NoData", "CannotTransfer", "None"),
        *("UnableToWithdraw", "Null", "FailedToSend", "not_available", "NotEnoughBalance", "insufficient"),
    ],
)
def test_a_name_that_reads_like_a_refusal_is_none(name: str) -> None:
    """Names of code are no words, with and without parameters; the words themselves still refuse."""
    for given_types, stated in (("uint256", "uint256 id"), ("", "")):
        spec = AnswerSpec("abi", (f"error {name}({given_types})",))
        assert verify(spec, f"{name}({stated})").correct is True
        assert verify(spec, f"`{name}({stated})`").correct is True
        assert verify(spec, f"other{name}({stated})").correct is False
        assert verify(spec, f"Insufficient data to tell {name}({stated}).").reason == "refused to answer"


@pytest.mark.parametrize("value", ["transfer(address,uint256)", "function transfer(address,uint256)"])
@pytest.mark.parametrize(
    "form",
    [
        *(
            "event {}",
            "error {}",
            "an event {}",
            "the {} event",
            "Event: {}",
            "`{}` is an event",
            "事件 {}",
            "modifier {}",
            "EVENT {}",
        ),
        *("the custom error `{}`", "struct {}"),
    ],
)
def test_an_event_or_error_is_no_function(value: str, form: str) -> None:
    """Whether the fragment says it or the word beside it; a name in lower case is a function's."""
    spec, plain = AnswerSpec("abi", (value,)), "transfer(address,uint256)"
    assert right(spec, form.format(plain)) is False
    for said in (
        plain,
        f"the {plain} function",
        f"Function: {plain}",
        f"函数 {plain}",
        f"{plain}, which emits an event",
    ):
        assert right(spec, said) is True, said


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        *(
            ("a9059cbb", True),
            ("selector: A9059CBB", True),
            ("transfer(address,uint256) (a9059cbb)", True),
            ("095ea7b3", False),
        ),
        *(
            ("a9059cbb or 095ea7b3", False),
            ("a9059cbb, 12345678", False),
            ("0xa9059cbb / 095ea7b3", False),
            ("not a9059cbb", False),
        ),
        *(("a9059cbb in block 18412000", True), ("12345678", False)),
    ],
)
def test_a_selector_needs_no_prefix_where_it_is_an_alias(answer: str, verdict: bool) -> None:
    """Another one beside it is a hedge; without the alias it is no answer."""
    assert right(SPEC, answer) is verdict
    assert right(AnswerSpec("abi", ("approve(address,uint256)",)), answer) is False
