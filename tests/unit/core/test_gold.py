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


def test_computed_lists_are_plain() -> None:
    """Numbers in a computed list are whole or decimal text, as they are alone, in lists of lists too."""
    chain = GoldChain(
        (GoldStep("send", {"arguments": ["= $1.block * 1000000", "= list($1.block, list(1 / 2), 'x')"]}),), "1"
    )
    big = {"block": 10**30}
    plain = [10**36, [10**30, ["0.5"], "x"]]
    assert next_call(GoldChain((GoldStep("a", {}), *chain.steps), "1"), [big]) == GoldCall("send", {"arguments": plain})


def test_more_results_than_steps_is_a_fault() -> None:
    """A chain that is over has no next call."""
    with pytest.raises(GoldFault):
        next_call(GoldChain((), "1"), [RESULT])
