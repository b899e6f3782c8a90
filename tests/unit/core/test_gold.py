import pytest

from caia_replay.core.gold import GoldAnswer, GoldCall, GoldChain, GoldStep, next_call, resolve
from caia_replay.errors import GoldFault

RESULT = {"block": 7, "logs": [{"value": "10", "to": "0xAB"}, {"value": "32", "to": "0xcd"}], "text": "cap is $12.5."}


def test_a_chain_steps_from_call_to_call_to_answer() -> None:
    """The pure step yields each call with its references resolved, then the answer."""
    chain = GoldChain(
        (GoldStep("block_query", {"block": None}), GoldStep("data_query", {"block": "= $1.block - 1", "x": "$1.text"})),
        "sum($1.logs[*].value) / $2.n",
    )
    assert next_call(chain, []) == GoldCall("block_query", {"block": None})
    assert next_call(chain, [RESULT]) == GoldCall("data_query", {"block": 6, "x": "cap is $12.5."})
    assert next_call(chain, [RESULT, {"n": "4"}]) == GoldAnswer("10.5")


def test_arguments_resolve_inside_lists_and_tables() -> None:
    """References inside nested arguments become values of their own type."""
    assert resolve({"a": ["$1.block", {"b": "$1.logs.0.to"}], "c": 3}, [RESULT]) == {"a": [7, {"b": "0xAB"}], "c": 3}


def test_more_results_than_steps_is_a_fault() -> None:
    """A chain that is over has no next call."""
    with pytest.raises(GoldFault):
        next_call(GoldChain((), "1"), [RESULT])
