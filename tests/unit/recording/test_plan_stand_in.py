from __future__ import annotations

import pytest
from eth_abi import abi
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.recording.plan_stand_in import GAP, MARK, StandIn, without_marks

RUNS = st.sampled_from("abcdz")


@given(RUNS, st.text(max_size=20))
def test_a_run_is_the_same_every_time(run: str, what: str) -> None:
    """The same thing has the same stand-in in one run, and another one in every other."""
    one, again, other = StandIn(run), StandIn(run), StandIn("q")
    for name in ("word", "number", "address", "hash"):
        assert getattr(one, name)(what) == getattr(again, name)(what) != getattr(other, name)(what)


@given(RUNS, st.text(max_size=20), st.text("xyz /.", max_size=5))
def test_every_marked_stand_in_is_found(run: str, what: str, around: str) -> None:
    """In any text and in any case a word, an address and a hash become gaps."""
    stand = StandIn(run)
    for marked in (stand.word(what), stand.address(what), stand.hash(what)):
        assert MARK.fullmatch(marked)
        assert without_marks(around + marked.upper().replace("0X", "0x") + around) == around + GAP + around


def test_what_bears_no_mark_stays() -> None:
    """Real addresses, hashes and words are left as they are."""
    text = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48 standard zqstand"
    assert without_marks(text) == text


@pytest.mark.parametrize(
    "kind",
    ["uint8", "uint256", "int24", "bool", "address", "bytes4", "bytes", "string", "uint256[]", "address[3]",
     "(uint256,address)[]", "(string,(bool,bytes32)[2])", "uint256[][2]"],
)  # fmt: skip
def test_values_are_of_their_type(kind: str) -> None:
    """What is made for a type of Solidity is taken by its encoder, and read back."""
    value = StandIn("a").abi_value(kind)
    assert abi.decode([kind], abi.encode([kind], [value]))


def test_decimals_are_few_and_times_are_uneven() -> None:
    """A token's decimals scale an amount, and no length of time is of whole days."""
    for run in "abcdef":
        assert 6 <= StandIn(run).abi_value("uint8", "decimals") <= 18
        assert StandIn(run).seconds("x", 40, 330) % 86_400
        assert 40 * 86_400 < StandIn(run).seconds("x", 40, 330) < 331 * 86_400
