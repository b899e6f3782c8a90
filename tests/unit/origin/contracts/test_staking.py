"""Laws of staking rewards; tests/contracts holds them against the chain."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.origin.contracts.staking import Pool

RATE, END = 10**15, 10**6
moves = st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 10**20), st.integers(0, 200_000)), min_size=1)


@given(moves)
def test_no_more_is_earned_than_is_paid_out_per_second(story: list[tuple[str, int, int]]) -> None:
    """The sum of rewards is at most the rate times the seconds since the first stake, and little less."""
    pool, at, first = Pool(RATE, END, 0), 0, min(story[0][2], END)
    for who, amount, pause in story:
        at += pause
        pool.stake(who, amount, at)
    late = max(END, at) + 5
    total = sum(pool.earned(who, late) for who in "abc")
    assert total <= RATE * (END - first)
    assert total >= RATE * (END - first) - len(story) * (2 + pool.total // 10**18) - 3


@given(moves)
def test_claiming_often_loses_only_rounding(story: list[tuple[str, int, int]]) -> None:
    """Claims change nobody's rewards by more than a unit per claim and touch."""
    patient, eager, at, paid = Pool(RATE, END, 0), Pool(RATE, END, 0), 0, 0
    for who, amount, pause in story:
        at += pause
        for pool in (patient, eager):
            pool.stake(who, amount, at)
        paid += eager.claim("a", at) if who == "a" else 0
    assert 0 <= patient.earned("a", END) - paid - eager.earned("a", END) <= len(story)


def test_two_stakers_by_hand() -> None:
    """Alone for ten seconds, then one part in four for ten: 10 and 2.5 times the rate; a third of 1,000 rounds down."""
    pool = Pool(1000, 100, 0)
    pool.stake("a", 10, 0)
    pool.stake("b", 30, 10)
    assert (pool.earned("a", 20), pool.earned("b", 20)) == (12_500, 7_500)
    pool.stake("a", -10, 20)
    assert (pool.claim("a", 30), pool.claim("a", 30), pool.earned("b", 500)) == (12_500, 0, 87_499)
