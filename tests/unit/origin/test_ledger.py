"""The truth ledger: laws over its sums, and its comparison with a real chain."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.errors import CheckFailed
from caia_replay.origin.chain import OriginChain
from caia_replay.origin.ledger import NOBODY, Ledger, check_ledger
from caia_replay.origin.mini.story import Told

HOLDERS = ["0x" + f"{number:02x}" * 20 for number in range(1, 5)]
TOKEN = "0x" + "ee" * 20
moves = st.lists(
    st.tuples(st.integers(1, 9), st.sampled_from([NOBODY, *HOLDERS]), st.sampled_from(HOLDERS), st.integers(0, 10**24)),
    max_size=30,
)


def written(items: list[tuple[int, str, str, int]]) -> Ledger:
    ledger = Ledger()
    for block, sender, recipient, amount in sorted(items, key=lambda item: item[0]):
        ledger.move(block, TOKEN, sender, recipient, amount)
    return ledger


@settings(max_examples=60, deadline=None)
@given(moves, st.integers(0, 10))
def test_balances_add_up_to_the_supply(items: list[tuple[int, str, str, int]], block: int) -> None:
    """At every block the holders' balances sum to what was minted and not burnt."""
    ledger = written(items)
    assert sum(ledger.balance(TOKEN, holder, block) for holder in HOLDERS) == ledger.supply(TOKEN, block)


@settings(max_examples=60, deadline=None)
@given(moves, st.integers(1, 8))
def test_a_range_is_the_sum_of_its_halves(items: list[tuple[int, str, str, int]], cut: int) -> None:
    """Volume and count over 1 to 9 are those up to a cut plus those after it."""
    ledger = written(items)
    assert ledger.volume(TOKEN, 1, 9) == ledger.volume(TOKEN, 1, cut) + ledger.volume(TOKEN, cut + 1, 9)
    assert ledger.within(TOKEN, 1, 9) == ledger.within(TOKEN, 1, cut) + ledger.within(TOKEN, cut + 1, 9)


def test_another_token_is_another_book() -> None:
    """A look-alike's movements change nothing of the genuine token."""
    ledger = written([(1, NOBODY, HOLDERS[0], 10)])
    ledger.move(2, "0x" + "dd" * 20, NOBODY, HOLDERS[0], 99)
    assert (ledger.supply(TOKEN), ledger.balance(TOKEN, HOLDERS[0]), ledger.holders(TOKEN)) == (10, 10, 1)


def test_the_past_cannot_be_written_again() -> None:
    """A movement before the last one is refused: balances of blocks already told would change."""
    ledger = written([(5, NOBODY, HOLDERS[0], 10)])
    with pytest.raises(ValueError, match="block 4 is before block 5"):
        ledger.move(4, TOKEN, NOBODY, HOLDERS[0], 1)
    assert (ledger.balance(TOKEN, HOLDERS[0]), ledger.tokens(), ledger.known(TOKEN)) == (10, [TOKEN], [HOLDERS[0]])


def test_ledger_and_chain_agree_on_the_whole_story(story: tuple[OriginChain, Told]) -> None:
    """Hundreds of movements, balances and supplies are the chain's own."""
    chain, told = story
    assert check_ledger(told.ledger, chain) > 300


@pytest.mark.parametrize("fault", ["amount", "missing", "extra"])
def test_any_difference_is_caught(story: tuple[OriginChain, Told], fault: str) -> None:
    """One wrong amount, one movement less or one more fails the comparison."""
    chain, told = story
    wrong = Ledger()
    for at, found in enumerate(told.ledger.movements):
        if fault == "missing" and at == 100:
            continue
        amount = found.amount + (fault == "amount" and at == 100)
        wrong.move(found.block, found.token, found.sender, found.recipient, amount)
    if fault == "extra":
        wrong.move(60, told.token, HOLDERS[0], HOLDERS[1], 1)
    with pytest.raises(CheckFailed, match="ledger"):
        check_ledger(wrong, chain)
