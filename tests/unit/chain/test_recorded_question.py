"""One spelling per question, whoever asks and however."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.chain.column import json_text
from caia_replay.chain.recorded_question import RECORDED_METHODS, recorded_question
from caia_replay.errors import Miss, ToolError

PIN = 0x2A
ADDRESS = "0x" + "aB" * 20
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
    question = recorded_question("eth_getProof", params, PIN)
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

    texts = [recorded_question("debug_traceTransaction", [HASH, asked], PIN).text for asked in (first, second)]
    assert (texts[0] == texts[1]) == (meant(first) == meant(second))
    backwards = dict(reversed(first.items()))
    assert recorded_question("debug_traceTransaction", [HASH, backwards], PIN).text == texts[0]


@given(asked=options)
def test_a_canonical_question_stays_as_it_is(asked: Any) -> None:
    """What is sent to a node is found under the same text when somebody asks in those very words."""
    for method, params in (
        ("debug_traceTransaction", [HASH, asked]),
        ("trace_transaction", [HASH]),
        ("eth_getProof", [ADDRESS, ["0x1"], "earliest"]),
    ):
        question = recorded_question(method, params, PIN)
        assert recorded_question(method, question.params, PIN + 5) == question
        assert recorded_question(method, question.params, PIN).text == question.text


def test_a_trace_without_options_has_empty_ones() -> None:
    """No options, null and an empty object are the same question: the node's default tracer."""
    asked: list[list[Any]] = [[HASH], [HASH, None], [HASH, {}], [HASH, {"tracerConfig": {"withLog": False}}]]
    texts = {recorded_question("debug_traceTransaction", params, PIN).text for params in asked}
    assert texts == {json_text([HASH.lower(), {}])}


@pytest.mark.parametrize("tag", ["safe", "finalized", "pending", "0x2b", "0x" + "f" * 64])
def test_blocks_that_no_record_tells_are_a_miss(tag: str) -> None:
    """Moving tags and blocks past the pin have no number to ask under."""
    with pytest.raises(Miss):
        recorded_question("eth_getProof", [ADDRESS, [], tag], PIN)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("eth_getProof", [ADDRESS]),
        ("eth_getProof", [ADDRESS, "0x1", "latest"]),
        ("eth_getProof", [ADDRESS, [1], "latest"]),
        ("eth_getProof", [ADDRESS, ["0x" + "1" * 65], "latest"]),
        ("eth_getProof", ["0x12", [], "latest"]),
        ("eth_getProof", [ADDRESS, [], {"blockHash": HASH}]),
        ("eth_getProof", [ADDRESS, [], 42]),
        ("eth_getProof", [ADDRESS, [], "latest", {}]),
        ("debug_traceTransaction", []),
        ("debug_traceTransaction", [HASH, "callTracer"]),
        ("debug_traceTransaction", [HASH, {}, {}]),
        ("debug_traceTransaction", [HASH, {"limit": float("nan")}]),
        ("debug_traceTransaction", [HASH, {"tracer": b"callTracer"}]),
        ("trace_transaction", ["0x1"]),
        ("trace_transaction", [HASH, {}]),
        ("eth_call", [{}, "latest"]),
    ],
)
def test_another_shape_is_told(method: str, params: list[Any]) -> None:
    """Nonsense, and methods whose replies are not kept, are the caller's error."""
    with pytest.raises(ToolError):
        recorded_question(method, params, PIN)


def test_exactly_the_listed_methods_have_questions() -> None:
    """The list that recorders go by names every method that is understood."""
    shapes: dict[str, list[Any]] = {"eth_getProof": [ADDRESS, []], "trace_transaction": [HASH]}
    for method in RECORDED_METHODS:
        assert recorded_question(method, shapes.get(method, [HASH]), PIN).method == method
