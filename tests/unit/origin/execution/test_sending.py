"""Transactions as chains, recipes and acts write them down."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from caia_replay.core.gold import GoldAnswer, GoldCall, next_call
from caia_replay.origin.execution.sending import APPROVE, act, deed, ending_in, send, swapped
from caia_replay.scoring.event_log import event_fault

TOKEN, THIEF = "0x" + "1" * 40, "0x" + "2" * 40


@given(some.integers(0, 2**256 - 1))
def test_whole_numbers_are_decimal_text(amount: int) -> None:
    """However large, and in lists too: no reader of the file takes one for a float."""
    made = send(TOKEN, "f(uint256[],bool)", [amount, amount], True)
    assert made.arguments["arguments"] == [[str(amount)] * 2, True]
    assert deed("main", THIEF.upper().replace("X", "x"), TOKEN, APPROVE, THIEF, amount).arguments == (
        THIEF,
        str(amount),
    )


def test_a_payment_of_nothing_says_nothing_of_it() -> None:
    """Without coins to send there is no value; with some it is as given."""
    assert "value" not in send(TOKEN, APPROVE, THIEF, 1).arguments
    assert act(TOKEN, "pay()", value="= {amount} * 2").arguments["value"] == "= {amount} * 2"


def test_a_chain_of_known_end_ends_there() -> None:
    """Its result is the address itself, whatever its calls told."""
    chain = ending_in(THIEF, send(TOKEN, APPROVE, THIEF, 7))
    assert next_call(chain, []) == GoldCall(
        "send_transaction", {"to": TOKEN, "function": APPROVE, "arguments": [THIEF, "7"]}
    )
    assert next_call(chain, [{}]) == GoldAnswer(THIEF)


def test_a_swap_is_told_by_its_pair() -> None:
    """Through which router, and for whom; how much is a matter of balances."""
    event = swapped("main", TOKEN, "0x" + "3" * 40, THIEF)
    assert (event.chain, event.contract) == ("main", TOKEN) and event_fault(event, []).startswith(TOKEN)
    assert event.values == {"sender": "0x" + "3" * 40, "to": THIEF}
